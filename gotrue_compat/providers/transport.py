"""A provider's HTTP API with a bearer token."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from compat_base.values import jsontext
from gotrue_compat.model.rows import json_object
from gotrue_compat.ports import HttpCall, HttpPort, ProviderError, UnreachableError

_BAD_STATUS = 300


@dataclass(frozen=True, slots=True)
class Api:
    """Calls on behalf of the user for whom a token was granted."""

    http: HttpPort
    token: str
    headers: tuple[tuple[str, str], ...] = field(default=())

    async def get(self, url: str, **headers: str) -> dict[str, Any]:
        """A JSON object, {} for null; ProviderError without one."""
        return _object(await self._get(url, headers))

    async def get_list(self, url: str) -> list[dict[str, Any]]:
        """A JSON array of objects, [] for null; ProviderError without one."""
        value = await self._get(url, {})
        if not isinstance(value, list | None):
            raise ProviderError("the answer is no array")
        members: list[Any] = value or []  # pyright: ignore[reportUnknownVariableType] — decoded JSON
        return [_object(member) for member in members]

    async def _get(self, url: str, headers: dict[str, str]) -> Any:
        sent = {
            "authorization": f"Bearer {self.token}",
            "accept": "application/json",
            **dict(self.headers),
            **{name.replace("_", "-"): value for name, value in headers.items()},
        }
        return await fetch_json(self.http, HttpCall("GET", url, sent))


def _object(value: Any) -> dict[str, Any]:
    if not isinstance(value, dict | None):
        raise ProviderError("the answer is no object")
    return json_object(value)


async def fetch_json(http: HttpPort, call: HttpCall) -> Any:
    """The JSON of a successful answer; ProviderError for any other."""
    try:
        answer = await http.send(call)
    except UnreachableError as error:
        raise ProviderError(str(error)) from error
    if answer.status >= _BAD_STATUS:
        raise ProviderError(f"status {answer.status}")
    try:
        return jsontext.decode_bounded(answer.body)
    except jsontext.InvalidJsonError as error:
        raise ProviderError("the answer is not JSON") from error
