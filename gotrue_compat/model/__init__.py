"""One frozen record per table of schema auth, made from its rows (auth reference 15).

- `rows`: reading a database row into a record
- `external_identity`: who an identity provider says somebody is
- `user`: users, with their identities and factors
- `session`: sessions with their methods, refresh tokens
- `current`: the user and session that a token names
- `one_time_token`: hashes of what mails and messages carry; flow states of PKCE and OAuth
- `audit`: audit actions and entries
- `federation`: SSO providers, OAuth clients and consents, custom providers, passkeys
"""
