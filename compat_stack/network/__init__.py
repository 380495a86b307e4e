"""Addresses: who calls, and whom a request asks for.

In import order:

- `hosts`: the Host that a request asks for, and whether it is this machine
- `client_address`: who calls, by the peer and trusted proxies alone
- `egress`: which addresses that are not public may be called
- `peers`: whose process is at the other end of a loopback connection
"""
