"""The services that the stack is composed of.

In import order:

- `roles`: the login roles' URLs and passwords
- `service`: a service as one value, and its variables composed
- `variables`: the stack's defaults for each service's variables
- `opened`: a running service as the stack sees it
- `manifest`: the rows, one a service
- `budget`: how many database connections the processes may open
- `auth`, `rest`, `realtime`, `storage`: their openers, named in the manifest and loaded by it
"""
