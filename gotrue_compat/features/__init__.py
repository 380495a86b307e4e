"""The features of the API, one folder each: its bodies, flows, errors and routes.

Higher ones use lower ones, as the contract in pyproject.toml draws it:

- `discovery`: health, public settings, key set, metadata of OpenID and SCIM
- `sign_in`: password, refresh and PKCE grants; signing out
- `sign_up`: sign-up by e-mail or phone, anonymous users
- `admin`: users, factors, links, invitations and the audit log for administrators
- `codes`: one-time codes and links: sent, sent again, verified
- `custom_providers`: OAuth and OpenID Connect providers that administrators add
- `mfa`: second factors
- `oauth_server`: an OAuth 2.1 server: clients, consent, tokens
- `external`: sign-in by identity providers, id tokens
- `passkeys`: passkeys of users, sign-in by them
- `sso`: single sign-on by SAML 2.0
- `user`: the signed-in user: read, changed, identities
- `web3`: sign-in by wallets
"""
