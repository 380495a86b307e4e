"""The embedded PostgreSQL.

In import order:

- `processes`: its processes as the system shows them
- `loopback`: which port it can have
- `server_log`: its log within a bound
- `pgcrypto`: the module that the wheel lacks, brought by npm
- `extension_paths`: where the server finds its extensions
- `contributed`: our extensions as plain scripts, for servers that cannot have them
- `postgres`: one cluster in a folder, also as root
- `vault_key`: the key of the vault's secrets, lent to the server
- `supervisor`: a cluster watched over while the stack runs
"""
