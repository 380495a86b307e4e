"""Sign-up by e-mail, phone or nothing at all (auth reference 3.1).

In import order:

- `errors`: rows of errors
- `bodies`: bodies as records
- `anonymous`: anonymous users
- `flow`: sign-up by e-mail or phone
- `routes`: the table of routes
"""
