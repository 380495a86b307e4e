"""Apply the service's migrations where it runs alone."""

from __future__ import annotations

import re
from collections.abc import Callable

from compat_base.postgres.service_migrations import migrate_service

# Grants that the service's own role cannot make; its creator has made them
_GRANTS_OF_A_SUPERUSER = re.compile(
    r"do \$members\$.*?\$members\$;"
    r"|grant usage on schema public, extensions to supabase_storage_admin;",
    re.DOTALL,
)


async def migrate(url: str, progress: Callable[[str], None]) -> None:
    """Apply what is missing; MigrationError, PgFault or Unavailable.

    A superuser gets the roles and schemas of the platform first. Any other role must find the
    API's roles and itself there, and leaves alone what the composed stack migrates.
    """
    await migrate_service(url, "storage", progress, rewritten=_without_grants)


async def _without_grants(text: str) -> str:
    return _GRANTS_OF_A_SUPERUSER.sub("", text)
