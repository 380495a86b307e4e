"""Composition, and the command line's other commands.

In import order:

- `variables`: files of variables beside the environment
- `composition`: settings to an ASGI application
- `migrate`: the schema that the service needs
- `admin`: users created and deleted by the command line
- `reload`: settings reloaded while the service runs
- `metrics`: figures of requests for Prometheus
- `metered`: a service with those figures, where that is set
"""
