"""The embedded PostgreSQL.

In import order:

- `processes`: PostgreSQL processes as the system shows them
- `loopback`: a free port for it
- `server_log`: its log file, rotated
- `pgcrypto`: the extension that the wheel lacks, fetched by npm
- `programs`: PostgreSQL's programs, where they are and how they are run, also as root
- `extension_paths`: where the server finds its extensions
- `contributed`: our extensions as plain scripts, for servers that cannot have them
- `cluster`: a cluster's data, socket and log, and the server that runs in it
- `initdb`: the data folder of a new cluster
- `configuration`: the server's settings at its start
- `vault_key`: the key of the vault's secrets, lent to the server
- `postgres`: a cluster started, taken over and stopped
- `supervisor`: a cluster restarted whenever it dies
"""
