"""Write what the migrations make, as one SQL text and as the web app's types; tests compare them.

The text is pg_dump's, without what differs from one run or place to another; before it come the
roles, which belong to the cluster. It depends on PostgreSQL's major version, which its head names.
"""  # noqa: INP001 — a program beside the migrations, not a package

from __future__ import annotations

import asyncio
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import asyncpg

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))  # it is run as a file

from compat_base.postgres.database import connect
from compat_base.postgres.sqlfiles import SQL_FOLDER
from compat_stack.embedded import postgres
from compat_stack.migrations.apply import migrate
from compat_stack.schema_types.read import read_schemas
from compat_stack.schema_types.typescript import typescript
from compat_stack.settings import PLANNER_FOLDER

WEB_TYPES = SQL_FOLDER.parent / "web/src/lib/database.gen.ts"
SNAPSHOT = SQL_FOLDER / "schema.snapshot.sql"
_LEFT_OUT = (
    "--exclude-schema=compat",  # the runner's ledgers
    "--exclude-schema=supabase_migrations",
    "--exclude-table=realtime.messages_2*",  # partitions are named after the day of the run
    "--exclude-extension=pgcrypto",  # a machine may lack it
    "--exclude-table=planes.codigo_erroneo_*",  # 256 sequences alike
)
_HEAD = """\
-- What the migrations make together on PostgreSQL {major}. Written by `make snapshot`: do not edit.
-- Left out: the runner's ledgers, the daily partitions of realtime.messages, and the {registers}
-- sequences planes.codigo_erroneo_<n> and codigo_erroneo_en_<n>.
"""
_ROLES = r"""
select format(
  'create role %I%s%s%s%s;', rolname,
  case when rolcanlogin then ' login' else ' nologin' end,
  case when rolinherit then '' else ' noinherit' end,
  case when rolbypassrls then ' bypassrls' else '' end,
  case when rolreplication then ' replication' else '' end
) as line, 1 as part
from pg_roles where rolname ~ any ($1)
union all
select format('alter role %I set %s;', rolname, setting), 2
from pg_roles cross join unnest(rolconfig) as setting where rolname ~ any ($1)
union all
select format('grant %s to %s;', roleid::regrole, member::regrole), 3
from pg_auth_members
where roleid::regrole::text ~ any ($1) and member::regrole::text ~ any ($1)
order by part, line
"""
_OURS = [
    "^anon$",
    "^auth",
    "^compat_background$",
    "^dashboard_user$",
    "^pgbouncer$",
    "^postgres$",
    "^service_role$",
    "^supabase_",
]


def snapshot(cluster: postgres.Cluster, database: str) -> str:
    """The snapshot of a migrated database."""
    major, registers, roles = asyncio.run(_facts(cluster.url(database)))
    dump = subprocess.run(  # noqa: S603 — our own program with our own arguments
        [
            str(cluster.programs / "pg_dump"),
            "--schema-only", *_LEFT_OUT, f"--dbname={cluster.url(database)}",
        ],
        check=True, capture_output=True, text=True,
    ).stdout  # fmt: skip
    head = _HEAD.format(major=major, registers=registers)
    return f"{head}\n{roles}\n{_without_noise(dump)}"


def major_version(text: str) -> str | None:
    """The major version that a snapshot names in its head."""
    found = re.search(r"on PostgreSQL (\d+)\.", text)
    return found.group(1) if found else None


async def _facts(url: str) -> tuple[int, int, str]:
    connection = await asyncpg.connect(url)
    try:
        version = await connection.fetchval("show server_version_num")
        registers = await connection.fetchval(
            "select count(*) from pg_class where relname ~ '^codigo_erroneo_(en_)?[0-9]+$'"
        )
        roles = await connection.fetch(_ROLES, _OURS)
        return int(version) // 10_000, registers, "\n".join(row["line"] for row in roles) + "\n"
    finally:
        await connection.close()


async def web_types(url: str) -> str:
    """The web app's types, as `gen types` gives them."""
    async with connect(url) as connection:
        return typescript(await read_schemas(connection, ["public"]))


def _without_noise(dump: str) -> str:
    """The statements of a dump: no settings, no headings, one blank line between two."""
    noise = re.compile(
        r"^(SET |SELECT pg_catalog\.set_config|\\(un)?restrict |--( |$)).*\n?", re.MULTILINE
    )
    return re.sub(r"\n{3,}", "\n\n", noise.sub("", dump)).strip() + "\n"


def main() -> None:
    """Write the snapshot of a cluster made for it."""
    folder = Path(tempfile.mkdtemp(prefix="pg-"))
    cluster = postgres.embedded_cluster(folder, durable=False)
    try:
        postgres.start(cluster)
        asyncio.run(migrate(cluster.url(), PLANNER_FOLDER))
        SNAPSHOT.write_text(snapshot(cluster, "postgres"), encoding="utf-8")
        WEB_TYPES.write_text(asyncio.run(web_types(cluster.url())), encoding="utf-8")
    finally:
        postgres.stop(cluster)
        shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    main()
