"""One connection's life within the limits: counted, timed out, refused, lingered, evicted.

Each phase has a timeout; when it expires the connection has moved on, is refused or closed.
"""

from __future__ import annotations

import asyncio
from typing import Any, cast

from uvicorn import Config
from uvicorn.protocols.http import httptools_impl
from uvicorn.server import ServerState

from compat_base.server import heads
from compat_base.server.connections import Connections, Phase
from compat_base.server.heads import Refusal


class LimitedConnection(httptools_impl.HttpToolsProtocol):
    """A connection of uvicorn's that is counted, and closed when it is slow."""

    def __init__(
        self,
        config: Config,
        server_state: ServerState,
        app_state: dict[str, Any],
        _loop: asyncio.AbstractEventLoop | None = None,
    ) -> None:
        super().__init__(config, server_state, app_state, _loop)
        self.phase: int = Phase.ACTIVE
        self._all = cast("Connections", server_state)
        self._limits = self._all.limits
        self._is_counted = False  # among the connections of its address
        self._is_open = False  # whether the end of a request has not come
        self._is_kept = False  # whether the connection stays after it
        self._step_bytes = self._unsent_bytes = self._dropped_bytes = 0

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Admit a new connection, or refuse it."""
        super().connection_made(cast("asyncio.Transport", transport))
        socket = transport.get_extra_info("socket")
        refusal = self._all.refusal(self._host(), socket.fileno() if socket is not None else 0)
        self._is_counted = refusal is None
        if refusal is None:
            self._all.enter(self, Phase.SILENT)
        else:
            self._refuse(refusal)

    def connection_lost(self, exc: Exception | None) -> None:
        """Forget the connection."""
        self._all.enter(self, Phase.CLOSED)
        self._all.hold_unsent(self, 0)
        if self._is_counted:
            self._all.leave(self._host())
        super().connection_lost(exc)

    def _host(self) -> str:
        return self.client[0] if self.client else ""

    def on_timeout(self) -> None:
        """Refuse a slow client, close an idle one; one that has moved gets more time."""
        match self.phase:
            case Phase.HEAD:
                self._refuse(heads.SLOW_HEAD)
            case Phase.BODY if self.has_moved():
                self._await_body()
            case Phase.BODY if not self.cycle.response_complete:
                self._refuse(heads.SLOW_BODY)
            case Phase.SENDING if self.has_moved():
                self._await_sending()
            case Phase.IDLE if self.transport.get_write_buffer_size():
                self.transport.close()
                self._await_sending()
            case _:
                self.evict()

    def has_moved(self) -> bool:
        """Whether the body has brought a step, or the client has taken some of its answer."""
        if self.phase == Phase.SENDING:
            return self.transport.get_write_buffer_size() < self._unsent_bytes
        return bool(self.flow.read_paused) or self._step_bytes >= self._limits.body_step

    def evict(self) -> None:
        """Close now; unsent bytes are dropped."""
        self._all.enter(self, Phase.CLOSED)
        self.transport.abort()

    def linger(self) -> None:
        """Close once the client has read everything; its further bytes are dropped."""
        if self.transport.is_closing() or self.phase == Phase.LINGERING:
            return
        if not self._is_open:
            self.transport.close()
            return
        self._dropped_bytes = 0
        self._all.enter(self, Phase.LINGERING)
        self.transport.write_eof()
        self.flow.resume_reading()

    def shutdown(self) -> None:
        """Close after the present request."""
        self._is_kept = False
        super().shutdown()

    def pause_writing(self) -> None:
        """The client's receive buffer is full."""
        super().pause_writing()
        self._all.hold_unsent(self, self.transport.get_write_buffer_size())
        if self.phase == Phase.ACTIVE:
            self._await_sending()

    def resume_writing(self) -> None:
        """The client reads again."""
        super().resume_writing()
        self._all.hold_unsent(self, 0)
        if self.phase == Phase.SENDING and not self.transport.is_closing():
            self._all.enter(self, Phase.ACTIVE)

    def _await_sending(self) -> None:
        self._unsent_bytes = self.transport.get_write_buffer_size()
        self._all.enter(self, Phase.SENDING)

    def _refuse(self, refusal: Refusal) -> None:
        """Answer in place of the application, which sees a disconnect; and close."""
        cycle = cast("httptools_impl.RequestResponseCycle | None", self.cycle)
        if cycle is not None and not cycle.response_complete:
            cycle.disconnected = True
            cycle.message_event.set()
            if cycle.response_started:
                self.evict()
                return
        answer = heads.refusal_answer(refusal, self.server_state.default_headers)
        self.transport.write(httptools_impl.STATUS_LINE[refusal.status] + answer)
        self._is_open = True
        self.linger()

    def _await_body(self) -> None:
        self._step_bytes = 0
        self._all.enter(self, Phase.BODY)
