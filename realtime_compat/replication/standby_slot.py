"""A standby slot: an idle copy of the streaming slot, on a connection and in a thread of its own.

If the streaming connection is cut, the stream continues from the copy. Copying a slot is immediate,
whereas creating one waits for all running transactions of the cluster, and advancing one decodes
the log from the oldest of them on. Where the server has too few slots, a standby slot is given up
to a node that has none for its stream. Its application_name is `realtime_guard`.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import Future

from compat_base.postgres.replication import ReplicationSlot, StreamError

RENEW_SECONDS = 5.0  # how often the copy is renewed: so much log it holds back
FIRST_BACKOFF = 0.1  # seconds
TAKE_SECONDS = 5.0  # to wait for a copy that is being made
CLOSE_SECONDS = 1.0


class StandbySlot:
    """Keeps a copy of a streaming slot until it is taken or closed; a lost copy is replaced.

    `copy` opens a copy of the slot of a name, and raises StreamError; `report` is called in the
    thread with "" where there is a copy, else with the reason why there is none.
    """

    def __init__(
        self,
        source: str,
        copy: Callable[[str], ReplicationSlot],
        report: Callable[[str], None] = lambda _: None,
    ) -> None:
        self._source = source
        self._copy = copy
        self._report = report
        self._tried = threading.Event()
        self._ended = threading.Event()
        self._kept: Future[ReplicationSlot | None] = Future()
        threading.Thread(target=self._run, name="realtime-standby", daemon=True).start()

    def wait(self) -> None:
        """Wait until a copy is there, could not be made, or is late."""
        self._tried.wait(TAKE_SECONDS)

    def take(self) -> ReplicationSlot:
        """End the thread; the copy, which begins at what the source last acknowledged or before.

        Raises StreamError where there is none.
        """
        slot = self._end(TAKE_SECONDS)
        if slot is None:
            raise StreamError("the stream was cut while it had no standby slot")
        return slot

    def close(self) -> None:
        """End the thread and the copy."""
        slot = self._end(CLOSE_SECONDS)
        if slot is not None:
            slot.close()

    def _end(self, seconds: float) -> ReplicationSlot | None:
        self._ended.set()
        try:
            return self._kept.result(seconds)
        except TimeoutError:
            self._kept.add_done_callback(_close)
            return None

    def _run(self) -> None:
        slot, backoff, reported = None, FIRST_BACKOFF, None
        while not self._ended.is_set():
            try:
                slot, reason = self._renewed(slot), ""
                pause, backoff = RENEW_SECONDS, FIRST_BACKOFF
            except (StreamError, OSError, ValueError) as error:
                slot, reason = None, str(error)
                pause, backoff = backoff, min(2 * backoff, RENEW_SECONDS)
            if reported is None or bool(reason) != bool(reported):
                self._report(reason)
                reported = reason
            self._tried.set()
            self._ended.wait(pause)
        self._kept.set_result(slot)

    def _renewed(self, slot: ReplicationSlot | None) -> ReplicationSlot:
        """A copy of the source as it is now; an old one is closed where it cannot be renewed."""
        if slot is None:
            return self._copy(self._source)
        try:
            slot.check_spare()
            slot.renew(self._source)
        except BaseException:
            slot.close()
            raise
        return slot


def _close(kept: Future[ReplicationSlot | None]) -> None:
    """Close a copy that came too late to be taken."""
    slot = kept.result()
    if slot is not None:
        slot.close()
