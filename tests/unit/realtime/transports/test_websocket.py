"""A socket's frames and the other work of the event loop."""

from __future__ import annotations

import asyncio
from types import SimpleNamespace
from typing import Any

import pytest

from compat_base.server import round_robin
from compat_base.values import jsontext
from compat_base.values.world import real_world
from realtime_compat.auth import verify
from realtime_compat.protocol.codec import V1
from realtime_compat.transports.handshake import Handshake
from realtime_compat.transports.service import Service
from realtime_compat.transports.websocket import Socket
from tests.harness_realtime import START, make_rules, token

FRAMES = 8  # of each socket, all there at once
JOIN = {"topic": "nothing", "event": "phx_join", "payload": {"x": "y" * 2_000}, "ref": "1"}


async def test_long_frames_of_many_sockets_are_taken_one_a_round(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(round_robin, "TURN_SECONDS", -1)  # every frame takes longer
    rules, nothing, answers = make_rules(), SimpleNamespace(watch=lambda _: None), 0
    parts: list[Any] = [None, None, None, None, nothing, real_world(), nothing, nothing]
    service = Service(rules, *parts)
    caller = verify(token(), rules.keys, START)

    async def send(_message: Any) -> None:
        raise AssertionError("every frame is written at once")

    def write(_frames: Any) -> bool:
        nonlocal answers
        answers += 1
        return True

    async def sent(frames: list[str]) -> Any:
        if frames:
            return {"type": "websocket.receive", "text": frames.pop()}
        return {"type": "websocket.disconnect"}

    async def serve() -> None:
        frames = [jsontext.encode(JOIN)] * FRAMES
        await Socket(Handshake(caller, V1, (), None), send, write, service).run(
            lambda: sent(frames)
        )

    sockets = asyncio.gather(*(serve() for _ in range(4)))
    most = 0
    while not sockets.done():
        before = answers
        await asyncio.sleep(0)
        most = max(most, answers - before)
    await sockets
    assert (answers, most) == (4 * FRAMES, 1)
