"""Login roles of the worker and of the jobs' owners.

A session that became another role by `set role` can go back by `reset role`. So a job's session
logs in as the owner where the socket trusts it, else as a role that is a member of the owner's
role alone and has no other right.
"""

from __future__ import annotations

from urllib.parse import unquote, urlsplit

from compat_base.postgres.database import Database
from compat_stack.services.roles import BACKGROUND_ROLE, role_password, role_url
from compat_stack.services.service import Deployment

_NAME = "select 'compat_job_' || oid from pg_catalog.pg_roles where rolname = $1"
_MAKE = "select compat.job_login($1, $2)"


def worker_url(deployment: Deployment) -> str:
    """The database's URL for the worker itself."""
    return role_url(deployment.database_url, BACKGROUND_ROLE, deployment.passwords)


class Logins:
    """Connection URLs for jobs' owners; their login roles are made at the first use."""

    def __init__(self, deployment: Deployment, database: Database) -> None:
        self._deployment = deployment
        self._database = database
        self._made: dict[str, str] = {}

    async def url_of(self, owner: str) -> tuple[str, str | None]:
        """The URL, and the role to set then (None: it logs in as that role). Raises PgFault."""
        url, secret = self._deployment.database_url, self._deployment.passwords
        if secret is None:
            return role_url(url, owner, None), None
        if owner == unquote(urlsplit(url).username or ""):
            return url, None
        if owner not in self._made:
            self._made[owner] = await self._make(owner, secret)
        return role_url(url, self._made[owner], secret), owner

    def forget(self, owner: str) -> None:
        """Make the login role anew the next time, as after a refused password."""
        self._made.pop(owner, None)

    async def _make(self, owner: str, secret: bytes) -> str:
        async with self._database.acquire() as connection:
            login = str(await connection.fetchval(_NAME, owner))
            await connection.execute(_MAKE, owner, role_password(secret, login))
            return login
