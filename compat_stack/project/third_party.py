"""`[auth.third_party.*]`: another issuer whose tokens are accepted, as its address."""

from __future__ import annotations

import re
from collections.abc import Mapping

_CLERK = re.compile(r"clerk(?:\.[a-z0-9-]+){2,}|(?:[a-z0-9-]+\.)+clerk\.accounts\.dev")
_LABEL = re.compile(r"[A-Za-z0-9_-]+")
_NEEDED = {
    "firebase": ("project_id",),
    "auth0": ("tenant",),
    "aws_cognito": ("user_pool_id", "user_pool_region"),
    "clerk": ("domain",),
    "workos": ("issuer_url",),
}
PROVIDERS = frozenset(_NEEDED)


def issuer_of(provider: str, said: Mapping[str, str]) -> str:
    """The issuer's address by a provider's table; ValueError says what is expected."""
    for name in _NEEDED[provider]:
        if not said.get(name):
            raise ValueError(f"is enabled without {name}")
    if provider == "workos":
        return said["issuer_url"].rstrip("/")
    if provider == "clerk":
        if not _CLERK.fullmatch(said["domain"]):
            raise ValueError("wants a domain such as clerk.example.com or name.clerk.accounts.dev")
        return f"https://{said['domain']}"
    for name, value in said.items():
        if value and not _LABEL.fullmatch(value):
            raise ValueError(f"has a {name} with other than letters, digits, - and _")
    if provider == "firebase":
        return f"https://securetoken.google.com/{said['project_id']}"
    if provider == "auth0":
        region = f".{said['tenant_region']}" if said.get("tenant_region") else ""
        return f"https://{said['tenant']}{region}.auth0.com"
    region, pool = said["user_pool_region"], said["user_pool_id"]
    return f"https://cognito-idp.{region}.amazonaws.com/{pool}"
