"""Identity providers: one file each, over a common definition.

- `transport`: a provider's HTTP API with a bearer token
- `oidc`: discovery, key sets, id tokens
- `definition`: what a provider is
- one file a provider; `twitter` alone speaks OAuth 1.0a
- `registry`: providers by name, and the custom ones
"""
