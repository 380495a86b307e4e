"""Passkeys: registered by users, used to sign in without a name (auth reference 8).

In import order:

- `errors`: rows of errors
- `authenticators`: names of authenticators by AAGUID
- `model`: the record of a credential
- `bodies`: bodies and queries as records
- `store`: credentials and challenges
- `flow`: registration, sign-in, and what users and administrators manage
- `routes`: the table of routes
"""
