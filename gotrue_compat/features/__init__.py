"""What a deployment may switch on, one folder each: its rules, SQL and flows.

`sso` and `web3` use `external` (accounts of identity providers), `passkeys` uses `admin`, and
`external` uses `custom_providers`; all stand on `flows`.
"""
