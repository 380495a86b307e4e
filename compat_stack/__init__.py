"""Composition above the three services, and the command line. No logic of theirs is here.

In import order:

- `output`: what the command line says, read or not
- `files`: folders and files that nobody else may read
- `unprivileged`: how root runs programs that refuse root
- `data_folder`: the installation's folder, its owner's alone
- `processes`: PostgreSQL's processes as the system shows them
- `server_log`: PostgreSQL's log within a bound
- `postgres`: the embedded PostgreSQL, one cluster in a folder, also as root
- `embedded`: the embedded database watched over while the stack runs
- `shutdown`: the end of the process, bounded
- `restore_mark`: a data folder into which a backup is being restored
- `hosts`: the Host that a request asks for, and whether it is this machine
- `client_address`: who calls, by the peer and trusted proxies alone
- `settings`: one environment → Settings
- `database_roles`: the login roles' URLs and passwords
- `secret_record`: which JWT_SECRET a database goes with
- `key_files`, `retired`: files replaced as one; keys that were replaced and still count
- `keys`: the installation's keys, made once and kept
- `services/`: the manifest, one row a service: its prefix, variables, role, migrations, opener
- `migrate`: the services' own sets of migrations, then the project's; the login roles
- `missing_service`: what answers for a service that is not here
- `gateway`: prefixes, API keys, one origin
- `browser_headers`: what pages tell a browser to refuse
- `website`: the built web app, from memory
- `peers`: whose process is at the other end of a loopback connection
- `operator_access`: who is the operator
- `mailbox`: where mail goes without SMTP, and its page
- `request_id`, `access_log`, `metrics`: what is known of each request
- `reporter`: the middleware that adds, counts and logs it
- `probes`: `/livez`, `/readyz`, `/metrics`
- `observability`: these around the gateway
- `app`: everything above joined
- `commands`: a database that answers is migrated, and served on
- `rotation`: new keys in place of the old
- `running`: the process that serves from a data folder
- `archive`, `programs`: a backup's file; pg_dump, pg_restore and psql
- `backup`, `restore`: database, keys and mailbox into one file, and back
- `status`: whether it serves, and is ready
- `operate`: the operator's commands
- `cli`: serve, migrate, keys, check-config; it loads `commands`, `app` and `operate` by name
"""
