"""What lives between requests.

In import order:

- `bounded_cache`: a mapping of bounded size
- `backoff`: how long to wait before the next attempt
- `round_robin`: slices of several works in turn
- `rights`, `large_bodies`: who may write what, asked before a large body is received
- `connection`, `listener`: how to connect; notifications on the channel
- `database_settings`: settings and roles that the database keeps
- `plan_cache`: the caches around the pure stages, with their keys
- `snapshot`: settings and schema cache as one value, with the plan cache made from it
- `replica`: reads answered by a server that only reads
- `reload`: loads both, swaps the snapshot
"""
