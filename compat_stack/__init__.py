"""Composition above the three services, and the command line. No logic of theirs is here.

In import order:

- `postgres`: the embedded PostgreSQL, one cluster in a folder, also as root
- `settings`: one environment → Settings
- `migrate`: the services' own sets of migrations, then the project's; the login roles
- `keys`: the installation's keys, made once and kept
- `services`: Settings → the variables that each service reads
- `client_address`: who calls, by the peer and trusted proxies alone
- `gateway`: prefixes, API keys, one origin
- `website`: the built web app, from memory
- `mailbox`: where mail goes without SMTP, and its page
- `app`: everything above joined
- `commands`: a database that answers is migrated, and served on
- `cli`: serve, migrate, keys, check-config; it loads `commands` and `app` while the database starts
"""
