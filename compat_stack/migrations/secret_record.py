"""The database records a fingerprint of the JWT_SECRET that it belongs to.

So a changed secret, or a new one because `keys.env` was lost, is noticed before anything is served
with keys that no client has.
"""

from __future__ import annotations

import hmac
from dataclasses import dataclass

from compat_base.postgres.database import Connection, faults, run_script
from compat_base.values.errors import OperatorError
from compat_stack.keys.retired import fingerprint

_NAME = "jwt_secret"
_TABLE = (
    "create table if not exists compat.installation (name text primary key, value text not null)"
)


@dataclass(frozen=True, slots=True, repr=False)
class InstallationSecret:
    """The JWT secret of an installation; `earlier` are fingerprints of replaced ones."""

    present: str
    earlier: tuple[str, ...] = ()


class OtherSecretError(OperatorError):
    """The database belongs to another JWT_SECRET: one sentence with the remedies."""


async def check_secret(connection: Connection, secret: InstallationSecret) -> None:
    """Raise OtherSecretError where the database belongs to another secret."""
    with faults():
        if await connection.fetchval("select to_regclass('compat.installation')") is None:
            return
        found = await connection.fetchval(
            "select value from compat.installation where name = $1", _NAME
        )
    if found is not None and not _is_known(found, secret):
        message = (
            "this database goes with another JWT_SECRET than the variable or keys.env in DATA_DIR"
            " has, and with this one every key and session given out is dead: set the variable, or"
            " put back the keys.env, of before (every node has the same); or, to go on with the"
            f" new one, delete from compat.installation where name = '{_NAME}'"
        )
        raise OtherSecretError(message)


def _is_known(found: str, secret: InstallationSecret) -> bool:
    known = (fingerprint(secret.present), *secret.earlier)
    return any(hmac.compare_digest(found, each) for each in known)


async def record_secret(connection: Connection, secret: InstallationSecret) -> None:
    """Record the secret that the database belongs to."""
    await run_script(connection, _TABLE)
    with faults():
        await connection.execute(
            "insert into compat.installation (name, value) values ($1, $2) on conflict (name)"
            " do update set value = excluded.value where installation.value <> excluded.value",
            _NAME,
            fingerprint(secret.present),
        )
