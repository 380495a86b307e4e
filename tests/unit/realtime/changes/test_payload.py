"""A change as it is sent: columns, rights, sizes, times."""

from __future__ import annotations

import json
from dataclasses import replace

from realtime_compat.changes.model import Column, JsonForm, PgType, Table, Unchanged
from realtime_compat.changes.payload import (
    NO_PRIMARY_KEY,
    TOO_LARGE,
    UNAUTHORIZED,
    data_json,
    refusal,
    resolve,
    timestamp_text,
)
from tests.unit.realtime.changes.pgoutput import change, decoded, relation, row

INT = PgType(23, "int4", "int4", JsonForm.NUMBER)

TEXT = PgType(25, "text", "text")


def table(*, has_policies: bool = False, keyed: bool = True) -> Table:
    columns = (
        Column("id", 1, INT, keyed),
        Column("name", 2, TEXT, is_key=False),
        Column("big", 3, TEXT, is_key=False),
    )
    return Table(7, "public", "t", columns, has_policies)


ALL = frozenset({"id", "name", "big"})

THREE = (("id", 23, 1), ("name", 25, 0), ("big", 25, 0))


def resolved(message: bytes, of: Table, identity: str = "d", columns=THREE):
    transaction = decoded(relation(identity=identity, columns=columns), message)
    (one,) = transaction.changes
    return resolve(one, of, replace(transaction, committed_at=1_755_777_836_123_999))


def data(message: bytes, of: Table | None = None, select=None, readable=ALL, **options):
    return json.loads(data_json(resolved(message, of or table(), **options), readable, select))


def test_an_insert_as_it_is_sent():
    assert data(change("I", b"N", row(1, "a", None))) == {
        "schema": "public",
        "table": "t",
        "type": "INSERT",
        "commit_timestamp": "2025-08-21T12:03:56.123Z",
        "columns": [
            {"name": "id", "type": "int4"},
            {"name": "name", "type": "text"},
            {"name": "big", "type": "text"},
        ],
        "record": {"id": 1, "name": "a", "big": None},
        "errors": None,
    }


def test_select_keeps_the_key():
    sent = data(change("U", b"N", row(1, "a", "b")), select=("name",))
    assert (sent["record"], sent["old_record"]) == ({"id": 1, "name": "a"}, {"id": 1})


def test_a_delete_of_a_full_identity_shows_all_only_without_policies():
    message = change("D", b"O", row(1, "a", "b"))
    assert data(message, identity="f")["old_record"] == {"id": 1, "name": "a", "big": "b"}
    assert data(message, table(has_policies=True), identity="f")["old_record"] == {"id": 1}


def test_unchanged_toast_is_taken_from_a_full_old_row():
    message = change("U", b"O", row(1, "a", "old"), b"N", row(1, "b", Unchanged.TOAST))
    assert data(message, identity="f")["record"]["big"] == "old"
    assert "big" not in data(change("U", b"N", row(1, "b", Unchanged.TOAST)))["record"]


def test_a_delete_without_readable_columns_is_empty():
    sent = data(change("D", b"K", row(1, None, None)), readable=frozenset())
    assert (sent["old_record"], sent["columns"]) == ({}, [])


def test_who_may_not_read_the_key_is_refused():
    insert, delete = change("I", b"N", row(1, "a", None)), change("D", b"K", row(1, None, None))
    assert refusal(resolved(insert, table()), frozenset({"name"})) == UNAUTHORIZED
    assert refusal(resolved(insert, table(keyed=False)), ALL) == NO_PRIMARY_KEY
    assert refusal(resolved(delete, table(keyed=False)), frozenset()) is None


def test_a_large_change_keeps_values_of_at_most_64_bytes():
    sent = data(change("I", b"N", row(1, "x" * 62, "y" * 1_100_000)))
    assert sent["errors"] == [TOO_LARGE]
    assert sent["record"] == {"id": 1, "name": "x" * 62}
    assert data(change("I", b"N", row(1, "x" * 63, "y" * 1_100_000)))["record"] == {"id": 1}


def test_a_commit_time_is_cut_to_milliseconds():
    assert timestamp_text(999) == "1970-01-01T00:00:00.000Z"
