"""Leaked passwords by Have I Been Pwned's ranges (auth reference 6)."""

from __future__ import annotations

import hashlib

from compat_base.values.errors import ApiError
from compat_base.values.events import Observation, Observer, Severity
from gotrue_compat import errors
from gotrue_compat.bounded_cache import BoundedCache
from gotrue_compat.ports import HttpCall, HttpPort, UnreachableError
from gotrue_compat.settings.access import PasswordSettings

_PREFIX = 5
_OK = 200


class PwnedRanges:
    """Queries the range of a hash prefix (k-anonymity): the API sees neither password nor hash.

    Optionally listed hashes are cached. The original keeps them in a Bloom filter, whose false
    positives refuse passwords that have not leaked.
    """

    def __init__(self, settings: PasswordSettings, http: HttpPort, observer: Observer) -> None:
        self._settings = settings
        self._http = http
        self._observer = observer
        self._kept: BoundedCache[str, frozenset[str]] = BoundedCache(settings.hibp_kept, _count)

    async def is_known(self, password: str) -> bool:
        """Whether the password has leaked; False without an answer, unless set to fail closed."""
        if not self._settings.hibp:
            return False
        digest = hashlib.sha1(password.encode(), usedforsecurity=False).hexdigest().upper()
        prefix, suffix = digest[:_PREFIX], digest[_PREFIX:]
        if suffix in (self._kept.get(prefix) or ()):
            return True
        headers = {"user-agent": self._settings.hibp_agent, "add-padding": "true"}
        call = HttpCall(
            "GET", self._settings.hibp_url + prefix, headers, seconds=5, limit=2_000_000
        )
        try:
            listed = _suffixes(await self._range(call))
        except UnreachableError as error:
            facts = {"error": str(error)}
            self._observer(Observation("leak_check_failed", Severity.WARNING, facts))
            if self._settings.hibp_fail_closed:
                raise ApiError.of(errors.UNEXPECTED) from error
            return False
        self._kept.put(prefix, listed)
        return suffix in listed

    async def _range(self, call: HttpCall) -> str:
        answer = await self._http.send(call)
        if answer.status != _OK:
            raise UnreachableError(f"status {answer.status}")
        return answer.body.decode("ascii", "replace")


def _count(_prefix: str, listed: frozenset[str]) -> int:
    """A cached range's weight: the number of its hashes, at least one."""
    return max(len(listed), 1)


def _suffixes(text: str) -> frozenset[str]:
    """The hash suffixes of a response; padding lines have the count 0 and are skipped."""
    pairs = (line.partition(":") for line in text.splitlines())
    return frozenset(suffix.strip() for suffix, _, count in pairs if count.strip() != "0")
