"""The services that the stack is composed of.

In import order:

- `roles`: the login roles' URLs and passwords
- `service`: a service as one value, and its variables composed
- `variables`: what the stack sets each service
- `manifest`: the rows, one a service
- `opened`: a running service as the stack sees it
- `budget`: how many connections one process may open
- `auth`, `rest`, `realtime`, `storage`: how each is opened; named in the manifest and loaded by it
"""
