"""State between requests.

In import order:

- `bounded_cache`: a mapping of bounded size
- `backoff`: exponential backoff of attempts to connect
- `round_robin`: slices of several works in turn
- `body_bytes`: the memory that large bodies take, of all callers and of each
- `connection`, `listener`: connections; notifications on the channel
- `plan_cache`: the caches around the pure stages, with their keys
- `database_settings`: settings and roles kept in the database
- `snapshot`: settings and schema cache as one value, with its plan cache
- `authenticator`: bearer tokens checked by the keys of this moment, and their cache
- `rights`, `large_bodies`: write privileges, checked before a large body is received
- `replica`: reads answered by a read replica
- `reload`: loads both, swaps the snapshot
"""
