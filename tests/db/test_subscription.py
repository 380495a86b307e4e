"""What a subscription's trigger refuses, and how a filter compares."""

from __future__ import annotations

import json

import asyncpg
import pytest

from tests.harness_sql import Connection, acting

COLUMNS = "id integer, t text, b boolean, d date, n numeric, u uuid, j jsonb, a integer[], x bytea"


@pytest.fixture
async def things(services: Connection) -> Connection:
    await services.execute(f"""
        create table public.things ({COLUMNS}, secret text, primary key (id));
        revoke all on things from anon;
        grant select (id, t, b, d, n, u, j, a, x) on things to anon;
    """)
    return services


async def subscribe(
    db: Connection,
    *filters: tuple[str, str, str | None] | tuple[str, str, str | None, bool],
    role: str = "anon",
    action: str = "*",
    columns: list[str] | None = None,
) -> asyncpg.Record | None:
    """Insert one entry as the service does; the row as it was stored."""
    rows = [
        {"column_name": f[0], "op": f[1], "value": f[2], "negate": len(f) > 3 and f[3]}
        for f in filters
    ]
    return await db.fetchrow(
        "insert into realtime.subscription"
        " (subscription_id, entity, claims, action_filter, selected_columns, filters)"
        " select gen_random_uuid(), 'things', $1, $2, $3, coalesce(array_agg(f), '{}')"
        " from jsonb_populate_recordset(null::realtime.user_defined_filter, $4) as f"
        " returning *, claims_role::text as role_name",
        json.dumps({"role": role}),
        action,
        columns,
        json.dumps(rows),
    )


@pytest.mark.parametrize(
    ("column", "op", "value"),
    [
        ("id", "eq", "1"), ("id", "in", "{1,2}"), ("t", "in", '{a,"b c"}'), ("t", "like", "a%"),
        ("t", "ilike", "A%"), ("t", "match", "^a"), ("t", "imatch", "^A"), ("b", "is", "true"),
        ("id", "is", "null"), ("d", "gte", "2026-01-01"), ("n", "isdistinct", "1.5"),
        ("u", "neq", "00000000-0000-0000-0000-000000000000"), ("x", "eq", "\\x00"),
        ("id", "in", "{" + ",".join(map(str, range(100))) + "}"),
    ],
)  # fmt: skip
async def test_a_fitting_filter_is_taken(
    things: Connection, column: str, op: str, value: str
) -> None:
    row = await subscribe(things, (column, op, value))
    assert row is not None
    assert row["role_name"] == "anon"


@pytest.mark.parametrize(
    ("column", "op", "value", "text"),
    [
        ("nope", "eq", "1", "invalid column for filter nope"),
        ("secret", "eq", "1", "invalid column for filter secret"),
        ("id", "eq", "x", 'invalid input syntax for type integer: "x"'),
        ("id", "gt", "", 'invalid input syntax for type integer: ""'),
        ("id", "in", "{1,x}", 'invalid input syntax for type integer: "x"'),
        (
            "id",
            "in",
            "{" + ",".join(map(str, range(101))) + "}",
            "too many values for `in` filter. Maximum 100",
        ),
        ("id", "like", "1%", "operator like requires a text-compatible column type, got integer"),
        (
            "id",
            "imatch",
            "1",
            "operator imatch requires a text-compatible column type, got integer",
        ),
        (
            "t",
            "match",
            "(",
            (
                "invalid regular expression for match filter: "
                "invalid regular expression: parentheses () not balanced"
            ),
        ),
        (
            "b",
            "is",
            "x",
            "invalid value for is filter: must be null, true, false, or unknown",
        ),
        ("id", "is", "true", "is true filter requires a boolean column, got integer"),
    ],
)
async def test_a_bad_filter_is_refused_with_the_originals_sentence(
    things: Connection, column: str, op: str, value: str, text: str
) -> None:
    with pytest.raises(asyncpg.PostgresError) as refusal:
        await subscribe(things, (column, op, value))
    assert str(refusal.value) == text


async def test_only_readable_columns_can_be_selected(things: Connection) -> None:
    row = await subscribe(things, columns=["t", "id"])
    assert row is not None
    assert row["selected_columns"] == ["id", "t"]
    with pytest.raises(asyncpg.RaiseError, match=r"^invalid column for select secret$"):
        await subscribe(things, columns=["id", "secret"])


async def test_an_unknown_role_is_refused(things: Connection) -> None:
    with pytest.raises(asyncpg.UndefinedObjectError, match='role "nobody" does not exist'):
        await subscribe(things, role="nobody")


async def test_an_unknown_action_is_refused(things: Connection) -> None:
    with pytest.raises(asyncpg.CheckViolationError):
        await subscribe(things, action="TRUNCATE")


async def test_the_order_of_filters_does_not_matter(things: Connection) -> None:
    one = await subscribe(things, ("t", "eq", "a"), ("id", "gt", "1"))
    other = await subscribe(things, ("id", "gt", "1"), ("t", "eq", "a"))
    assert one is not None
    assert other is not None
    assert one["filters"] == other["filters"]


async def test_clients_read_subscriptions_and_write_none(things: Connection) -> None:
    async with acting(things, "x", "anon"):
        assert await things.fetchval("select count(*) from realtime.subscription") == 0
    with pytest.raises(asyncpg.InsufficientPrivilegeError):
        async with acting(things, "x", "anon"):
            await things.execute("delete from realtime.subscription")


@pytest.mark.parametrize(
    ("op", "type_", "value", "operand", "holds"),
    [
        ("eq", "integer", "1", "1", True), ("eq", "numeric", "1.50", "1.5", True),
        ("neq", "text", "a", "b", True), ("lt", "integer", "9", "10", True),
        ("lt", "text", "9", "10", False), ("lte", "date", "2026-01-01", "2026-01-01", True),
        ("gt", "integer", "10", "9", True), ("gte", "integer", "8", "9", False),
        ("in", "integer", "2", "{1,2}", True), ("in", "text", "b c", '{a,"b c"}', True),
        ("like", "text", "abc", "a%", True), ("ilike", "text", "ABC", "a%", True),
        ("match", "text", "abc", "^b", False), ("imatch", "text", "ABC", "^a", True),
        ("is", "boolean", "t", "true", True), ("is", "boolean", None, "unknown", True),
        ("is", "text", None, "null", True), ("is", "text", "a", "null", False),
        ("isdistinct", "integer", "1", "2", True), ("isdistinct", "integer", None, "2", True),
        ("isdistinct", "integer", None, None, False), ("eq", "uuid", "A" * 32, "a" * 32, True),
        ("eq", "timestamptz", "2026-01-01 00:00Z", "2026-01-01 01:00+01", True),
    ],
)  # fmt: skip
async def test_a_comparison_follows_the_columns_type(  # noqa: PLR0917 — a table's columns
    services: Connection, op: str, type_: str, value: str | None, operand: str | None, holds: bool
) -> None:
    sql = "select realtime.check_equality_op($1::text::realtime.equality_op, $2::text::regtype, $3, $4, $5)"
    assert await services.fetchval(sql, op, type_, value, operand, False) is holds
    assert await services.fetchval(sql, op, type_, value, operand, True) is not holds
    if op in {"eq", "neq", "lt", "lte", "gt", "gte", "in"}:
        short = sql.replace(", $5", "")
        assert await services.fetchval(short, op, type_, value, operand) is holds


@pytest.mark.parametrize(
    "op", ["eq", "neq", "lt", "lte", "gt", "gte", "in", "like", "ilike", "match", "imatch"]
)
@pytest.mark.parametrize("negate", [True, False])
async def test_null_passes_no_operator_but_is_and_isdistinct(
    services: Connection, op: str, negate: bool
) -> None:
    operand = "{a}" if op == "in" else "a"
    assert not await services.fetchval(
        "select realtime.check_equality_op($1::text::realtime.equality_op, 'text', null, $2, $3)",
        op,
        operand,
        negate,
    )


@pytest.mark.parametrize(
    ("filters", "visible"),
    [
        ("{}", True),
        ("null", True),
        ("array[('id','eq','7',false)]", True),
        ("array[('id','eq','8',false)]", False),
        ("array[('id','eq','8',true)]", True),
        ("array[('id','eq','8',null)]", False),
        ("array[('id','eq','7',false),('t','eq','a',false)]", True),
        ("array[('id','eq','7',false),('t','eq','b',false)]", False),
        ("array[('missing','eq','7',false)]", False),
        ("array[('missing','eq','7',true)]", False),
        ("array[('missing','is','null',false)]", False),
        ("array[('none','is','null',false)]", True),
        ("array[('none','eq','x',true)]", False),
    ],
)
async def test_all_filters_must_hold_on_columns_that_the_row_carries(
    services: Connection, filters: str, visible: bool
) -> None:
    text = filters if filters.startswith(("array", "null")) else f"'{filters}'"
    assert (
        await services.fetchval(f"""
            select realtime.is_visible_through_filters(
              array[
                ('id', 'int4', 23, '7', true, true), ('t', 'text', 25, '"a"', false, true),
                ('none', 'text', 25, 'null', false, true)
              ]::realtime.wal_column[],
              {text}::realtime.user_defined_filter[])
        """)
        is visible
    )
