"""A condition on a value is true, false, or PostgreSQL's to decide."""

from __future__ import annotations

import pytest

from realtime_compat.changes.conditions import judge
from realtime_compat.changes.filters import Condition
from realtime_compat.changes.model import Column, JsonForm, PgType, Unchanged

INT = PgType(23, "int4", "int4", JsonForm.NUMBER)

TEXT = PgType(25, "text", "text")

BOOL = PgType(16, "bool", "bool", JsonForm.BOOLEAN)

NUMERIC = PgType(1700, "numeric", "numeric", JsonForm.NUMBER)

UUID = PgType(2950, "uuid", "uuid")

STAMP = PgType(1184, "timestamptz", "timestamptz", JsonForm.TIMESTAMPTZ)


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
