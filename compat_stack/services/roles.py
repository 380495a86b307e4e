"""The login roles of the services: their URLs, and passwords derived from the one secret."""

from __future__ import annotations

import hashlib
import hmac
from urllib.parse import quote, urlsplit, urlunsplit

BACKGROUND_ROLE = "compat_background"
"""The background worker's login role; a migration of the platform's creates it."""

NO_FOREIGN_NAMES = {"search_path": "pg_catalog"}
"""Settings of sessions that find no function or operator of the project's owner.

That one owns the database, and sets where its sessions look.
"""


def role_url(url: str, role: str, passwords: bytes | None, *, is_pooled: bool = False) -> str:
    """The database's URL for one of the login roles.

    A pooler's (`is_pooled`) keeps the tenant that the user names after the last dot, as Supavisor
    has it: `postgres.tenant`.
    """
    _, dot, tenant = (urlsplit(url).username or "").rpartition(".") if is_pooled else ("", "", "")
    password = None if passwords is None else role_password(passwords, role)
    return with_password(url, quote(role, safe="") + (dot and dot + tenant), password)


def with_password(url: str, user: str, password: str | None) -> str:
    """The database's URL for another user."""
    parts = urlsplit(url)
    credentials = user if password is None else f"{user}:{password}"
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
