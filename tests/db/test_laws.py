"""The laws of sql/README.md, read from the catalog of a migrated database."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from compat_base.postgres.sqlfiles import SQL_FOLDER
from tests.harness_sql import Connection

FILES = sorted(SQL_FOLDER.glob("*/*.sql"))
OURS = "('public', 'planes', 'realtime')"


async def offenders(db: Connection, sql: str) -> list[str]:
    return [row[0] for row in await db.fetch(sql)]


async def test_every_foreign_key_has_an_index(db: Connection) -> None:
    assert not await offenders(
        db,
        f"""
        select conname::text from pg_constraint c
        where contype = 'f' and connamespace::regnamespace::text in {OURS}
          and not exists (
            select from pg_index i
            where i.indrelid = c.conrelid and i.indpred is null
              and (i.indkey::smallint[])[0:cardinality(c.conkey) - 1] = c.conkey
          )
        """,
    )


async def test_every_foreign_key_says_what_a_delete_does(db: Connection) -> None:
    assert not await offenders(
        db,
        f"""
        select conname::text from pg_constraint
        where contype = 'f' and connamespace::regnamespace::text in {OURS}
          and confdeltype not in ('c', 'n')
        """,
    )


async def test_constraints_are_named_after_table_and_subject(db: Connection) -> None:
    assert not await offenders(
        db,
        """
        select conname::text from pg_constraint
        where connamespace = 'public'::regnamespace and contype <> 'n'
          and conname !~ (
            '^' || (select relname from pg_class where oid = conrelid)
            || '_([a-z_]+_)?(pkey|key|fkey|check)$'
          )
        """,
    )


async def test_every_exposed_table_has_row_level_security(db: Connection) -> None:
    assert not await offenders(
        db,
        """
        select oid::regclass::text from pg_class
        where relkind in ('r', 'p') and relnamespace = 'public'::regnamespace
          and not relrowsecurity
        """,
    )


async def test_definer_functions_pin_an_empty_search_path(db: Connection) -> None:
    assert not await offenders(
        db,
        """
        select oid::regprocedure::text from pg_proc
        where prosecdef and pronamespace::regnamespace::text
            in ('public', 'planes', 'realtime', 'auth', 'extensions')
          and not coalesce('search_path=""' = any (proconfig), false)
        """,
    )


async def test_every_function_of_the_planner_pins_its_search_path(db: Connection) -> None:
    assert not await offenders(
        db,
        """
        select oid::regprocedure::text from pg_proc
        where pronamespace in ('public'::regnamespace, 'planes'::regnamespace)
          and not coalesce('search_path=""' = any (proconfig), false)
        """,
    )


async def test_every_exposed_object_has_a_comment(db: Connection) -> None:
    assert not await offenders(
        db,
        """
        select oid::regclass::text from pg_class
        where relkind in ('r', 'p', 'v') and relnamespace = 'public'::regnamespace
          and obj_description(oid, 'pg_class') is null
        union all
        select oid::regprocedure::text from pg_proc
        where pronamespace = 'public'::regnamespace and obj_description(oid, 'pg_proc') is null
        """,
    )


async def test_what_the_signed_out_may_call_is_a_short_list(db: Connection) -> None:
    assert await offenders(
        db,
        """
        select oid::regprocedure::text from pg_proc
        where pronamespace in ('public'::regnamespace, 'planes'::regnamespace)
          and has_function_privilege('anon', oid, 'execute')
        order by 1
        """,
    ) == ["baja_correo(text)", "calendario(text)"]  # fmt: skip


async def test_the_signed_out_have_no_right_to_any_table(db: Connection) -> None:
    assert not await offenders(
        db,
        """
        select distinct c.oid::regclass::text from pg_class c
        cross join unnest(array['select', 'insert', 'update', 'delete', 'truncate']) as p
        where relkind in ('r', 'p', 'v') and relnamespace = 'public'::regnamespace
          and has_table_privilege('anon', c.oid, p)
        """,
    )


async def test_writing_is_granted_by_column(db: Connection) -> None:
    assert not await offenders(
        db,
        """
        select c.oid::regclass || ' ' || p from pg_class c
        cross join unnest(array['insert', 'update', 'truncate', 'trigger', 'references']) as p
        where relkind in ('r', 'p', 'v') and relnamespace = 'public'::regnamespace
          and has_table_privilege('authenticated', c.oid, p)
        """,
    )


@pytest.mark.parametrize("path", FILES, ids=lambda path: f"{path.parent.name}/{path.name}")
def test_files_are_lower_case_short_and_say_why(path: Path) -> None:
    text = path.read_text()
    assert text.startswith("-- ")
    assert len(text.splitlines()) <= 180
    code = re.sub(r"--.*|'([^']|'')*'|\"[^\"]*\"", "", text)
    assert not re.search(r"\b[A-Z]{2,}\b", code)


@pytest.mark.parametrize("path", FILES, ids=lambda path: f"{path.parent.name}/{path.name}")
def test_functions_state_their_volatility(path: Path) -> None:
    text = path.read_text()
    heads = re.findall(r"create (?:or replace )?function.*?as \$", text, re.DOTALL)
    assert all(re.search(r"\b(volatile|stable|immutable)\b", h) for h in heads), heads


# The last file of each service's set that a superuser may have applied with rows of its own
WROTE_ROWS = {"auth": 12, "realtime": 18, "storage": 15}


def test_later_files_of_services_write_no_rows() -> None:
    """A superuser applies them: triggers and checks of the project's owner would run as that one."""
    bodies = re.compile(
        r"create (?:or replace )?(?:function|procedure)\b.*?(\$\w*\$).*?\1", re.DOTALL
    )
    written = re.compile(
        r"(?:insert into|update|delete from|merge into|truncate|copy)\s+(?!compat\.)\w+\.\w+"
    )
    writers = {
        (path.parent.name, int(path.name[:4]))
        for path in FILES
        if written.search(bodies.sub("", re.sub(r"--[^\n]*", "", path.read_text())))
    }
    later = {(name, number) for name, number in writers if number > WROTE_ROWS.get(name, 10**15)}
    assert writers - later != set()
    assert later == set()


async def test_0_3_what_belongs_to_a_plan_is_seen_by_who_sees_the_plan(db: Connection) -> None:
    """Photos have a policy of their own (C14), and what one has read is one's own (C4)."""
    assert await offenders(
        db,
        """
        select c.relname || ' ' || count(*) || ' ' || coalesce(bool_and(
          pg_get_expr(p.polqual, p.polrelid)
            like format('%%FROM actividades a%%WHERE (a.id = %s.actividad_id)%%', c.relname)
        ), false)
        from pg_constraint f
        join pg_class c on c.oid = f.conrelid and c.relnamespace = 'public'::regnamespace
        left join pg_policy p on p.polrelid = c.oid
        where f.contype = 'f' and f.confrelid = 'public.actividades'::regclass
          and f.confdeltype = 'c'
        group by c.relname order by 1
        """,
    ) == [
        "comentarios 1 true", "historial 1 true", "lecturas 1 true", "pagos 1 true",
        "reacciones 1 true", "recuerdos 1 false",
    ]  # fmt: skip


async def test_0_3_functions_write_what_is_not_the_specifications(db: Connection) -> None:
    assert await offenders(
        db,
        """
        select c.relname::text from pg_class c
        where relkind in ('r', 'p') and relnamespace = 'public'::regnamespace
          and (
            has_any_column_privilege('authenticated', c.oid, 'insert, update')
            or has_table_privilege('authenticated', c.oid, 'delete, truncate')
          )
        order by 1
        """,
    ) == ["actividades", "profiles"]
