"""Transactions framed for the workers decode to what the stream itself decodes to."""

from __future__ import annotations

import struct

import pytest

from realtime_compat.changes.decode import PART, DecodeError, Decoder
from realtime_compat.changes.model import Transaction
from realtime_compat.replication.raw import (
    PART_BYTES,
    Framer,
    RawPart,
    count_changes,
    pack_messages,
    unpack_messages,
    unpack_part,
    weight,
)

RELATION = (
    b"R" + struct.pack("!I", 7) + b"public\0t\0d" + struct.pack("!h", 1)
    + b"\1id\0" + struct.pack("!Ii", 23, -1)
)  # fmt: skip


def begin(lsn: int) -> bytes:
    return b"B" + struct.pack("!QqI", lsn, 0, 5)


def insert(value: int) -> bytes:
    text = str(value).encode()
    return b"I" + struct.pack("!I", 7) + b"N\0\1t" + struct.pack("!I", len(text)) + text


def ids(transactions: list[Transaction]) -> list[str]:
    return [str(change.new[0]) for each in transactions for change in each.changes if change.new]


def framed(framer: Framer, messages: list[bytes]) -> list[RawPart]:
    return [part for part in map(framer.feed, messages) if part is not None]


def decoded(decoder: Decoder, parts: list[RawPart]) -> list[Transaction]:
    found: list[Transaction] = []
    for part in parts:
        _, _, messages = unpack_part(part.pack())
        found += [each for each in map(decoder.feed, messages) if each is not None]
    return found


def test_what_is_framed_decodes_to_the_same():
    stream = [begin(1), RELATION, insert(1), insert(2), b"C", begin(2), insert(3), b"C"]
    parts = framed(Framer(), stream)
    assert [(part.lsn, part.offset, len(part.changes)) for part in parts] == [(1, 0, 2), (2, 0, 1)]
    direct = Decoder()
    wanted = [each for each in map(direct.feed, stream) if each is not None]
    assert list(map(repr, decoded(Decoder(), parts))) == list(map(repr, wanted))


def test_a_long_transaction_comes_in_parts_of_one_commit():
    count = 2 * PART + 3
    stream = [begin(9), RELATION, *map(insert, range(count)), b"C"]
    parts = framed(Framer(), stream)
    assert [(part.lsn, part.offset) for part in parts] == [(9, 0), (9, PART), (9, 2 * PART)]
    found = decoded(Decoder(), parts)
    assert ids(found) == [str(number) for number in range(count)]
    assert {each.lsn for each in found} == {9}


def test_a_transaction_that_was_cut_goes_on_where_it_was():
    count = PART + 10
    stream = [begin(9), RELATION, *map(insert, range(count)), b"C"]
    first = Framer()
    handed = framed(first, stream[: PART + 5])
    again = framed(Framer(first.handed), stream)
    decoder = Decoder()
    assert ids(decoded(decoder, [*handed, *again])) == [str(number) for number in range(count)]


def test_an_empty_transaction_is_not_handed_on():
    assert framed(Framer(), [begin(1), b"C"]) == []


@pytest.mark.parametrize("data", [b"", b"\0" * 11, b"\0" * 12 + b"\0\0\0\5ab"])
def test_a_broken_part_is_refused(data: bytes):
    with pytest.raises(DecodeError):
        unpack_part(data)


def test_messages_come_out_as_they_went_in():
    messages = (b"a", b"", b"x" * 300)
    assert unpack_messages(pack_messages(messages)) == list(messages)


def test_changes_are_counted_and_nothing_else():
    assert count_changes([begin(1), RELATION, insert(1), insert(2), b"C"]) == 2


def test_a_large_transaction_comes_in_parts_of_a_bounded_size():
    large = insert(1) + b"x" * (PART_BYTES // 2)
    parts = framed(Framer(), [begin(4), RELATION, large, large, large, b"C"])
    assert [(part.offset, len(part.changes)) for part in parts] == [(0, 2), (2, 1)]


@pytest.mark.parametrize(("changes", "size", "counted"), [(7, 0, 7), (1, 80_000, 100), (0, 0, 0)])
def test_large_changes_count_as_several(changes: int, size: int, counted: int):
    assert weight(changes, size) == counted
