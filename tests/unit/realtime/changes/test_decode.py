"""pgoutput, byte by byte."""

from __future__ import annotations

import contextlib
import struct

import pytest
from hypothesis import given
from hypothesis import strategies as st

from realtime_compat.changes.decode import PART, DecodeError, Decoder
from realtime_compat.changes.model import Action, Unchanged
from tests.unit.realtime.changes.pgoutput import COMMIT, begin, change, decoded, relation, row


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
