"""Abuse of the REST service: the largest bodies that are allowed."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from urllib.parse import quote

from bench.abuse import (
    Attack,
    Target,
    attacked,
    print_honest,
    processor_seconds,
    run_in_threads,
)
from bench.figures import Figure, keep

LARGEST = 10_485_760
_CALLERS = 8
_TIMES = 5
_CSV, _JSON, _FORM = "text/csv", "application/json", "application/x-www-form-urlencoded"
_ROW = {"a": "a short text", "b": "1234567", "c": "something somewhat longer"}


def measure_parsing(target: Target) -> None:
    """Processor seconds for a MB of bodies that are refused at their end: the least of a few.

    Neighbours on the machine only ever add to them.
    """
    for name, kind, body in _costly_bodies(4_000_000):
        status, taken = 0, list[float]()
        for _ in range(_TIMES):
            before = processor_seconds(target.process)
            status = target.send("POST", "/rest/v1/abuse", body, kind)
            taken.append(processor_seconds(target.process) - before)
        spent = min(taken) / len(body) * 1e6
        print(f"{name:28} {spent:6.3f} s of processor a MB  (target 0.05)  {status}")
        keep(Figure(f"parsing: {name}", spent * 1000, "ms a MB", 50))


def _costly_bodies(size: int) -> Iterator[tuple[str, str, bytes]]:
    """Bodies of about a size, whose last bytes refuse them: by name, with their content type."""
    yield "CSV", _CSV, _csv(size) + b"1,2\n"
    for name, head, row in (
        ("CSV of single digits", b"a,b,c\n", b"1,2,3\n"),
        ("CSV of nothing", b"a,b\n", b",\n"),
        ("CSV of quotes", b"a,b\n", b'"\n,\n",""\n'),
        ("CSV of doubled quotes", b"a,b\n", b'"""""""""",2\n'),
        ("CSV of controls", b"a,b\n", b"\1\2,\3\n"),
        ("CSV of 2,000 columns", b"a,b\n", b"," * 2_000 + b"\n"),
        ("CSV of uneven rows", b"a,b\n", b"1,2,3\n1,2\n"),
        ("CSV under a long header", b",".join([b"a"] * 100_000) + b"\n", b"," * 99_999 + b"\n"),
    ):
        yield name, _CSV, head + row * (size // len(row)) + b"1\n"
    yield "JSON", _JSON, _json(size)[:-1] + b',{"a":1}]'
    for name, entry in (
        ("JSON of {}", b"{}"),
        ("JSON of []", b"[]"),
        ("JSON of short rows", b'{"":0}'),
        ("JSON of nested arrays", b'{"a":' + b"[" * 400 + b"]" * 400 + b"}"),
        ("JSON of long rows", b'{"a":[' + b"{},[]," * 9_000 + b"0]}"),
        ("JSON of brackets in strings", b'{"a":"},{[\\""}'),
        ("JSON of escapes", b'{"a":"' + b"\\u0041" * 20 + b'"}'),
        ("JSON of long numbers", b'{"a":' + b"9" * 40_000 + b"}"),
        ("JSON of 9,000 keys", b"{%b}" % b",".join(b'"%d":0' % key for key in range(9_000))),
    ):
        yield name, _JSON, b"[" + (entry + b",") * (size // (len(entry) + 1)) + b'{"b":1}]'
    keys = b",".join(b'"%06x":0' % key for key in range(size // 11))
    yield "JSON of different keys", _JSON, b"{%b}" % keys
    for name, value in (
        ("form", quote("á é", safe="").encode()),
        ("form of %", b"%"),
        ("form of %x", b"%x"),
        ("form of escapes", b"%41"),
    ):
        yield name, _FORM, b"a=" + value * (size // len(value)) + b"&d=1"
    yield (
        "form of 2,000 fields",
        _FORM,
        b"&".join(b"%d=%b" % (key, b"%41" * (size // 6_000)) for key in range(1_999)),
    )


def large_bodies() -> tuple[Attack, ...]:
    """Eight callers that send the largest allowed bodies, one after another."""
    return tuple(
        Attack(f"8 callers send 10 MB of {name}", _flood(kind, make(LARGEST)))
        for name, kind, make in (("CSV", _CSV, _csv), ("JSON", _JSON, _json))
    )


def _flood(kind: str, body: bytes) -> Callable[[Target, threading.Event], None]:
    def run(target: Target, ended: threading.Event) -> None:
        def send() -> None:
            while not ended.is_set():
                target.send("POST", "/rest/v1/abuse", body, kind)

        run_in_threads(send, _CALLERS)

    return run


def _csv(size: int) -> bytes:
    line = ",".join(_ROW.values()).encode() + b"\n"
    return b"a,b,c\n" + line * ((size - 6) // len(line) - 1)


def _json(size: int) -> bytes:
    row = json.dumps(_ROW).encode()
    return b"[" + b",".join([row] * (size // (len(row) + 1) - 1)) + b"]"


if __name__ == "__main__":
    with attacked() as stack:
        measure_parsing(stack)
        print_honest(stack, large_bodies())
