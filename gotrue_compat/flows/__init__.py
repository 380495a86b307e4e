"""One file per use case; each has five beats in one order.

Validate by rules; slow work (hashing) outside the transaction; one transaction that loads,
decides by rules, writes and notes; effects through ports (mail goes out inside the transaction,
as the original's does, so that a mail that fails takes the change back); a result record.

Parts that several use cases share:

- `results`: what flows return
- `trail`: audit entries
- `calling`: hooks with their payloads
- `posting`: mails: limits, hook or templates
- `tokens`: one-time tokens that are stored and sent; text messages
- `accounts`: making users, identities and confirmations
- `issuing`: sessions and their tokens
- `guarding`: password rules
- `limiting`: rate limits, of requests and of wrong guesses
- `tries`: how often a one-time code was tried

Use cases: `sign_up`, `anonymous`, `sign_in_password`, `refresh`, `exchange_code`, `id_token`,
`otp`, `verify`, `recover`, `resend`, `reauthenticate`, `update_user`, `sign_out`, `identities`,
`external_start`, `external_finish`, `mfa_enroll`, `mfa_challenge`, `mfa_verify`, `invite`,
`admin_users`, `admin_links`, `admin_factors`, `admin_audit`, `passkeys`, `web3`, `sso`,
`sso_finish`, `sso_admin`, `oauth_clients`, `oauth_authorize`, `oauth_token`, `custom_providers`,
`cleanup`.
"""
