"""Health, public settings, key set, discovery of OpenID and SCIM (auth reference 3.9).

In import order:

- `errors`: rows of errors
- `flow`: health, settings, JWKS, OpenID configuration
- `scim`: SCIM's discovery documents
- `routes`: the table of routes
"""
