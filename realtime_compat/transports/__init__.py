"""How clients reach the protocol.

In import order:

- `addresses`: limits of sockets by client address; pure
- `outbox`: frames that wait for a socket, bounded; pure
- `frame_writer`: one socket's frames, written at once or by a task
- `service`: what every socket and endpoint works with
- `handshake`: the upgrade: token, protocol version, headers
- `websocket`: the WebSocket transport
- `relay`: a long poll's request handed to the worker that has its session; pure
- `longpoll`: the long-poll transport
- `batch`, `batch_message`: a batch of broadcasts, cut into its messages; pure
- `http_broadcast`: broadcasts over HTTP
"""
