"""What migrations say of extensions becomes what the server can take."""

from __future__ import annotations

import pytest

from compat_stack.migrations.extensions import Available, Rewriter

AVAILABLE = {
    "pgcrypto": Available(frozenset({"1.3", "1.4"}), is_trusted=True),
    "uuid-ossp": Available(frozenset({"1.1"}), is_trusted=True),
    "file_fdw": Available(frozenset({"1.0"}), is_trusted=False),
}
OURS = {"pg_net": "create table net.queue ()"}


def rewriter(warnings: list[str] | None = None) -> Rewriter:
    return Rewriter(
        AVAILABLE,
        lambda name, _schema: OURS.get(name),
        ([] if warnings is None else warnings).append,
        administrator="reset role",
        owner="set role postgres",
    )


def as_administrator(text: str) -> str:
    return f"reset role; {text};\nset role postgres"


@pytest.mark.parametrize(
    ("said", "run"),
    [
        ("select 1", "select 1"),
        ("create extension pgcrypto", 'create extension if not exists "pgcrypto"'),
        (
            'CREATE EXTENSION IF NOT EXISTS "uuid-ossp" WITH SCHEMA "extensions"',
            'create extension if not exists "uuid-ossp" with schema "extensions"',
        ),
        (
            "create extension pgcrypto with schema extensions version '1.3' cascade",
            "create extension if not exists \"pgcrypto\" with schema extensions version '1.3' cascade",
        ),
        (
            "create extension if not exists pgcrypto schema extensions version '9.9'",
            'create extension if not exists "pgcrypto" with schema extensions',
        ),
        (
            "create extension file_fdw",
            as_administrator('create extension if not exists "file_fdw"'),
        ),
        ("alter extension pgcrypto update to '9.9'", ""),
        ("alter extension postgis update", ""),
        ("comment on extension postgis is 'maps; and more'", ""),
        (
            "comment on extension pgcrypto is 'x'",
            as_administrator("comment on extension pgcrypto is 'x'"),
        ),
        (
            "drop extension if exists pgcrypto",
            as_administrator("drop extension if exists pgcrypto"),
        ),
        (
            "create event trigger e on ddl_command_end execute function f()",
            as_administrator("create event trigger e on ddl_command_end execute function f()"),
        ),
        (
            "alter role authenticator set pgrst.db_max_rows = 5",
            as_administrator("alter role authenticator set pgrst.db_max_rows = 5"),
        ),
        (
            "alter database postgres set \"app.settings.secret\" to 'x'",
            as_administrator("alter database postgres set \"app.settings.secret\" to 'x'"),
        ),
        ("alter role anon set statement_timeout = 5", "alter role anon set statement_timeout = 5"),
        ("create publication p for table t", "create publication p for table t"),
        (
            "do $$ begin create extension postgis; end $$",
            "do $$ begin create extension postgis; end $$",
        ),
        ("select 'create extension postgis;'", "select 'create extension postgis;'"),
    ],
)
def test_a_statement_is_made_to_fit(said: str, run: str) -> None:
    assert rewriter().rewrite(f"select 1; {said}; select 2") == f"select 1; {run}; select 2"


def test_an_extension_that_is_nowhere_is_warned_of_in_one_line_and_left_out() -> None:
    warnings: list[str] = []
    assert rewriter(warnings).rewrite("create extension postgis; x") == "; x"
    assert len(warnings) == 1
    assert "postgis" in warnings[0]
    assert "\n" not in warnings[0]


def test_an_extension_of_ours_is_installed_once() -> None:
    one = rewriter()
    assert OURS["pg_net"] in one.rewrite("create extension pg_net")
    assert one.rewrite("create extension if not exists pg_net") == ""
