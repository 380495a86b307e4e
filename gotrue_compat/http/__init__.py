"""Requests as features read them.

- `json_body`: JSON bodies as Go reads them
- `go_struct`: names of members in errors of Go's decoder
- `incoming`: a request with its query, path parameters and JSON members
- `language`: the language that a request prefers
- `context`: a request beside its body: time, audience, principal, address, return address
- `dependencies`: settings, the world and the adapters
- `named_flow`: a flow whose module is loaded at its first call
- `route`: one row of the table of routes
"""
