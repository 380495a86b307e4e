"""Values and adapters below the services; no word of any domain, nothing of ours imported.

In import order:

- `values/`: errors, HTTP messages, JSON, SQL text, settings, URLs, networks, tokens, time, events
- `tasks`: supervised background tasks, the only place that creates one
- `keyed_lock`: a mutex for each key
- `fair_semaphore`: a semaphore with fair queueing by caller, bounded for each and for all
- `fair_executor`: work in threads, with fair queueing by caller
- `slices`: long work in slices, between which the event loop does other work
- `postgres/`: pools, sessions, statements and migrations: the only imports of the drivers
- `batches`: look-ups of concurrent callers in one statement
- `egress/`: HTTP to addresses that users set, connected to public ones only
- `sockets`: sockets to serve on, and why one cannot be had
- `asgi`: ASGI scopes to requests, responses to ASGI messages, body limits, how long answers take
- `process`: broken pipes survived, threads switched sooner, an end within a deadline
- `memory`: what the C library keeps of freed memory, given back to the system
- `server_limits`: limits and timeouts of the server
- `broker/`: publish/subscribe between the processes of one machine, over a Unix socket
- `workers/`: several processes that serve one address, under a supervisor that forks and waits
- `server/`: the only import of uvicorn: HTTP and WebSockets on sockets until told to stop
- `standalone`: a service as a process of its own
"""
