"""Decisions as pure functions: input and time in, decision out; no I/O, no clock, no randomness.

- `addresses`: forms of e-mail addresses and phone numbers
- `passwords`: strength of passwords; which hashes are known
- `encryption`: encryption at rest
- `otp`: one-time passwords: hashes, expiry, the gap between two
- `totp_uri`: the `otpauth:` URI of a TOTP key
- `pkce`: code challenges and verifiers
- `claims`: claims of access tokens
- `claims_schema`: validation of claims that a hook changed
- `sessions`: limits of sessions
- `refresh`: rotation and reuse of refresh tokens; the version-2 format
- `identities`: provider lists and account linking
- `shapes`: users, identities and factors as JSON
- `metadata`: merging of metadata, soft-deleted forms
- `pages`: page numbers, sort orders, Link headers
- `webhooks`: Standard Webhooks signatures
- `webauthn_response`: responses of authenticators, read and checked for their form
- `webauthn`: WebAuthn ceremonies
"""
