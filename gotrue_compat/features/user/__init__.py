"""The signed-in user: reading, changing, identities (auth reference 3.4, 9.5).

In import order:

- `errors`: rows of errors
- `bodies`: bodies as records
- `identities`: an identity unlinked
- `update`: the user read and changed
- `routes`: the table of routes
"""
