"""Single sign-on by SAML 2.0 (auth reference 9.7).

In import order:

- `errors`: rows of errors
- `store`: providers, domains, relay states
- `bodies`: bodies and queries as records
- `saml_xml`: XML read without network or entities
- `xml_encryption`: encrypted assertions
- `saml_metadata`: metadata of providers, and our own
- `saml_request`: a signed AuthnRequest
- `saml_claims`: attributes of an assertion mapped to an identity
- `saml_response`: a response verified
- `providers`: providers as administrators manage them
- `start`: the redirect to a provider
- `finish`: the assertion consumer service
- `routes`: the table of routes
"""
