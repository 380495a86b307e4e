"""Password, refresh and PKCE grants, and signing out (auth reference 3.2, 3.3, 3.5, 4.5).

In import order:

- `errors`: rows of errors
- `bodies`: bodies and queries as records
- `password`: the password grant
- `refresh_lookup`: a refresh token's user and session, found and locked
- `refresh`: the refresh grant: rotation, reuse, revoked families
- `exchange_code`: the PKCE grant
- `sign_out`: logout, by scope
- `routes`: the table of routes
"""
