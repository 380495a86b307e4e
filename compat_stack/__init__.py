"""Composition above the three services, and the command line. No logic of theirs is here.

In import order:

- `postgres`: the embedded PostgreSQL, one cluster in a folder, also as root
- `migrate`: the services' own sets of migrations, then the project's; the login roles
- `settings`: one environment → Settings
- `keys`: the installation's keys, made once and kept
- `services`: Settings → the variables that each service reads
- `gateway`: prefixes, API keys, one origin
- `website`: the built web app, from memory
- `mailbox`: where mail goes without SMTP, and its page
- `app`: everything above joined
- `cli`: serve, migrate, keys, check-config; it loads `app` while the database starts
"""
