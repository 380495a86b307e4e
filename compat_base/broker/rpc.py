"""Remote procedure calls between the processes of one machine: a request, a reply or none."""

from __future__ import annotations

import asyncio
import itertools
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field

from compat_base.broker.frames import NUMBER, number_bytes
from compat_base.broker.line import Line
from compat_base.tasks import Supervisor

_REQUEST, _REPLY = b"?", b"!"


@dataclass(slots=True)
class Rpc:
    """Calls between the processes of a group; `answer` makes this process's replies."""

    path: str
    group: int
    node: bytes
    answer: Callable[[bytes], Awaitable[bytes]]
    supervisor: Supervisor
    others: Sequence[bytes] = ()
    _line: Line = field(init=False)
    _numbers: Callable[[], int] = field(default_factory=lambda: itertools.count(1).__next__)
    _pending: dict[int, tuple[bytes, asyncio.Future[bytes | None]]] = field(
        default_factory=dict[int, tuple[bytes, asyncio.Future[bytes | None]]]
    )

    def __post_init__(self) -> None:
        self._line = Line(self.path, self.group, self.node, self)

    def start(self) -> None:
        """Connect, and stay connected."""
        self.supervisor.keep_running(self._line.keep, "rpc")

    async def call(self, node: bytes, request: bytes, seconds: float) -> bytes | None:
        """The reply of a process; None where it is gone, or does not reply in time."""
        if node not in self.others:
            return None
        number = self._numbers()
        future: asyncio.Future[bytes | None] = asyncio.get_running_loop().create_future()
        self._pending[number] = (node, future)
        try:
            if not self._line.send(node, _REQUEST + number_bytes(number) + request):
                return None
            await asyncio.wait([future], timeout=seconds)
            return future.result() if future.done() else None
        finally:
            future.cancel()
            del self._pending[number]

    def received(self, node: bytes, body: bytes) -> None:
        """Handle a request or a reply."""
        kind, number, rest = body[:1], body[1 : 1 + NUMBER], body[1 + NUMBER :]
        if kind == _REQUEST:
            self.supervisor.start(self._answer(node, number, rest), "answer")
            return
        callee, future = self._pending.get(int.from_bytes(number), (b"", None))
        if kind == _REPLY and callee == node and future is not None and not future.done():
            future.set_result(rest)

    def peers_changed(self, nodes: Sequence[bytes]) -> None:
        """End the calls to processes that are gone."""
        self.others = nodes
        for node, future in self._pending.values():
            if node not in nodes and not future.done():
                future.set_result(None)

    def messages_lost(self) -> None:
        """Nothing: callers have a timeout."""

    async def _answer(self, node: bytes, number: bytes, request: bytes) -> None:
        reply = await self.answer(request)
        self._line.send(node, _REPLY + number + reply)
