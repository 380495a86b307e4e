"""What migrations say of extensions becomes what the server can take."""

from __future__ import annotations

import re

import pytest

from compat_stack.migrations.extensions import Approval, Available, Rewriter, composed_pattern

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
    return f"reset role; {text}; set role postgres"


def in_block(statement: str, one: Rewriter | None = None) -> str:
    """What becomes of the body of a `do` block."""
    whole = (one or rewriter()).rewrite(f"do $$ {statement} $$")
    return whole.rpartition("do $$ ")[2].removesuffix(" $$")


def performed(text: str) -> str:
    return f"perform pg_temp.compat_administrator({text})"


@pytest.mark.parametrize(
    ("statement", "run"),
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
        (
            "create foreign data wrapper w handler h",
            as_administrator(
                "create foreign data wrapper w handler h;"
                " grant usage on foreign data wrapper w to postgres"
            ),
        ),
        (
            "drop publication if exists powersync",
            as_administrator("drop publication if exists powersync"),
        ),
        (
            "alter publication powersync add table t",
            as_administrator("alter publication powersync add table t"),
        ),
        (
            "alter publication supabase_realtime add table t",
            "alter publication supabase_realtime add table t",
        ),
        ("alter role anon set statement_timeout = 5", "alter role anon set statement_timeout = 5"),
        ("create publication p for table t", "create publication p for table t"),
        ("select 'create extension postgis;'", "select 'create extension postgis;'"),
    ],
)
def test_a_statement_is_made_to_fit(statement: str, run: str) -> None:
    assert rewriter().rewrite(f"select 1; {statement}; select 2") == f"select 1; {run}; select 2"


def test_an_extension_that_is_nowhere_is_warned_of_in_one_line_and_left_out() -> None:
    warnings: list[str] = []
    assert rewriter(warnings).rewrite("create extension postgis; x") == "; x"
    assert len(warnings) == 1
    assert "postgis" in warnings[0]
    assert "\n" not in warnings[0]


def test_what_the_administrator_does_moves_no_line_unless_a_comment_ends_it() -> None:
    statement = "alter role authenticator set pgrst.db_max_rows = 5;\ndrop extension pgcrypto;\nx"
    assert rewriter().rewrite(statement).count("\n") == statement.count("\n")
    commented = "comment on extension pgcrypto is 'x' -- why"
    assert rewriter().rewrite(commented).endswith(" -- why;\nset role postgres")


def test_an_extension_of_ours_is_installed_once() -> None:
    one = rewriter()
    assert OURS["pg_net"] in one.rewrite("create extension pg_net")
    assert one.rewrite("create extension if not exists pg_net") == ""


@pytest.mark.parametrize(
    ("is_ours", "options"), [(True, ""), (False, " with (tokenizer='TokenBigram(\"n\", 2)')")]
)
def test_options_of_pgroongas_indexes_are_left_out_of_ours(is_ours: bool, options: str) -> None:
    available = {"pgroonga": Available(frozenset({"3.2.5"}), is_trusted=True, is_ours=is_ours)}
    one = Rewriter(available, lambda _name, _schema: None, print)
    index = "create index i on t using pgroonga (id, (coalesce(a, '')) ops)"
    statement = f"{index} with (tokenizer='TokenBigram(\"n\", 2)'); select 1"
    assert one.rewrite(statement) == f"{index}{options}; select 1"
    assert one.rewrite(f"{index} where id > 1") == f"{index} where id > 1"


@pytest.mark.parametrize("name", ["box2df_in", "_postgis_stats", "st_memsize", "text", "lockrow"])
def test_rights_on_functions_that_our_postgis_lacks_are_left_out(name: str) -> None:
    available = {"postgis": Available(frozenset({"3.3.7"}), is_trusted=True, is_ours=True)}
    one = Rewriter(available, lambda _name, _schema: None, print)
    grant = f'grant all on function "public"."{name}"("text") to "anon"'
    begun, rest = one.rewrite(f"{grant}; select 'postgis_'").split("begin ")
    assert rest.startswith(f"{grant}; exception when undefined_function or undefined_object")
    assert begun == "do $compat$"
    own = 'grant all on function "public"."textile"("text") to "anon"; select postgis_version()'
    assert one.rewrite(own) == own


def test_roles_of_the_stack_in_a_dump_of_roles_are_left_as_they_are() -> None:
    one = Rewriter(AVAILABLE, lambda _name, _schema: None, print)
    statement = (
        'CREATE ROLE "compat_background"; ALTER ROLE "compat_background" WITH LOGIN; select 1'
    )
    assert one.rewrite(statement).replace(";", "").split() == ["select", "1"]
    assert one.rewrite("create role my_compat_role") == "create role my_compat_role"


def test_one_with_a_schema_of_its_own_is_not_told_another() -> None:
    available = AVAILABLE | {
        name: Available(frozenset({"1.6"}), is_trusted=True) for name in ("pg_cron", "pgmq")
    }
    one = Rewriter(available, lambda _name, _schema: None, print)
    assert one.rewrite("create extension pg_cron with schema extensions") == (
        'create extension if not exists "pg_cron" with schema pg_catalog'
    )
    assert one.rewrite("create extension pgmq schema extensions") == (
        'create extension if not exists "pgmq"'
    )


@pytest.mark.parametrize(
    ("statement", "run"),
    [
        (
            "begin create extension pgcrypto; end",
            'begin create extension if not exists "pgcrypto"; end',
        ),
        (
            "begin if a then create extension postgis; else b := 1; end if; end",
            "begin if a then null; else b := 1; end if; end",
        ),
        (
            "declare x int; begin\n-- it's all\nif not y then\nCREATE PUBLICATION p FOR ALL TABLES; end if; end",
            "declare x int; begin\n-- it's all\nif not y then\n"
            + performed("$compat_do$CREATE PUBLICATION p FOR ALL TABLES$compat_do$")
            + "; end if; end",
        ),
        (
            "begin alter extension pgcrypto set schema extensions; end",
            "begin "
            + performed("$compat_do$alter extension pgcrypto set schema extensions$compat_do$")
            + "; end",
        ),
        (
            "begin execute format('alter database %I set \"app.x\" = %L', a, b); end",
            "begin " + performed("format('alter database %I set \"app.x\" = %L', a, b)") + "; end",
        ),
        (
            "begin execute 'create event trigger e on sql_drop execute function f()'; end",
            "begin "
            + performed("'create event trigger e on sql_drop execute function f()'")
            + "; end",
        ),
    ],
)
def test_a_statement_of_a_block_is_made_to_fit(statement: str, run: str) -> None:
    assert in_block(statement) == run


@pytest.mark.parametrize(
    "statement",
    [
        "begin raise notice 'create publication p for all tables;'; end",
        "begin create publication p for table t; end",
        "begin execute 'create publication p for table t'; end",
        "begin execute 'create event trigger $1' using e; end",
        "begin -- then create extension postgis\n x := 1; end",
    ],
)
def test_what_says_nothing_of_the_administrators_stays(statement: str) -> None:
    assert rewriter().rewrite(f"do $$ {statement} $$") == f"do $$ {statement} $$"


def test_the_function_of_webhooks_stays_ours() -> None:
    statement = (
        "create table a (); CREATE OR REPLACE FUNCTION supabase_functions.http_request()"
        " returns trigger language plpgsql as $f$ begin return new; end $f$; create table b ()"
    )
    assert rewriter().rewrite(statement) == "create table a (); ; create table b ()"


@pytest.mark.parametrize(
    "statement",
    [
        "CREATE PUBLICATION \"supabase_realtime_messages_publication\" WITH (publish = 'insert')",
        'alter publication "supabase_realtime_messages_publication" owner to postgres',
        "drop publication if exists supabase_realtime_messages_publication",
    ],
)
def test_the_publication_of_messages_stays_ours(statement: str) -> None:
    assert rewriter().rewrite(f"select 1; {statement}; select 2") == "select 1; ; select 2"


def test_what_is_called_of_the_administrator_is_collected_for_approval() -> None:
    one = rewriter()
    one.administrator, one.owner, one.approvals = "", "", []
    wanted = "drop extension pgcrypto"
    call = f"call compat.administrate($compat_do${wanted}$compat_do$)"
    assert one.rewrite(f"select 1; {wanted}") == f"select 1; {call}"
    assert in_block(f"begin {wanted}; end", one) == f"begin {call}; end"
    composed = "format('alter role %I set app.x = %L', name, value)"
    assert in_block(f"begin execute {composed}; end", one) == (
        f"begin call compat.administrate({composed}); end"
    )
    assert one.approvals == [
        Approval(wanted), Approval(wanted), Approval(composed_pattern(composed), is_pattern=True),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("expression", "statement", "is_one"),
    [
        ("format('alter role %I set a.b = %L', x, y)", "alter role anon set a.b = 'c; d'", True),
        ("format('alter role %I set a.b = %L', x, y)", 'alter role "A;" set a.b = null', True),
        ("format('alter role %I set a.b = %L', x, y)", "alter role a superuser", False),
        ("format('alter role %I set a.b = %s', x, y)", "alter role a set a.b = 1; drop t", False),
        ("format($x$alter role %1$I set a.b = '5%%'$x$, x)", "alter role a set a.b = '5%'", True),
        ("'alter role a set a.b = ' || x", "alter role a set a.b = 1", True),
        ("'alter role a set a.b = ' || x", "alter role a set a.b = 1; drop t", False),
        ("x || 'alter role a'", "alter role a", False),
    ],
)
def test_what_a_block_may_compose(expression: str, statement: str, is_one: bool) -> None:
    assert (re.search(composed_pattern(expression), statement) is not None) is is_one
