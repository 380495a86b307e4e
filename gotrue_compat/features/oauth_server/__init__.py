"""An OAuth 2.1 server: clients, consent, tokens (auth reference 11).

In import order:

- `errors`: rows of errors
- `store`: clients, authorizations, consents
- `rules`: validation of clients, redirect URIs, scopes; claims of id tokens
- `bodies`: bodies and queries as records
- `clients`: registration, by administrators or dynamic
- `authorize`: authorization requests and users' consent
- `token`: the token endpoint, userinfo
- `routes`: the table of routes
"""
