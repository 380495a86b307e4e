"""Decisions as pure functions: input and moment in, verdict out; no I/O, no clock, no chance.

- `addresses`: forms of e-mail addresses and phone numbers
- `networks`: what limits know a caller by
- `passwords`: what makes a password weak; which hashes are known
- `sealing`: encryption at rest
- `bans`: how long a ban lasts
- `otp`: one-time passwords, their hashes, their life and the gap between two
- `totp_uri`: the address of a TOTP key
- `pkce`: challenge pairs and verifiers
- `globs`: the allow list's globs, matched against parsed addresses
- `redirects`: which return addresses are allowed
- `urls`: queries and fragments of redirects, links of mails
- `claims`: access token claims
- `claims_schema`: what they must hold after a hook
- `sessions`: limits of sessions
- `refresh`: what a refresh token may still do; the version-2 format
- `identities`: provider lists and account linking
- `custom_providers`: what an administrator may say of a provider
- `shapes`: users, identities and factors as JSON
- `metadata`: merging of metadata, soft-deleted forms
- `pages`: page numbers, sort orders, Link headers
- `webhooks`: Standard Webhooks signatures
- `webauthn`: WebAuthn ceremonies
- `authenticators`: what a new passkey is called
- `xmlenc`: decryption of SAML assertions
- `samlxml`, `saml_metadata`, `saml`: SAML's XML, who its parties are, requests and responses
- `oauth`: rules of the OAuth server
- `wallet_message`, `web3`: what wallets sign, and who signed it, where and when it holds
"""
