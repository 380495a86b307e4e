"""One origin: the services below their prefixes, the web app beside them.

In import order:

- `browser_headers`: what pages tell a browser to refuse
- `website`: the built web app, from memory
- `missing_service`: what answers for a service that is not here
- `gateway`: prefixes and API keys
"""
