"""SQL beside its callers: a connection and arguments in, records out; no rules, no HTTP.

Every module `x.py` calls the named statements of `x.sql`. The connection's search_path is the
schema of the service, so names are unqualified. In import order:

- `statements`: running statements; inserts and updates of named columns
- `audit`: audit entries
- `users`: users with identities and factors; identities
- `sessions`: sessions, methods, refresh tokens
- `tokens`: one-time tokens, flow states, client states of OAuth
- `factors`: second factors and challenges
- `rate_limits`: rate limits that nodes share
- `cleanup`: deletion of expired rows
"""
