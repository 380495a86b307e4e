"""Publish/subscribe between the processes of one machine, by topic, over a Unix socket.

Each process has a line to the broker, which delivers every message to the other processes that
joined its topic. A recipient gets a sender's messages exactly once and in order, also where the
broker dies in between: a line keeps unacknowledged messages and sends them to the next broker.

In import order:

- `frames`: the wire format; pure
- `switch`: routing and acknowledgements; pure
- `line`: a process's connection, renewed when it is cut
- `rpc`: remote procedure calls: requests, and replies to them
- `server`: the broker's sockets
"""
