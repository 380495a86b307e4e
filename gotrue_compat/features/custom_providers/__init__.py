"""OAuth and OpenID Connect providers that administrators add (auth reference 9.3).

In import order:

- `errors`: rows of errors
- `store`: their table
- `rules`: validation of a provider
- `bodies`: bodies and queries as records
- `flow`: list, get, create, update, delete
- `routes`: the table of routes
"""
