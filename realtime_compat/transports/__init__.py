"""How clients reach the protocol.

- `addresses`: sockets by the address of their caller; pure
- `outbox`: frames that wait for a socket, bounded; pure
- `frame_writer`: one socket's frames, written at once or by a task
- `service`: what every socket and endpoint works with
- `handshake`: who may open a socket
- `websocket`: the WebSocket shell
- `longpoll`: the same over plain HTTP
- `batch`, `batch_message`: a batch of broadcasts, cut into its messages; pure
- `http_broadcast`: broadcasts without a socket
"""
