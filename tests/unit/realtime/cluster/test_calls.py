"""Requests to workers of other machines: who has the worker answers, or nobody does."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

import pytest

from compat_base.tasks import Supervisor
from realtime_compat.cluster import calls
from realtime_compat.cluster.calls import Calls
from realtime_compat.cluster.messages import Body, Call, Reply

ONE, TWO, THREE = "aa" * 8, "bb" * 8, "cc" * 8
WORKER = "dd" * 8


class Machines:
    """Three machines that hear each other; the third has the worker."""

    def __init__(self, supervisor: Supervisor) -> None:
        self.nodes = {name: Calls(name, self._from(name), supervisor) for name in (ONE, TWO, THREE)}
        self.requests: list[bytes] = []

        async def answer(_callee: str, request: bytes) -> bytes:
            self.requests.append(request)
            return b"said " + request

        self.nodes[THREE].serve(lambda callee: callee == WORKER, answer)

    def _from(self, sender: str) -> Callable[[Body], None]:
        def send(body: Body) -> None:
            assert isinstance(body, Call | Reply)
            for name, node in self.nodes.items():
                if name != sender:
                    node.received(sender, body)

        return send


async def test_the_machine_that_has_the_worker_answers_and_no_other_hears():
    async with Supervisor(lambda _observation: None) as supervisor:
        machines = Machines(supervisor)
        replies = await asyncio.gather(
            machines.nodes[ONE].call(WORKER, b"1", 60), machines.nodes[TWO].call(WORKER, b"2", 60)
        )
        assert replies == [b"said 1", b"said 2"]
        assert machines.requests == [b"1", b"2"]


async def test_a_worker_that_nobody_has_is_gone(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(calls, "TAKEN_SECONDS", 0.01)
    async with Supervisor(lambda _observation: None) as supervisor:
        assert await Machines(supervisor).nodes[ONE].call("ee" * 8, b"", 60) is None


async def test_more_than_the_most_are_answered_at_once(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(calls, "MAX_PENDING", 1)
    async with Supervisor(lambda _observation: None) as supervisor:
        node = Calls(ONE, lambda _body: None, supervisor)
        waiting = asyncio.create_task(node.call(WORKER, b"", 60))
        await asyncio.sleep(0)
        assert await node.call(WORKER, b"", 60) is None
        waiting.cancel()
