"""The `GOTRUE_*` variables as frozen records, one section each (auth reference 14).

In import order:

- `keys`: JWT keys and claims
- `addresses`: API, database, site and redirects, e-mail, SMTP, SMS
- `access`: sign-up, passwords, security, sessions, captcha
- `limits`: rate limits
- `factors`: MFA, WebAuthn, passkeys
- `federation`: external providers, Web3, SAML, OAuth server
- `hooks`: hooks
- `record`: Settings, and `read_settings` from a mapping
"""

from gotrue_compat.settings.record import Settings, read_settings, read_smtp

__all__ = ["Settings", "read_settings", "read_smtp"]
