"""Publish/subscribe between the processes of one machine, by topic, over a Unix socket.

A broker takes every message once and gives it to the other processes that joined its topic. Each
process has a line to it. What a process sends comes at each recipient once and in order, also where
the broker dies in between: a line keeps what is not acknowledged, and gives it to the next broker.

In import order:

- `frames`: what goes over the socket, as bytes; pure
- `switch`: who receives what, and when a sender may forget it; pure
- `line`: a process's connection, renewed when it is cut
- `rpc`: remote procedure calls: requests, and replies to them
- `server`: the broker's sockets
"""
