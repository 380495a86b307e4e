"""Abuse of the REST service: the largest bodies that are allowed."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable
from urllib.parse import quote

from bench.abuse import Attack, Target, processor_seconds

SCHEMA = """
create unlogged table public.abuse (a text, b text, c text);
grant select, insert on public.abuse to anon;
insert into public.abuse values ('1', '2', '3');
"""
LARGEST = 10_485_760
_CALLERS = 8
_CSV, _JSON, _FORM = "text/csv", "application/json", "application/x-www-form-urlencoded"
_ROW = {"a": "a short text", "b": "1234567", "c": "something somewhat longer"}


def measure_parsing(target: Target) -> None:
    """Processor seconds for a MB of bodies that are refused at their end."""
    size = 4_000_000
    for name, kind, body in (
        ("CSV", _CSV, _csv(size) + b"1,2\n"),
        ("CSV of single digits", _CSV, b"a,b,c\n" + b"1,2,3\n" * (size // 6) + b"1,2\n"),
        ("JSON", _JSON, _json(size)[:-1] + b',{"a":1}]'),
        ("form", _FORM, b"a=" + quote("á é", safe="").encode() * (size // 17) + b"&d=1"),
    ):
        before = processor_seconds(target.process)
        status = target.send("POST", "/rest/v1/abuse", body, kind)
        spent = (processor_seconds(target.process) - before) / len(body) * 1e6
        print(f"{name:24} {spent:6.3f} s of processor a MB  (target 0.05)  {status}")


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

        senders = [threading.Thread(target=send) for _ in range(_CALLERS)]
        for sender in senders:
            sender.start()
        for sender in senders:
            sender.join()

    return run


def _csv(size: int) -> bytes:
    line = ",".join(_ROW.values()).encode() + b"\n"
    return b"a,b,c\n" + line * ((size - 6) // len(line) - 1)


def _json(size: int) -> bytes:
    row = json.dumps(_ROW).encode()
    return b"[" + b",".join([row] * (size // (len(row) + 1) - 1)) + b"]"
