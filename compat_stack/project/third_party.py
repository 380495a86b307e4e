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


def issuer_of(provider: str, options: Mapping[str, str]) -> str:
    """The issuer's address by a provider's table; ValueError says what is expected."""
    for name in _NEEDED[provider]:
        if not options.get(name):
            raise ValueError(f"is enabled without {name}")
    if provider == "workos":
        return options["issuer_url"].rstrip("/")
    if provider == "clerk":
        if not _CLERK.fullmatch(options["domain"]):
            raise ValueError("wants a domain such as clerk.example.com or name.clerk.accounts.dev")
        return f"https://{options['domain']}"
    for name, value in options.items():
        if value and not _LABEL.fullmatch(value):
            raise ValueError(f"has a {name} with other than letters, digits, - and _")
    if provider == "firebase":
        return f"https://securetoken.google.com/{options['project_id']}"
    if provider == "auth0":
        region = f".{options['tenant_region']}" if options.get("tenant_region") else ""
        return f"https://{options['tenant']}{region}.auth0.com"
    region, pool = options["user_pool_region"], options["user_pool_id"]
    return f"https://cognito-idp.{region}.amazonaws.com/{pool}"
