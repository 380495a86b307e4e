"""How clients reach the protocol.

- `outbox`, `websocket`: the WebSocket shell
- `longpoll`: the same over plain HTTP
- `http_broadcast`: broadcasts without a socket
"""
