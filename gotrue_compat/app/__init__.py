"""Composition, and what the command line does besides serving.

- `composition`: settings to an ASGI application
- `variables`: files of variables beside the environment
- `migrate`: the schema that the service needs
- `admin`: users made and deleted without a request
- `reload`: settings read again while the service runs
"""
