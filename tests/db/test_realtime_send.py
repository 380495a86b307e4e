"""Sending from SQL, the table of messages with its daily partitions, and the two publications."""

from __future__ import annotations

import json
import uuid
from typing import Any

import asyncpg
import pytest

from tests.harness_sql import Connection, acting

ROLES = ("anon", "authenticated", "service_role")


async def messages(db: Connection) -> list[dict[str, Any]]:
    rows = await db.fetch("select * from realtime.messages order by inserted_at, event")
    return [dict(row) | {"payload": json.loads(row["payload"] or "null")} for row in rows]


async def test_send_stores_a_private_broadcast_with_an_id(services: Connection) -> None:
    await services.execute("""select realtime.send('{"a": 1}', 'news', 'room')""")
    [row] = await messages(services)
    assert (row["topic"], row["event"], row["extension"]) == ("room", "news", "broadcast")
    assert row["private"] is True
    assert row["payload"] == {"a": 1, "id": str(row["id"])}


async def test_send_keeps_the_payloads_own_id_and_may_be_public(services: Connection) -> None:
    await services.execute("""select realtime.send('{"id": "mine"}', 'news', 'room', false)""")
    [row] = await messages(services)
    assert row["payload"] == {"id": "mine"}
    assert row["private"] is False


async def test_send_binary_stores_bytes(services: Connection) -> None:
    await services.execute("select realtime.send_binary('\\x00ff', 'news', 'room')")
    [row] = await messages(services)
    assert (row["binary_payload"], row["payload"], row["private"]) == (b"\x00\xff", None, True)


async def test_send_tells_policies_the_topic(services: Connection) -> None:
    await services.execute("select realtime.send('{}', 'news', 'it''s a room')")
    assert await services.fetchval("select realtime.topic()") == "it's a room"


async def test_topic_is_null_outside_a_channel(services: Connection) -> None:
    assert await services.fetchval("select realtime.topic()") is None
    await services.execute("set local realtime.topic = ''")
    assert await services.fetchval("select realtime.topic()") is None


@pytest.mark.parametrize("function", ["send('{}'", "send_binary('\\x00'"])
async def test_a_send_that_policies_forbid_is_a_warning(
    services: Connection, function: str
) -> None:
    warnings: list[str] = []
    services.add_log_listener(lambda _connection, message: warnings.append(message.message))
    async with acting(services, "x"):
        await services.execute(f"select realtime.{function}, 'news', 'room')")
    assert await messages(services) == []
    assert len(warnings) == 1
    assert warnings[0].startswith("WarnSendingBroadcastMessage: ")


async def test_a_policy_may_allow_a_topic(services: Connection) -> None:
    await services.execute("""
        create policy write on realtime.messages for insert to authenticated
          with check (realtime.topic() = 'mine')
    """)
    warnings: list[str] = []
    services.add_log_listener(lambda _connection, message: warnings.append(message.message))
    async with acting(services, "x"):
        await services.execute("select realtime.send('{}', 'a', 'mine')")
        await services.execute("select realtime.send('{}', 'b', 'other')")
    assert [row["topic"] for row in await messages(services)] == ["mine"]
    assert len(warnings) == 1


async def test_row_changes_are_broadcast_by_a_trigger(services: Connection) -> None:
    await services.execute("""
        create table public.t (id integer primary key, v text);
        create function public.tell() returns trigger language plpgsql as $$
        begin
          perform realtime.broadcast_changes(
            'topic:' || coalesce(new.id, old.id), tg_op, tg_op, tg_table_name, tg_table_schema,
            new, old);
          return null;
        end $$;
        create trigger tell after insert or update or delete on t
          for each row execute function tell();
        insert into t values (1, 'a');
        update t set v = 'b';
        delete from t;
    """)
    found = {row["event"]: row for row in await messages(services)}
    first, second = {"id": 1, "v": "a"}, {"id": 1, "v": "b"}
    expected = {"INSERT": (first, None), "UPDATE": (second, first), "DELETE": (None, second)}
    for operation, (record, old_record) in expected.items():
        row = found[operation]
        assert (row["topic"], row["private"]) == ("topic:1", True)
        assert row["payload"] == {
            "id": str(row["id"]), "operation": operation, "table": "t", "schema": "public",
            "record": record, "old_record": old_record,
        }  # fmt: skip


@pytest.mark.parametrize(
    ("operation", "level", "text"),
    [
        ("TRUNCATE", "ROW", "Failed to process the row: Unexpected operation type: TRUNCATE"),
        (None, "ROW", "Failed to process the row: Unexpected operation type: <NULL>"),
        (
            "INSERT",
            "STATEMENT",
            (
                "Failed to process the row: "
                "function can only be triggered for each row, not for each statement"
            ),
        ),
    ],
)
async def test_broadcast_changes_refuses_what_is_no_row_change(
    services: Connection, operation: str | None, level: str, text: str
) -> None:
    with pytest.raises(asyncpg.RaiseError, match=f"^{text}$"):
        await services.execute(
            "select realtime.broadcast_changes('t', 'e', $1, 't', 's', row(1), row(1), $2)",
            operation,
            level,
        )


async def test_a_message_has_one_kind_of_payload(services: Connection) -> None:
    with pytest.raises(asyncpg.CheckViolationError) as refusal:
        await services.execute(
            "insert into realtime.messages (topic, extension, payload, binary_payload)"
            " values ('t', 'broadcast', '{}', '\\x00')"
        )
    assert refusal.value.constraint_name == "messages_payload_exclusive"


@pytest.mark.parametrize("role", ROLES[:2])
async def test_without_policies_clients_read_and_write_no_message(
    services: Connection, role: str
) -> None:
    await services.execute("select realtime.send('{}', 'news', 'room')")
    async with acting(services, "x", role):
        assert await services.fetchval("select count(*) from realtime.messages") == 0
    with pytest.raises(asyncpg.InsufficientPrivilegeError):
        async with acting(services, "x", role):
            await services.execute(
                "insert into realtime.messages (topic, extension) values ('t', 'broadcast')"
            )


@pytest.mark.parametrize("role", ROLES)
async def test_partitions_are_closed_to_clients(services: Connection, role: str) -> None:
    partition = await services.fetchval(
        "select inhrelid::regclass::text from pg_inherits"
        " where inhparent = 'realtime.messages'::regclass limit 1"
    )
    with pytest.raises(asyncpg.InsufficientPrivilegeError):
        async with acting(services, "x", role):
            await services.execute(f"select * from {partition}")


async def partitions(db: Connection) -> list[int]:
    """The days of the partitions, counted from today in UTC."""
    rows = await db.fetch(
        "select to_date(right(inhrelid::regclass::text, 10), 'YYYY_MM_DD')"
        " - (now() at time zone 'utc')::date as day from pg_inherits"
        " where inhparent = 'realtime.messages'::regclass order by 1"
    )
    return [row["day"] for row in rows]


async def drop_partitions(db: Connection) -> None:
    """Forget the database's own, which count from the day of its migration."""
    await db.execute(
        "do $$ declare day regclass; begin for day in select inhrelid from pg_inherits"
        " where inhparent = 'realtime.messages'::regclass loop"
        " execute format('drop table %s', day); end loop; end $$"
    )


async def test_a_migrated_database_has_five_days_of_partitions(services: Connection) -> None:
    days = await partitions(services)
    assert days == list(range(days[0], days[0] + 5))


async def test_partitions_reach_from_yesterday_to_three_days_ahead(services: Connection) -> None:
    await drop_partitions(services)
    for _ in range(2):
        await services.execute("select realtime.maintain_messages()")
        assert await partitions(services) == [-1, 0, 1, 2, 3]


async def test_maintenance_extends_and_forgets(services: Connection) -> None:
    await drop_partitions(services)
    for day in (5, 4, 3, 1):
        await services.execute(
            f"do $$ begin execute format('create table realtime.%I partition of realtime.messages"
            f" for values from (%L) to (%L)', to_char(timezone('utc', now()) - interval '{day} d',"
            f" '\"messages_\"YYYY_MM_DD'), (timezone('utc', now()) - interval '{day} d')::date,"
            f" (timezone('utc', now()) - interval '{day - 1} d')::date); end $$"
        )
    assert await partitions(services) == [-5, -4, -3, -1]
    await services.execute("select realtime.maintain_messages(days_ahead => 5)")
    assert await partitions(services) == [-3, -1, 0, 1, 2, 3, 4, 5]


async def test_the_services_own_role_maintains_them(services: Connection) -> None:
    await services.execute("set local session authorization supabase_realtime_admin")
    await services.execute("select realtime.maintain_messages(interval '0', 6)")
    assert await partitions(services) == [0, 1, 2, 3, 4, 5, 6]


async def test_time_stamps_are_utc_in_every_time_zone(services: Connection) -> None:
    await services.execute("set local timezone = 'Pacific/Kiritimati'")
    await services.execute("select realtime.send('{}', 'news', 'room')")
    assert await services.fetchval(
        "select inserted_at = now() at time zone 'utc' from realtime.messages"
    )


async def test_changes_have_a_publication_and_messages_another(services: Connection) -> None:
    rows = await services.fetch("select * from pg_publication order by pubname")
    changes, sent = rows
    assert [r["pubname"] for r in rows] == [
        "supabase_realtime",
        "supabase_realtime_messages_publication",
    ]
    assert all(changes[k] for k in ("pubinsert", "pubupdate", "pubdelete"))
    assert (sent["pubinsert"], sent["pubupdate"], sent["pubdelete"]) == (True, False, False)
    assert sent["pubviaroot"]
    tables = await services.fetch(
        "select pubname, schemaname, tablename from pg_publication_tables"
    )
    assert [tuple(r) for r in tables] == [(sent["pubname"], "realtime", "messages")]


async def test_the_planners_tables_are_published(db: Connection) -> None:
    tables = await db.fetch(
        "select schemaname || '.' || tablename as name from pg_publication_tables"
        " where pubname = 'supabase_realtime' order by 1"
    )
    assert [row["name"].removeprefix("public.") for row in tables] == [
        "actividades", "apetencias", "comentarios", "fechas_especiales", "ideas", "liquidaciones",
        "pagos", "profiles", "reacciones", "recuerdos",
    ]  # fmt: skip


async def test_message_ids_are_uuids(services: Connection) -> None:
    await services.execute("select realtime.send('{}', 'news', 'room')")
    assert uuid.UUID((await messages(services))[0]["payload"]["id"]).version == 4
