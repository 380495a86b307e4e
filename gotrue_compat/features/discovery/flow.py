"""Health, public settings and metadata of the service (auth reference 3.9)."""

from __future__ import annotations

from compat_base.values import jwt
from gotrue_compat.core.results import CACHED, Json
from gotrue_compat.http.context import RequestContext
from gotrue_compat.http.dependencies import Dependencies
from gotrue_compat.providers.registry import PROVIDERS

VERSION = "v2.196.0"


async def health(_deps: Dependencies, _context: RequestContext, _body: None) -> Json:
    """The service's name and version."""
    description = "GoTrue is a user registration and authentication API"
    return Json({"version": VERSION, "name": "GoTrue", "description": description})


async def settings(deps: Dependencies, _context: RequestContext, _body: None) -> Json:
    """The enabled ways to sign in."""
    known = deps.settings
    external = {"anonymous_users": known.anonymous}
    external |= {
        name: known.external.providers[name].enabled
        for name, provider in PROVIDERS.items()
        if provider.is_listed
    }
    external |= {"email": known.email.enabled, "phone": known.phone}
    return Json(
        {
            "external": external,
            "disable_signup": known.disable_signup,
            "mailer_autoconfirm": known.mailer.autoconfirm,
            "phone_autoconfirm": known.sms.autoconfirm,
            "sms_provider": known.sms.provider,
            "saml_enabled": known.saml.enabled,
            # true where SAML is off, as in the original, whose null check always passes
            "saml_private_key_next_configured": bool(
                not known.saml.enabled or known.saml.next_private_key
            ),
            "passkeys_enabled": known.webauthn.passkeys,
        }
    )


async def key_set(deps: Dependencies, _context: RequestContext, _body: None) -> Json:
    """The public keys; secrets are not among them."""
    keys = [jwt.public_jwk(key) for key in deps.settings.jwt.keys if key.kty != "oct"]
    return Json({"keys": keys}, headers=CACHED)


async def openid_configuration(deps: Dependencies, _context: RequestContext, _body: None) -> Json:
    """OpenID Connect discovery, which is RFC 8414's metadata too."""
    issuer = deps.settings.jwt.issuer.rstrip("/")
    registration = {"registration_endpoint": f"{issuer}/oauth/clients/register"}
    metadata = {
        "issuer": deps.settings.jwt.issuer,
        "authorization_endpoint": f"{issuer}/oauth/authorize",
        "token_endpoint": f"{issuer}/oauth/token",
        "jwks_uri": f"{issuer}/.well-known/jwks.json",
        "userinfo_endpoint": f"{issuer}/oauth/userinfo",
        **(registration if deps.settings.oauth_server.dynamic_registration else {}),
        "scopes_supported": ["openid", "profile", "email", "phone", "offline_access"],
        "response_types_supported": ["code"],
        "response_modes_supported": ["query"],
        "grant_types_supported": ["authorization_code", "refresh_token"],
        "subject_types_supported": ["public"],
        "id_token_signing_alg_values_supported": ["RS256", "HS256", "ES256"],
        "token_endpoint_auth_methods_supported": [
            "client_secret_basic", "client_secret_post", "none",
        ],
        "claims_supported": [
            "sub", "aud", "iss", "exp", "iat", "auth_time", "nonce", "email", "email_verified",
            "phone_number", "phone_number_verified", "name", "picture", "preferred_username",
            "updated_at",
        ],
        "code_challenge_methods_supported": ["S256", "plain"],
    }  # fmt: skip
    return Json(metadata, headers=CACHED)
