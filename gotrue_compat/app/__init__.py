"""Composition, and what the command line does besides serving.

- `composition`: settings to an ASGI application
- `migrate`: the schema that the service needs
- `administration`: users made and deleted without a request
- `reloading`: settings read again while the service runs
"""
