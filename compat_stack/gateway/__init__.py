"""One origin: the services below their prefixes, the web app beside them.

In import order:

- `unsubscribe`: the unsubscribe page of mails
- `security_headers`: the security headers of pages
- `website`: the built web app, from memory
- `missing_service`: the 404 of a service of the platform that is not here
- `issuer_keys`: requests wait for a new key of another issuer
- `gateway`: the router: prefixes, API keys, the caller's address
"""
