"""`db dump`: a project's schema, or its rows, as SQL that is a migration or a seed elsewhere.

As the CLI's: without what every Supabase database has (the services' schemas, extensions' schemas,
publications, event triggers), and without psql's own lines.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from compat_stack.archive.programs import Programs

_NOT_THE_PROJECTS = (
    "_*", "auth", "compat", "cron", "extensions", "graphql", "graphql_public", "information_schema",
    "net", "pg_*", "pgbouncer", "pgmq", "pgsodium", "pgtle", "dbdev", "realtime", "storage",
    "storage_compat", "supabase_functions", "supabase_migrations", "vault",
)  # fmt: skip
_NO_ROWS = ("compat", "cron", "net", "realtime", "supabase_migrations", "vault", "storage_compat")
_OF_AUTH = ("auth.schema_migrations", "storage.migrations", "supabase_functions.*")
# Lines of psql's, and statements that the project's owner may not run.
_LEFT_OUT = re.compile(r"\\(?:un)?restrict\b|ALTER DEFAULT PRIVILEGES FOR ROLE \"(?!postgres\")")
_EVENT_TRIGGERS = re.compile(r"^(?:CREATE|ALTER) EVENT TRIGGER [^;]*;\n", re.MULTILINE)
_ALREADY_THERE = re.compile(r"^CREATE SCHEMA (?=\")")
_REPLICA = "SET session_replication_role = replica;\n"


def dumped(programs: Programs, *, is_data: bool, schemas: Sequence[str]) -> Iterator[str]:
    """The lines of a dump: of the schema, or of the rows. Raises BackupError.

    `schemas` limits it; without any, it has the project's, and of rows also those of auth and
    storage.
    """
    programs.check()
    arguments = ["--quote-all-identifiers", "--no-publications", "--no-subscriptions"]
    if is_data:
        arguments += ["--data-only", "--column-inserts", "--rows-per-insert=1000"]
        left_out = [f"--exclude-schema={name}" for name in _NO_ROWS]
        left_out += [f"--exclude-table={name}" for name in _OF_AUTH]
        yield _REPLICA
    else:
        arguments += ["--schema-only", "--no-comments"]
        left_out = [f"--exclude-schema={name}" for name in _NOT_THE_PROJECTS]
    only = [f"--schema={name}" for name in schemas]
    with programs.running("pg_dump", *arguments, *(only or left_out)) as process:
        process.end_input()
        text = _EVENT_TRIGGERS.sub("", b"".join(process.pieces()).decode())
    for line in text.splitlines(keepends=True):
        if not _LEFT_OUT.match(line):
            yield _ALREADY_THERE.sub("CREATE SCHEMA IF NOT EXISTS ", line)
