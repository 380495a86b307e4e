"""Values and adapters below the three services; no word of any domain, nothing of ours imported.

In import order:

- `errors`: Row, Problem, ApiError: one exception, one table a service
- `http`: HttpRequest and HttpResponse as frozen values
- `jsontext`: the one JSON policy
- `sqltext`: SQL as a value: raw text, quoted names, parameters
- `world`: clock and entropy, the only place that asks the machine for time or chance
- `settings`: a mapping of text in, a frozen record or every problem out; masked secrets
- `urls`: addresses as browsers parse them, the only import of ada_url
- `networks`: which IP addresses are public
- `jwt`: tokens over keys and bytes; key sets
- `queries`: named statements out of `.sql` files
- `events`: observations and their sinks
- `tasks`: supervised background tasks, the only place that creates one
- `faults`: what PostgreSQL answers when it refuses, as values
- `pool`: connections lent one at a time, whatever their driver
- `database`: the only import of asyncpg: pools, transactions, server errors as values
- `pipeline`: the only import of psycopg: several statements in one round trip
- `session_pool`: a pool of such sessions
- `sqlfiles`: where the migrations lie
- `migrations`: numbered SQL files applied once and in order
- `egress`: HTTP to addresses that users set, connected to public ones only
- `sockets`: sockets to serve on, and why one cannot be had
- `asgi`: ASGI scopes to requests, responses to ASGI messages, body limits
- `process`: standard streams whose reader may go, and an end that comes
- `server_limits`: what one client may take of the server, and for how long
- `server`: the only import of uvicorn: HTTP and WebSockets on sockets until told to stop
"""
