"""Sign-in by identity providers: out, back, accounts, id tokens (auth reference 9.1 to 9.5).

In import order:

- `errors`: rows of errors
- `bodies`: bodies and queries as records
- `accounts`: an external identity signed in, linked, or made a user
- `providers`: a provider by name; its authorize URL; a code exchanged for an identity
- `start`: the redirect to the provider
- `finish`: the callback
- `id_token`: the id_token grant
- `routes`: the table of routes
"""
