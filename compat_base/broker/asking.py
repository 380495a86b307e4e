"""Questions between the processes of one machine: asked of one, answered by it or by nobody."""

from __future__ import annotations

import asyncio
import itertools
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field

from compat_base.broker.frames import NUMBER, number_bytes
from compat_base.broker.line import Line
from compat_base.tasks import Supervisor

_QUESTION, _ANSWER = b"?", b"!"


@dataclass(slots=True)
class Asking:
    """A line on which processes ask each other; `answer` is asked what others want of this one."""

    path: str
    group: int
    node: bytes
    answer: Callable[[bytes], Awaitable[bytes]]
    supervisor: Supervisor
    others: Sequence[bytes] = ()
    _line: Line = field(init=False)
    _numbers: Callable[[], int] = field(default_factory=lambda: itertools.count(1).__next__)
    _asked: dict[int, tuple[bytes, asyncio.Future[bytes | None]]] = field(
        default_factory=dict[int, tuple[bytes, asyncio.Future[bytes | None]]]
    )

    def __post_init__(self) -> None:
        self._line = Line(self.path, self.group, self.node, self)

    def start(self) -> None:
        """Connect, and stay connected."""
        self.supervisor.keep_running(self._line.keep, "questions")

    async def ask(self, node: bytes, question: bytes, seconds: float) -> bytes | None:
        """The answer of a process; None where it is gone, or does not answer in time."""
        if node not in self.others:
            return None
        number = self._numbers()
        future: asyncio.Future[bytes | None] = asyncio.get_running_loop().create_future()
        self._asked[number] = (node, future)
        try:
            if not self._line.tell(node, _QUESTION + number_bytes(number) + question):
                return None
            await asyncio.wait([future], timeout=seconds)
            return future.result() if future.done() else None
        finally:
            future.cancel()
            del self._asked[number]

    def heard(self, node: bytes, body: bytes) -> None:
        """A question or an answer came."""
        kind, number, rest = body[:1], body[1 : 1 + NUMBER], body[1 + NUMBER :]
        if kind == _QUESTION:
            self.supervisor.start(self._answer(node, number, rest), "answer")
            return
        asked, future = self._asked.get(int.from_bytes(number), (b"", None))
        if kind == _ANSWER and asked == node and future is not None and not future.done():
            future.set_result(rest)

    def here(self, nodes: Sequence[bytes]) -> None:
        """These are the others now: who is gone answers nothing more."""
        self.others = nodes
        for node, future in self._asked.values():
            if node not in nodes and not future.done():
                future.set_result(None)

    def lost(self) -> None:
        """Questions or answers were dropped: those who ask have a time for that."""

    async def _answer(self, node: bytes, number: bytes, question: bytes) -> None:
        answered = await self.answer(question)
        self._line.tell(node, _ANSWER + number + answered)
