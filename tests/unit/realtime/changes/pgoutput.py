"""Messages of pgoutput, written byte by byte, and what the decoder makes of them."""

from __future__ import annotations

import struct
from collections.abc import Iterable

from realtime_compat.changes.decode import Decoder
from realtime_compat.changes.model import Unchanged


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
