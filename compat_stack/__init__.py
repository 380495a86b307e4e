"""Composition above the services, and the command line. No logic of theirs is here.

In import order; each folder's docstring lists its modules:

- `process/`: arguments, output, exit and shutdown of a command; programs run without root
- `data_folder/`: the installation's folder, readable by its owner alone
- `network/`: client addresses, Host headers, peers of loopback connections
- `project/`: a Supabase project's folder: config.toml, migrations, seeds
- `setting_kinds`: parsers of settings: a port, an origin, networks
- `limit_settings`: the limits of the server that an operator may change
- `settings`: one environment → Settings
- `embedded/`: the embedded PostgreSQL, restarted whenever it dies
- `keys/`: the installation's keys, made once, kept, and rotated
- `database`: the server of the settings, or the embedded one, started and stopped
- `operator_access`: authorization of the operator
- `services/`: the manifest, one row a service: its prefix, variables, role, migrations, opener
- `schema_types/`: a database's schemas in TypeScript
- `migrations/`: the services' migrations, then the project's
- `gateway/`: one origin: prefixes, API keys, the web app
- `mail_stores`: storage of the local mailbox: a folder, or a table that nodes share
- `mailbox`: the local mailbox, in place of SMTP, and its page
- `observe/`: request ids, access log, metrics, probes
- `background/`: the background worker: pg_net, pg_cron, push messages, queued mails
- `archive/`: backup and restore
- `app`: services, gateway, pages and monitoring as one application
- `commands`: the commands that work on an open database: migrate, serve
- `fleet`: the processes of several workers
- `workers`: several processes that serve, under one supervisor
- `operate/`: backup, restore, rotate-keys, start, stop, status, and a project's commands
- `cli`: serve, migrate, keys, check-config; it loads `commands`, `app` and `operate` by name
"""
