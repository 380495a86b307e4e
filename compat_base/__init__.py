"""Values and adapters below the three services; no word of any domain, nothing of ours imported.

In import order:

- `values/`: errors, HTTP messages, JSON, SQL text, settings, URLs, networks, tokens, time, events
- `tasks`: supervised background tasks, the only place that creates one
- `keyed_lock`: requests for one thing wait for each other
- `slices`: long work that lets the event loop go
- `postgres/`: pools, sessions, statements and migrations: the only imports of the drivers
- `egress`: HTTP to addresses that users set, connected to public ones only
- `sockets`: sockets to serve on, and why one cannot be had
- `asgi`: ASGI scopes to requests, responses to ASGI messages, body limits
- `process`: standard streams whose reader may go, and an end that comes
- `server_limits`: what one client may take of the server, and for how long
- `server/`: the only import of uvicorn: HTTP and WebSockets on sockets until told to stop
"""
