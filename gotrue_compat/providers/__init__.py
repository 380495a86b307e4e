"""Identity providers: one file each, over a common definition.

- `transport`: a provider's HTTP API with a bearer token
- `oidc`: discovery, key sets, id tokens
- `definition`: what a provider is
- `apple`, `azure`, `bitbucket`, `discord`, `facebook`, `figma`, `fly`, `github`, `gitlab`,
  `google`, `kakao`, `keycloak`, `linkedin`, `linkedin_oidc`, `notion`, `slack`, `slack_oidc`,
  `snapchat`, `spotify`, `twitch`, `vercel_marketplace`, `workos`, `x`, `zoom`: OAuth 2.0 and
  OpenID Connect
- `twitter`: OAuth 1.0a
- `custom`: providers that administrators add
- `registry`: providers by name, one row each
"""
