"""Leaked passwords by Have I Been Pwned's ranges (auth reference 6)."""

from __future__ import annotations

import hashlib

from compat_base.errors import ApiError
from compat_base.events import Observation, Observer, Severity
from gotrue_compat import errors
from gotrue_compat.ports import HttpCall, HttpPort, UnreachableError
from gotrue_compat.settings.access import PasswordSettings

_PREFIX = 5
_OK = 200


class PwnedRanges:
    """Asks for the range of a hash: the service never learns the password nor its whole hash."""

    def __init__(self, settings: PasswordSettings, http: HttpPort, observer: Observer) -> None:
        self._settings = settings
        self._http = http
        self._observer = observer

    async def is_known(self, password: str) -> bool:
        """Whether the password has leaked; where nobody answers, no, unless set to fail closed."""
        if not self._settings.hibp:
            return False
        digest = hashlib.sha1(password.encode(), usedforsecurity=False).hexdigest().upper()
        headers = {"user-agent": self._settings.hibp_agent, "add-padding": "true"}
        call = HttpCall(
            "GET", self._settings.hibp_url + digest[:_PREFIX], headers, seconds=5, limit=2_000_000
        )
        try:
            listed = await self._range(call)
        except UnreachableError as error:
            facts = {"error": str(error)}
            self._observer(Observation("leak_check_failed", Severity.WARNING, facts))
            if self._settings.hibp_fail_closed:
                raise ApiError.of(errors.UNEXPECTED) from error
            return False
        return _is_listed(listed, digest[_PREFIX:])

    async def _range(self, call: HttpCall) -> str:
        answer = await self._http.send(call)
        if answer.status != _OK:
            raise UnreachableError(f"status {answer.status}")
        return answer.body.decode("ascii", "replace")


def _is_listed(text: str, suffix: str) -> bool:
    for line in text.splitlines():
        listed, _, count = line.partition(":")
        if listed.strip() == suffix:
            return count.strip() != "0"  # padding lines count zero
    return False
