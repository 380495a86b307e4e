"""How clients reach the protocol.

- `addresses`: sockets by the address of their caller; pure
- `outbox`, `websocket`: the WebSocket shell
- `longpoll`: the same over plain HTTP
- `batch`: a batch of broadcasts, cut into its messages; pure
- `http_broadcast`: broadcasts without a socket
"""
