"""The embedded PostgreSQL.

In import order:

- `processes`: its processes as the system shows them
- `server_log`: its log within a bound
- `postgres`: one cluster in a folder, also as root
- `supervisor`: a cluster watched over while the stack runs
"""
