"""The index of subscriptions finds whom a judge of every subscription would find."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import Any
from zlib import crc32

from hypothesis import given, settings
from hypothesis import strategies as st

from realtime_compat.changes.audience import Subscription, Views
from realtime_compat.changes.conditions import judge
from realtime_compat.changes.filters import OPERATORS, Condition
from realtime_compat.changes.index import STEP, Found, TableIndex
from realtime_compat.changes.model import Action, Column, JsonForm, PgType, Unchanged, Value
from realtime_compat.changes.row_work import DATABASE_UNITS, ROW_WORK
from tests.harness_realtime import caller

ENUM = PgType(90_000, "mood", "mood", is_enum=True)
TYPES = {
    "int": PgType(23, "int4", "int4", JsonForm.NUMBER),
    "num": PgType(1700, "numeric", "numeric", JsonForm.NUMBER),
    "txt": PgType(25, "text", "text"),
    "flag": PgType(16, "bool", "bool", JsonForm.BOOLEAN),
    "uid": PgType(2950, "uuid", "uuid"),
    "at": PgType(1184, "timestamptz", "timestamptz", JsonForm.TIMESTAMPTZ),
    "day": PgType(1082, "date", "date"),
    "mood": ENUM,
    "real": PgType(700, "float4", "float4", JsonForm.NUMBER),
}
COLUMNS = tuple(
    Column(name, number, kind, is_key=name == "int")
    for number, (name, kind) in enumerate(TYPES.items(), 1)
)
LATER = tuple(
    c if c.name != "txt" else Column("txt", 3, TYPES["int"], is_key=False) for c in COLUMNS
)
# Several spellings of one value, values that cannot be read, and neighbours.
VALUES = {
    "int": ["1", "2", "01", " 2", "x"],
    "num": ["1", "1.0", "1.5", "NaN", "2"],
    "txt": ["a", "b", "", "1", "ab"],
    "flag": ["t", "f", "true", "no"],
    "uid": ["6e9b0000-0000-4000-8000-000000000001", "6E9B0000000040008000000000000001", "no"],
    "at": ["2024-01-01 00:00:00+00", "2024-01-01T01:00:00+01", "infinity", "2025-01-01 00:00:00"],
    "day": ["2024-01-01", "2024-02-01", "infinity"],
    "mood": ["sad", "ok"],
    "real": ["1", "1.5"],
}
ANYBODY = [caller(), caller("authenticated", sub="a"), caller("authenticated", sub="b")]

names = st.sampled_from([*TYPES, "gone"])


@st.composite
def conditions(draw: st.DrawFn) -> Condition:
    name = draw(names)
    op = draw(st.sampled_from(sorted(OPERATORS)))
    some = st.sampled_from(VALUES.get(name, ["1"]))
    if op == "is":
        value = draw(st.sampled_from(["null", "true", "false", "unknown"]))
    elif op == "in":
        members = draw(st.lists(st.one_of(some, st.just("NULL")), min_size=1, max_size=3))
        value = "{" + ",".join(f'"{m}"' if m != "NULL" else m for m in members) + "}"
    elif op in {"like", "ilike"}:
        value = draw(st.sampled_from(["%", "a%", "_", "a", "%b", "\\"]))
    else:
        value = draw(some)
    return Condition(name, op, value, draw(st.booleans()))


@st.composite
def subscriptions(draw: st.DrawFn, channel: int) -> list[Subscription]:
    viewer, since = draw(st.sampled_from(ANYBODY)), draw(st.integers(0, 3))
    return [
        Subscription(
            channel,
            draw(st.integers(1, 3)),
            7,
            draw(st.sampled_from(["*", "INSERT", "UPDATE", "DELETE"])),
            tuple(draw(st.lists(conditions(), max_size=3))),
            draw(st.sampled_from([None, ("int",)])),
            viewer,
            since,
        )
        for _ in range(draw(st.integers(1, 3)))
    ]


rows = st.fixed_dictionaries(
    {},
    optional={
        name: st.one_of(st.none(), st.just(Unchanged.TOAST), st.sampled_from(values))
        for name, values in VALUES.items()
    },
)


def run(work: Any) -> Any:
    while True:
        try:
            next(work)
        except StopIteration as end:
            return end.value


def holds_in_postgres(condition: Condition, value: Value) -> bool:
    """Any answer will do for what only the database knows, if it is always the same."""
    return crc32(repr((condition, value)).encode()) % 2 == 0


def found_by(
    index: TableIndex, action: Action, row: dict[str, Value], lsn: int, columns: Sequence[Column]
) -> Found:
    run(index.settle(tuple(columns), lsn))
    return run(index.search(action, row))


def recipients_of(
    index: TableIndex,
    action: Action,
    row: dict[str, Value],
    lsn: int,
    columns: Sequence[Column] = COLUMNS,
) -> set[Any]:
    """Each channel with its entries, sorted."""
    found = found_by(index, action, row, lsn, columns)
    audiences = list(found.audiences)
    for audience, open_conditions in found.unknown:
        if all(holds_in_postgres(c, row[c.column]) for c in open_conditions):
            audiences.append(audience)
    return {
        (recipient.channel, tuple(sorted(recipient.view.entries)))
        for recipients in index.audience(audiences).by_viewer.values()
        for recipient in recipients
    }


def naive(
    subscribed: Sequence[Subscription],
    action: Action,
    row: dict[str, Value],
    lsn: int,
    columns: Sequence[Column],
) -> set[Any]:
    by_name = {column.name: column for column in columns}

    def holds(condition: Condition) -> bool:
        if condition.column not in row:
            return False
        value = row[condition.column]
        verdict = judge(condition, by_name[condition.column], value)
        return holds_in_postgres(condition, value) if verdict is None else verdict

    received: dict[tuple[Hashable, Any, Any], set[int]] = {}
    for one in subscribed:
        is_wanted = one.event in {"*", action.value} and one.since <= lsn
        if is_wanted and all(holds(condition) for condition in one.conditions):
            received.setdefault((one.channel, one.select, one.viewer), set()).add(one.entry)
    return {(channel, tuple(sorted(entries))) for (channel, _, _), entries in received.items()}


@settings(max_examples=200, deadline=None)
@given(st.data())
def test_the_index_finds_whom_the_judge_of_all_finds(data: st.DataObject):
    index, live, columns = TableIndex(Views()), dict[int, list[Subscription]](), COLUMNS
    for channel in range(data.draw(st.integers(1, 12))):
        live[channel] = data.draw(subscriptions(channel))
        for one in live[channel]:
            index.add(one)
    for _ in range(data.draw(st.integers(1, 6))):
        match data.draw(st.sampled_from(["row", "row", "leave", "rejoin", "alter"])):
            case "leave" if live:
                for one in live.pop(data.draw(st.sampled_from(sorted(live)))):
                    index.remove(one)
            case "rejoin" if live:
                channel = data.draw(st.sampled_from(sorted(live)))
                for one in live[channel]:
                    index.remove(one)
                live[channel] = data.draw(subscriptions(channel))
                for one in live[channel]:
                    index.add(one)
            case "alter":
                columns = LATER if columns is COLUMNS else COLUMNS
            case _:
                action, lsn = data.draw(st.sampled_from(Action)), data.draw(st.integers(0, 3))
                row = data.draw(rows)
                every = [one for ones in live.values() for one in ones]
                expected = naive(every, action, row, lsn, columns)
                assert recipients_of(index, action, row, lsn, columns) == expected
                roles = {one.viewer.role for one in every if one.event in {"*", action.value}}
                assert index.roles(action) == roles
                channels = {(e.channel) for e in _recipients(index.everyone(action))}
                assert channels == {
                    one.channel
                    for one in every
                    if one.event in {"*", action.value} and one.since <= lsn
                }
    assert len(index) == sum(map(len, live.values()))


def _recipients(audience: Any) -> list[Any]:
    return [recipient for recipients in audience.by_viewer.values() for recipient in recipients]


def subscription(channel: int, *conditions: Condition, entry: int = 1) -> Subscription:
    return Subscription(channel, entry, 7, "*", conditions, None, ANYBODY[0])


def test_one_of_many_distinct_values_is_found_without_testing_the_others():
    index = TableIndex(Views())
    for channel in range(2000):
        index.add(
            subscription(
                channel, Condition("flag", "eq", "f"), Condition("int", "eq", str(channel))
            )
        )
    found = found_by(index, Action.INSERT, {"int": "77", "flag": "f"}, 1, COLUMNS)
    assert [list(audience.channels()) for audience in found.audiences] == [[77]]
    assert len(list(index.search(Action.INSERT, {"int": "77", "flag": "f"}))) == 0


def test_a_channel_that_comes_leaves_the_others_places_alone():
    index = TableIndex(Views())
    same = Condition("txt", "eq", "a")
    for channel in range(3):
        index.add(subscription(channel, same))
    (before,) = found_by(index, Action.INSERT, {"txt": "a"}, 1, COLUMNS).audiences
    index.add(subscription(9, Condition("txt", "eq", "b")))
    (after,) = found_by(index, Action.INSERT, {"txt": "a"}, 1, COLUMNS).audiences
    assert after is before


def test_a_search_goes_on_with_those_who_were_there_when_the_row_came():
    index = TableIndex(Views())
    everybody = [
        subscription(channel, Condition("txt", "neq", str(channel))) for channel in range(STEP * 3)
    ]
    for one in everybody:
        index.add(one)
    run(index.settle(COLUMNS, 1))
    search = index.search(Action.INSERT, {"txt": "none of them"})
    next(search)
    index.remove(everybody[-1])
    assert len(run(search).audiences) == STEP * 3


def test_a_channel_with_far_too_many_patterns_is_cut_off_and_the_others_are_not():
    index = TableIndex(Views())
    many = ROW_WORK
    honest = [
        subscription(channel, Condition("txt", "like", f"%{channel}")) for channel in range(9)
    ]
    for one in honest:
        index.add(one)
    for number in range(many):
        index.add(subscription(1000, Condition("txt", "like", f"%x_{number}"), entry=number + 1))
    found = found_by(index, Action.INSERT, {"txt": "8"}, 1, COLUMNS)
    assert found.exceeding == {1000}
    assert [list(audience.channels()) for audience in found.audiences] == [[8]]


def test_of_equals_the_newest_are_cut_off():
    index = TableIndex(Views())
    for channel in range(ROW_WORK + 100):
        index.add(subscription(channel, Condition("txt", "like", f"%x_{channel}")))
    found = found_by(index, Action.INSERT, {"txt": "a"}, 1, COLUMNS)
    kept = set(range(ROW_WORK + 100)) - set(found.exceeding)
    assert kept == set(range(len(kept)))
    assert len(kept) >= ROW_WORK // 2


def test_what_only_postgres_can_judge_weighs_more():
    index = TableIndex(Views())
    per_row = ROW_WORK // DATABASE_UNITS
    for channel in range(2 * per_row):
        index.add(subscription(channel, Condition("txt", "match", f"x{channel}")))
    found = found_by(index, Action.INSERT, {"txt": "a"}, 1, COLUMNS)
    assert found.exceeding
    assert len(found.unknown) <= per_row + 1


def test_one_of_many_patterns_is_found_by_what_every_such_text_has():
    index = TableIndex(Views())
    for channel in range(2000):
        index.add(subscription(channel, Condition("txt", "like", f"%a{channel:05}%")))
    row: dict[str, Value] = {"txt": "say a00123 and a77"}
    found = found_by(index, Action.INSERT, row, 1, COLUMNS)
    assert [list(audience.channels()) for audience in found.audiences] == [[123]]
    assert len(list(index.search(Action.INSERT, row))) == 0


@given(
    st.text(st.sampled_from("ab%_\\é"), max_size=12), st.text(st.sampled_from("abé"), max_size=12)
)
def test_every_text_of_a_pattern_is_found_by_it(pattern: str, text: str):
    column = next(column for column in COLUMNS if column.name == "txt")
    condition, index = Condition("txt", "like", pattern), TableIndex(Views())
    index.add(subscription(1, condition))
    found = found_by(index, Action.INSERT, {"txt": text}, 1, COLUMNS)
    verdict = judge(condition, column, text)
    assert (len(found.audiences), len(found.unknown)) == (verdict is True, verdict is None)
