"""How clients reach the protocol.

- `addresses`: sockets by the address of their caller; pure
- `outbox`, `websocket`: the WebSocket shell
- `longpoll`: the same over plain HTTP
- `http_broadcast`: broadcasts without a socket
"""
