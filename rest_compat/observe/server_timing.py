"""How long each stage of a request took, for the Server-Timing header (rest reference 10)."""

from __future__ import annotations

from compat_base.values.world import Clock


class ServerTiming:
    """Starts when it is made; does nothing where the header is off."""

    def __init__(self, clock: Clock, *, wanted: bool) -> None:
        self.wanted = wanted
        self._clock = clock
        self._last = clock.monotonic() if wanted else 0.0
        self._parts: list[str] = []

    def mark(self, stage: str) -> None:
        """End a stage: the time since the last mark is its own."""
        if not self.wanted:
            return
        now = self._clock.monotonic()
        self._parts.append(f"{stage};dur={(now - self._last) * 1000:.1f}")
        self._last = now

    def header(self) -> str:
        """All stages in milliseconds; what is left is the response's."""
        self.mark("response")
        return ", ".join(self._parts)
