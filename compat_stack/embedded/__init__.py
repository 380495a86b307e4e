"""The embedded PostgreSQL.

In import order:

- `processes`: its processes as the system shows them
- `loopback`: which port it can have
- `server_log`: its log within a bound
- `pgcrypto`: the module that the wheel lacks, brought by npm
- `extension_paths`: where the server finds its extensions
- `contributed`: our extensions as plain scripts, for servers that cannot have them
- `programs`: PostgreSQL's programs, where they are and how they are run, also as root
- `cluster`: a cluster's place: data, socket, log, and the server that runs in it
- `initdb`: the data folder of a new cluster
- `configuration`: what the server reads at its start
- `postgres`: a cluster started, taken over and stopped
- `vault_key`: the key of the vault's secrets, lent to the server
- `supervisor`: a cluster watched over while the stack runs
"""
