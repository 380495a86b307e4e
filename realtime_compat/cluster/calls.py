"""Requests to a worker of another machine, and its replies: a long poll's, whose session is there.

A request goes to all machines, as nobody knows whose worker it is; the one that has it says so at
once, and the reply after that.
"""

from __future__ import annotations

import asyncio
import itertools
from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import dataclass, field

from compat_base.tasks import Supervisor
from realtime_compat.cluster.messages import Body, Call, Reply

TAKEN_SECONDS = 3.0  # in which the callee's machine says that it has the request
MAX_PENDING = 1000  # requests of this node at once; more are answered by None


@dataclass(slots=True)
class _Pending:
    taken: asyncio.Event = field(default_factory=asyncio.Event)
    answered: asyncio.Event = field(default_factory=asyncio.Event)
    reply: bytes | None = None


async def _nobody(_callee: str, _request: bytes) -> bytes | None:
    return None


@dataclass(slots=True)
class Calls:
    """The calls of a node, by whichever way its messages go."""

    node: str
    send: Callable[[Body], None]
    supervisor: Supervisor
    _has: Callable[[str], bool] = lambda _callee: False
    _answer: Callable[[str, bytes], Awaitable[bytes | None]] = _nobody
    _numbers: Callable[[], int] = field(default_factory=lambda: itertools.count(1).__next__)
    _pending: dict[int, _Pending] = field(default_factory=dict[int, _Pending])

    def serve(
        self, has: Callable[[str], bool], answer: Callable[[str, bytes], Awaitable[bytes | None]]
    ) -> None:
        """Answer for the workers that this node has."""
        self._has, self._answer = has, answer

    async def call(self, callee: str, request: bytes, seconds: float) -> bytes | None:
        """The reply of a worker; None where no machine has it, or it does not reply in time."""
        if len(self._pending) >= MAX_PENDING:
            return None
        number, pending = self._numbers(), _Pending()
        self._pending[number] = pending
        try:
            self.send(Call(callee, number, request))
            with suppress(TimeoutError):
                async with asyncio.timeout(TAKEN_SECONDS):
                    await pending.taken.wait()
                async with asyncio.timeout(seconds):
                    await pending.answered.wait()
            return pending.reply
        finally:
            del self._pending[number]

    def received(self, node: str, body: Call | Reply) -> None:
        """A request or a reply of another node came."""
        if isinstance(body, Call):
            if self._has(body.callee):
                self.send(Reply(node, body.number, None))
                self.supervisor.start(self._reply(node, body), "reply")
            return
        pending = self._pending.get(body.number) if body.caller == self.node else None
        if pending is None:
            return
        pending.taken.set()
        if body.reply is not None:
            pending.reply = body.reply
            pending.answered.set()

    async def _reply(self, caller: str, call: Call) -> None:
        reply = await self._answer(call.callee, call.request)
        if reply is not None:
            self.send(Reply(caller, call.number, reply))
