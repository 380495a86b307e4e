"""Mail templates fetched by URL and kept for a while (auth reference 13).

A `file:` URL, as a project's folder names them, is read again for each mail.
"""

from __future__ import annotations

import asyncio
from pathlib import Path
from urllib.parse import unquote, urljoin, urlsplit

from compat_base.values.events import Observation, Observer, Severity
from compat_base.values.world import Clock
from gotrue_compat.ports import HttpCall, HttpPort, UnreachableError
from gotrue_compat.settings import Settings

_OK = 200


class FetchedTemplates:
    """Caches configured templates; on a failure the built-in one is used."""

    def __init__(
        self, settings: Settings, http: HttpPort, clock: Clock, observer: Observer
    ) -> None:
        self._settings = settings
        self._http = http
        self._clock = clock
        self._observer = observer
        self._kept: dict[str, tuple[float, str | None]] = {}

    async def find(self, kind: str) -> str | None:
        """The template of a mail kind, None to use the built-in one."""
        place = self._settings.mailer.templates.get(kind)
        if not place:
            return None
        now = self._clock.monotonic()
        if place.startswith("file:"):
            return await self._read(Path(unquote(urlsplit(place).path)), kind)
        kept = self._kept.get(kind)
        if kept is not None and kept[0] > now:
            return kept[1]
        text = await self._fetch(urljoin(self._settings.site_url, place), kind)
        self._kept[kind] = (now + self._settings.mailer.template_seconds, text)
        return text

    async def _read(self, file: Path, kind: str) -> str | None:
        limit = self._settings.mailer.template_bytes
        try:
            body = await asyncio.to_thread(_first_bytes, file, limit + 1)
        except OSError as error:
            self._observe(kind, error.strerror or str(error))
            return None
        if len(body) > limit:
            self._observe(kind, f"more than {limit} bytes")
            return None
        return body.decode("utf-8", "replace")

    async def _fetch(self, url: str, kind: str) -> str | None:
        call = HttpCall("GET", url, seconds=10, limit=self._settings.mailer.template_bytes)
        try:
            answer = await self._http.send(call)
            if answer.status == _OK:
                return answer.body.decode("utf-8", "replace")
            reason = f"status {answer.status}"
        except UnreachableError as error:
            reason = str(error)
        self._observe(kind, reason)
        return None

    def _observe(self, kind: str, reason: str) -> None:
        facts = {"kind": kind, "error": reason}
        self._observer(Observation("template_fetch_failed", Severity.WARNING, facts))


def _first_bytes(file: Path, most: int) -> bytes:
    with file.open("rb") as opened:
        return opened.read(most)
