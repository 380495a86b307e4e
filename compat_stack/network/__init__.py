"""Addresses: of clients, and of this machine.

In import order:

- `hosts`: the Host header, and whether it is this machine
- `client_address`: the client's address, by the peer and trusted proxies
- `egress`: non-public addresses that may be called
- `peers`: the process at the other end of a loopback connection
"""
