"""Changes as values: pgoutput bytes, JSON of values, filters, conditions, entries, payloads."""

from __future__ import annotations

import contextlib
import json
import re
import struct
from collections.abc import Iterable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from realtime_compat.changes.audience import Subscription
from realtime_compat.changes.conditions import judge
from realtime_compat.changes.decode import PART, DecodeError, Decoder
from realtime_compat.changes.entries import EntryError, read_entry
from realtime_compat.changes.filters import Condition, FilterError, parse_filter
from realtime_compat.changes.model import Action, Column, PgType, Shape, Table, Unchanged
from realtime_compat.changes.payload import (
    NO_PRIMARY_KEY,
    TOO_LARGE,
    UNAUTHORIZED,
    data_json,
    refusal,
    resolve,
    timestamp_text,
)
from realtime_compat.changes.subscribers import Subscribers
from realtime_compat.changes.values import array_members, to_json
from tests.harness_realtime import caller
from tests.unit.realtime.test_realtime_index import hears

INT = PgType(23, "int4", "int4", Shape.NUMBER)
TEXT = PgType(25, "text", "text")
BOOL = PgType(16, "bool", "bool", Shape.BOOLEAN)
NUMERIC = PgType(1700, "numeric", "numeric", Shape.NUMBER)
UUID = PgType(2950, "uuid", "uuid")
STAMP = PgType(1184, "timestamptz", "timestamptz", Shape.TIMESTAMPTZ)


# pgoutput, byte by byte


def relation(
    oid: int = 7,
    identity: str = "d",
    columns: Iterable[tuple[str, int, int]] = (("id", 23, 1), ("name", 25, 0)),
) -> bytes:
    listed = list(columns)
    body = (
        b"R"
        + struct.pack("!I", oid)
        + b"public\0t\0"
        + identity.encode()
        + struct.pack("!h", len(listed))
    )
    for name, type_oid, flags in listed:
        body += bytes([flags]) + name.encode() + b"\0" + struct.pack("!Ii", type_oid, -1)
    return body


def begin(lsn: int = 100, micros: int = 1_500_000) -> bytes:
    return b"B" + struct.pack("!QqI", lsn, micros, 9)


COMMIT = b"C" + bytes(25)


def row(*values: object) -> bytes:
    body = struct.pack("!h", len(values))
    for value in values:
        if value is None:
            body += b"n"
        elif value is Unchanged.TOAST:
            body += b"u"
        else:
            text = str(value).encode()
            body += b"t" + struct.pack("!I", len(text)) + text
    return body


def change(kind: str, *parts: bytes) -> bytes:
    return kind.encode() + struct.pack("!I", 7) + b"".join(parts)


def decoded(*messages: bytes):
    decoder = Decoder()
    found = [decoder.feed(message) for message in (begin(), *messages, COMMIT)]
    assert all(one is None for one in found[:-1])
    assert found[-1] is not None
    return found[-1]


def test_an_insert():
    transaction = decoded(relation(), change("I", b"N", row(1, "é")))
    assert (transaction.lsn, transaction.committed_at) == (100, 946_684_801_500_000)
    (one,) = transaction.changes
    assert (one.action, one.new, one.old) == (Action.INSERT, ("1", "é"), None)
    assert (one.relation.schema, one.relation.name) == ("public", "t")


def test_an_update_with_and_without_old_parts():
    transaction = decoded(
        relation(),
        change("U", b"N", row(1, Unchanged.TOAST)),
        change("U", b"K", row(1, None), b"N", row(2, "b")),
        change("U", b"O", row(1, "a"), b"N", row(1, "b")),
    )
    plain, moved, full = transaction.changes
    assert (plain.old, plain.new) == (None, ("1", Unchanged.TOAST))
    assert (moved.old, moved.old_is_full) == (("1", None), False)
    assert (full.old, full.old_is_full) == (("1", "a"), True)


def test_a_delete_and_an_ignored_truncate():
    (one,) = decoded(relation(), b"T" + bytes(9), change("D", b"K", row(1, None))).changes
    assert (one.action, one.old, one.new) == (Action.DELETE, ("1", None), None)


def test_a_transaction_without_changes_is_none():
    decoder = Decoder()
    assert [decoder.feed(begin()), decoder.feed(COMMIT)] == [None, None]


def test_a_long_transaction_comes_in_parts():
    decoder = Decoder()
    decoder.feed(begin())
    decoder.feed(relation())
    found = [decoder.feed(change("I", b"N", row(n, ""))) for n in range(PART + 1)]
    part = found[PART - 1]
    assert part is not None
    assert len(part.changes) == PART
    rest = decoder.feed(COMMIT)
    assert rest is not None
    assert (rest.lsn, len(rest.changes)) == (100, 1)


def test_a_relation_announced_again_is_another():
    first, second = decoded(
        relation(), change("I", b"N", row(1, "")), relation(), change("I", b"N", row(1, ""))
    ).changes
    assert first.relation is not second.relation


@pytest.mark.parametrize(
    "message",
    [
        b"",
        b"I\0",
        change("I", b"X", row(1)),
        b"I" + struct.pack("!I", 99) + b"N" + row(1),
        change("I", b"N", b"\0\1t\0\0\0\x09a"),
        change("I", b"N", b"\0\1z"),
    ],
)
def test_broken_bytes_are_an_error_of_the_decoder(message: bytes):
    decoder = Decoder()
    decoder.feed(begin())
    decoder.feed(relation())
    with pytest.raises(DecodeError):
        decoder.feed(message)


@given(st.binary(max_size=60))
def test_any_bytes_end_in_a_value_or_that_error(message: bytes):
    decoder = Decoder()
    decoder.feed(relation())
    with contextlib.suppress(DecodeError):
        decoder.feed(message)


@given(st.lists(st.one_of(st.none(), st.just(Unchanged.TOAST), st.text()), max_size=5))
def test_rows_come_back_as_they_were(values: list[object]):
    columns = [(f"c{number}", 25, 0) for number in range(len(values))]
    (one,) = decoded(relation(columns=columns), change("I", b"N", row(*values))).changes
    assert one.new == tuple(values)


# Values


@given(st.one_of(st.integers(), st.decimals(allow_nan=False, allow_infinity=False)))
def test_numbers_keep_their_value_as_json(number: object):
    text = to_json(str(number), NUMERIC)
    assert re.fullmatch(r"-?(0|[1-9]\d*)(\.\d+)?", text)
    assert type(number)(text) == number


@given(st.lists(st.one_of(st.none(), st.text()), max_size=5))
def test_arrays_of_texts_come_out_as_they_went_in(values: list[str | None]):
    quoted = [
        "NULL" if v is None else '"' + v.replace("\\", "\\\\").replace('"', '\\"') + '"'
        for v in values
    ]
    array = PgType(1009, "_text", "_text", Shape.ARRAY, TEXT)
    assert json.loads(to_json("{" + ",".join(quoted) + "}", array)) == values


@given(st.lists(st.one_of(st.none(), st.text(min_size=1)), min_size=2, max_size=4))
def test_composites_come_out_as_they_went_in(values: list[str | None]):
    quoted = [
        "" if v is None else '"' + v.replace("\\", "\\\\").replace('"', '""') + '"' for v in values
    ]
    fields = tuple((f"f{n}", TEXT) for n in range(len(values)))
    pair = PgType(1, "pair", "pair", Shape.COMPOSITE, fields=fields)
    shown = json.loads(to_json("(" + ",".join(quoted) + ")", pair))
    assert list(shown.values()) == values


@given(st.text(), st.sampled_from(list(Shape)))
def test_no_text_breaks_a_conversion(text: str, shape: Shape):
    shown = to_json(text, PgType(1, "x", "x", shape, TEXT, fields=(("a", TEXT),)))
    if shape not in {Shape.JSON, Shape.ARRAY}:  # what PostgreSQL prints for these is well formed
        json.loads(shown)


@pytest.mark.parametrize(
    ("text", "members"),
    [
        ("{a,b}", ["a", "b"]),
        ('{"a,b", c }', ["a,b", "c"]),
        ("{NULL}", [None]),
        ("{}", None),
        ("a", None),
        ("{{a}}", None),
        ("{a,}", None),
    ],
)
def test_array_members(text: str, members: list[str | None] | None):
    assert array_members(text) == members


# Filters


@pytest.mark.parametrize(
    ("text", "conditions"),
    [
        ("", []),
        ("  ", []),
        ("id=eq.5", [("id", "eq", "5", False)]),
        ("id=not.eq.5", [("id", "eq", "5", True)]),
        ('name=eq."a,b",id=gt.0', [("name", "eq", "a,b", False), ("id", "gt", "0", False)]),
        ("a=eq.x),b=eq.y", [("a", "eq", "x)", False), ("b", "eq", "y", False)]),
        ('d=eq.5" tall,id=gt.0', [("d", "eq", '5" tall', False), ("id", "gt", "0", False)]),
        ('p=eq."C:\\\\t"', [("p", "eq", "C:\\t", False)]),
        ('p=eq."open', [("p", "eq", '"open', False)]),
        ('p=eq."a"b', [("p", "eq", '"a"b', False)]),
        ('id=in.(1,"a,b",c)', [("id", "in", '{1,"a,b",c}', False)]),
        ("a=eq.b=c.d", [("a", "eq", "b=c.d", False)]),
        (" a=eq.x , b=eq.y ", [("a", "eq", "x", False), ("b", "eq", "y", False)]),
    ],
)
def test_the_filter_grammar(text: str, conditions: list[tuple[str, str, str, bool]]):
    assert parse_filter(text) == tuple(Condition(*one) for one in conditions)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("undefined", '["undefined"]'),
        ("wrong", '["wrong"]'),
        ("subject=foo.hey", '["foo", "hey"]'),
        ('a"\\\t\r\n#{b}', r'["a\"\\\t\r\n\#{b}"]'),
        ("a=eq.1,,b=eq.2", "filter must not contain empty segments (check for extra commas)"),
        (",a=eq.1", "filter must not contain empty segments (check for extra commas)"),
        ("id=in.1,2", "`in` filter value must be wrapped by parentheses"),
    ],
)
def test_filter_errors(text: str, message: str):
    with pytest.raises(FilterError) as caught:
        parse_filter(text)
    assert str(caught.value) == f"Error parsing `filter` params: {message}"


@given(st.text(alphabet='a.=,()"\\not eqin{}'))
def test_any_text_is_a_filter_or_an_error(text: str):
    with contextlib.suppress(FilterError):
        parse_filter(text)


# Conditions


def column(kind: PgType = TEXT, *, is_plain: bool = True) -> Column:
    return Column("c", 1, kind, is_key=False, is_plain=is_plain)


@pytest.mark.parametrize(
    ("op", "wanted", "kind", "value", "verdict"),
    [
        ("eq", "1.10", NUMERIC, "1.1", True),
        ("eq", "5", INT, "5", True),
        ("gt", "9", INT, "10", True),
        ("lt", "9", INT, "10", False),
        ("eq", "NaN", NUMERIC, "1", None),
        ("eq", "a", TEXT, "a", True),
        ("gt", "a", TEXT, "b", None),
        ("ilike", "a", TEXT, "A", None),
        ("match", "a", TEXT, "a", None),
        ("like", "a%c", TEXT, "abc", True),
        ("like", "a_c", TEXT, "a\nc", True),
        ("like", "a\\%c", TEXT, "a%c", True),
        ("like", "a\\", TEXT, "a", None),
        ("like", "%a%a%a%a%a%", TEXT, "a", False),
        ("like", "%a%a%a%a%a%", TEXT, "banananana", True),
        ("like", "a%", TEXT, "ba", False),
        ("like", "%a_%b", TEXT, "xaxxb", True),
        ("like", "ab%b", TEXT, "ab", False),
        ("like", "%", TEXT, "", True),
        ("like", "", TEXT, "a", False),
        ("like", "_" * 65, TEXT, "a" * 65, None),
        ("like", "%_a%", TEXT, "a" * 20_000, None),
        ("eq", "yes", BOOL, "t", True),
        (
            "eq",
            "{11111111-1111-4111-8111-111111111111}",
            UUID,
            "11111111-1111-4111-8111-111111111111",
            True,
        ),
        ("lt", "2024-02-03T00:00:00Z", STAMP, "2024-02-02 23:59:59.5+00", True),
        ("eq", "now", STAMP, "2024-02-02 23:59:59+00", None),
        ("gt", "2024-01-01T00:00:00Z", STAMP, "infinity", None),
        ("in", "{1,2}", INT, "2", True),
        ("in", "{1,NULL}", INT, "2", None),
        ("in", '{"a b",c}', TEXT, "a b", True),
        ("is", "true", BOOL, "t", True),
        ("is", "false", BOOL, "t", False),
        ("is", "null", TEXT, "x", False),
        ("isdistinct", "a", TEXT, "b", True),
    ],
)
def test_a_condition_is_true_false_or_for_postgresql_to_say(op, wanted, kind, value, verdict):
    assert judge(Condition("c", op, wanted), column(kind), value) is verdict
    negated = None if verdict is None else not verdict
    assert judge(Condition("c", op, wanted, negate=True), column(kind), value) is negated


@pytest.mark.parametrize("op", ["eq", "neq", "lt", "in", "like", "match"])
@pytest.mark.parametrize("negate", [False, True])
@pytest.mark.parametrize("value", [None, Unchanged.TOAST])
def test_a_value_that_is_not_there_passes_no_condition(op, negate, value):
    assert judge(Condition("c", op, "{1}", negate=negate), column(), value) is False


def test_null_is_seen_by_is_and_isdistinct():
    assert judge(Condition("c", "is", "null"), column(), None) is True
    assert judge(Condition("c", "is", "unknown"), column(BOOL), None) is True
    assert judge(Condition("c", "isdistinct", "a"), column(), None) is True
    assert judge(Condition("c", "isdistinct", "a", negate=True), column(), None) is False


def test_a_collation_of_its_own_is_asked_about():
    assert judge(Condition("c", "eq", "a"), column(is_plain=False), "A") is None


# Entries and subscribers


def test_entries_are_understood():
    assert read_entry(1, {"event": "insert", "table": "t"}).schema == "public"
    wanted = read_entry(1, {"event": "odd", "schema": "s"})
    assert (wanted.event, wanted.table, wanted.select) == ("*", "*", None)
    assert read_entry(1, {"schema": "s", "table": "t", "select": ["a", 5]}).select == ("a",)
    assert read_entry(1, {"schema": "s", "table": "t", "select": []}).select is None


def test_an_entry_without_place_shows_itself_as_the_original_does():
    with pytest.raises(EntryError) as caught:
        read_entry(1, {"event": "*", "n": 5, "x": None, "l": ["a"], "b": True})
    assert str(caught.value).endswith(
        'to: %{"b" => true, "event" => "*", "l" => ["a"], "n" => 5, "x" => nil}'
    )


def test_subscribers_are_found_replaced_and_removed():
    index = Subscribers()

    def subscription(channel: int, table: int, event: str = "*", since: int = 0) -> Subscription:
        return Subscription(channel, 1, table, event, (), None, caller(), since)

    def heard(action: Action, lsn: int) -> set[object]:
        table = index.table(7)
        return set() if table is None else hears(table, action, {}, lsn)

    one, two = subscription(1, 7), subscription(2, 7, "INSERT", since=50)
    index.put(1, [one])
    index.put(2, [two])
    assert heard(Action.INSERT, 50) == {(1, (1,)), (2, (1,))}
    assert heard(Action.INSERT, 49) == {(1, (1,))}
    assert heard(Action.DELETE, 99) == {(1, (1,))}
    index.put(1, [subscription(1, 8)])
    assert heard(Action.INSERT, 99) == {(2, (1,))}
    index.remove(2)
    assert index.table(7) is None
    assert index.channels() == (1,)


# The message


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
    (one,) = decoded(relation(identity=identity, columns=columns), message).changes
    return resolve(one, of, 1_755_777_836_123_999)


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
