"""The login roles of the services: their URLs, and passwords derived from the one secret."""

from __future__ import annotations

import hashlib
import hmac
from urllib.parse import quote, urlsplit, urlunsplit

BACKGROUND_ROLE = "compat_background"
"""The background worker's login role; a migration of the platform's creates it."""


def role_url(url: str, role: str, passwords: bytes | None, *, is_pooled: bool = False) -> str:
    """The database's URL for one of the login roles.

    A pooler's (`is_pooled`) keeps the tenant that the user names after the last dot, as Supavisor
    has it: `postgres.tenant`.
    """
    parts = urlsplit(url)
    _, dot, tenant = (parts.username or "").rpartition(".") if is_pooled else ("", "", "")
    credentials = quote(role, safe="") + (dot and dot + tenant)
    if passwords is not None:
        credentials += f":{role_password(passwords, role)}"
    address = parts.netloc.rpartition("@")[2]
    return urlunsplit(parts._replace(netloc=f"{credentials}@{address}"))


def role_password(secret: bytes, role: str) -> str:
    """A login role's password, derived from the installation's secret and so stored nowhere."""
    return hmac.new(secret, f"database role {role}".encode(), hashlib.sha256).hexdigest()


def hide_password(url: str) -> str:
    """The URL without its password, for messages."""
    parts = urlsplit(url)
    user, separator, address = parts.netloc.rpartition("@")
    shown = user.partition(":")[0] + separator + address
    return urlunsplit(parts._replace(netloc=shown))
