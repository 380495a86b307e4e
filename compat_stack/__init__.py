"""Composition above the services, and the command line. No logic of theirs is here.

In import order; each folder's docstring lists its modules:

- `process/`: what the command line says, how the process ends, as whom its programs run
- `data_folder/`: the installation's folder, its owner's alone
- `network/`: who calls, and which host a request asks for
- `project/`: a Supabase project's folder: config.toml, migrations, seeds
- `setting_kinds`: how a setting is read: a port, an origin, networks
- `settings`: one environment → Settings
- `embedded/`: the embedded PostgreSQL, watched over while the stack runs
- `keys/`: the installation's keys, made once, kept, and rotated
- `database`: the server of the settings, or the embedded one, started and stopped
- `operator_access`: who is the operator
- `services/`: the manifest, one row a service: its prefix, variables, role, migrations, opener
- `schema_types/`: a database's schemas in TypeScript
- `migrations/`: the database brought to what the services need, then to what the project needs
- `gateway/`: one origin: prefixes, API keys, the web app
- `mail_stores`: the mailbox's folder, or its table where nodes share a database
- `mailbox`: where mail goes without SMTP, and its page
- `observe/`: request ids, access log, metrics, probes
- `background/`: requests that the database's extensions send, jobs that they run
- `archive/`: backup and restore
- `app`: services, gateway, pages and monitoring as one application
- `commands`: the commands that work on an open database: migrate, serve
- `fleet`: the processes of several workers: what each does
- `workers`: several processes that serve, under one supervisor
- `operate/`: backup, restore, rotate-keys, start, stop, status, and what a project's commands do
- `cli`: serve, migrate, keys, check-config; it loads `commands`, `app` and `operate` by name
"""
