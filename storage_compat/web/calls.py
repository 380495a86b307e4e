"""A matched request, as its handler gets it."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import parse_qs

from compat_base.slices import Slices
from compat_base.values import jsontext
from compat_base.values.errors import ApiError
from storage_compat import errors
from storage_compat.model.caller import Caller, Facts
from storage_compat.ports import Dependencies, RequestContext
from storage_compat.rules import schema
from storage_compat.rules.schema import Fields
from storage_compat.rules.storable import is_storable
from storage_compat.store.objects import Location
from storage_compat.web.bodies import BodySchema, check_focus
from storage_compat.web.exchange import Incoming

JSON_BYTES = 1_048_576
MOST_PARAMETERS = 200  # of a query
JSON_CONTAINERS = 50_000  # lists and objects in a body; more block the loop for tens of ms
_LONG = 65_536  # bytes of JSON; beyond, it is decoded beside the event loop
# Names by which a JavaScript object's prototype could be changed
_PROTOTYPE = re.compile(rb'"__proto__"\s*:|"constructor"\s*:\s*\{\s*"prototype"\s*:', re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Call:
    """A request at its route: `parameters` are of the path, decoded; `raw` are as sent.

    `body` and `query` are the validated JSON body and query.
    """

    deps: Dependencies
    context: RequestContext
    incoming: Incoming
    parameters: Mapping[str, str]
    raw: Mapping[str, str]
    has_token: bool
    body: Any = None
    query: dict[str, Any] = field(default_factory=dict[str, Any])

    @property
    def headers(self) -> Mapping[str, str]:
        """The request's headers, names in lower case."""
        return self.incoming.headers

    @property
    def bucket(self) -> str:
        """The bucket of the path."""
        return self.parameters["bucket"]

    @property
    def location(self) -> Location:
        """The object of the path."""
        return Location(self.parameters["bucket"], self.parameters["key"])

    @property
    def is_upsert(self) -> bool:
        """Whether an object that is there may be overwritten: `true`, and no other text."""
        return self.headers.get("x-upsert") == "true"


async def json_body(incoming: Incoming, wanted: BodySchema, slices: Slices) -> Any:
    """The JSON body as its schema takes it; ApiError for a body that does not match.

    A body whose Content-Type is not JSON counts as none.
    """
    value: Any = None
    data: bytes | None = None
    if _is_json(incoming.headers.get("content-type", "")):
        data = await incoming.body.read(JSON_BYTES)
        if data is None:
            raise ApiError.of(errors.JSON_TOO_LARGE)
        if data:
            is_long = len(data) > _LONG
            value = await asyncio.to_thread(_decoded, data) if is_long else _decoded(data)
            await slices.rest()
            await slices.run(schema.coerce_texts(value, wanted.fields))
        elif not wanted.may_be_empty:
            raise ApiError.of(errors.EMPTY_JSON)
    checked = wanted.check(value)
    if not is_storable(checked):  # what the database cannot hold is refused before
        raise ApiError.of(errors.INVALID_BODY, reason="body must not have NUL characters")
    await slices.rest()
    return checked


def _decoded(data: bytes) -> Any:
    if data.count(b"[") + data.count(b"{") > JSON_CONTAINERS:
        raise ApiError.of(errors.JSON_TOO_LARGE)
    try:
        value = jsontext.decode(data)
    except jsontext.InvalidJsonError as error:
        raise ApiError.of(errors.BROKEN_JSON) from error
    if _PROTOTYPE.search(data):
        raise ApiError.of(errors.BROKEN_JSON)
    return value


def checked_query(query: str, fields: Fields) -> dict[str, Any]:
    """The query's known parameters, checked; one given twice is a list."""
    values = schema.check_object(query_values(query), fields, "querystring")
    if "gravity" in values:
        check_focus(values, "querystring")
    return values


def query_values(query: str) -> dict[str, Any]:
    """The parameters of a query string, those given more than once as lists."""
    try:
        values = parse_qs(query, keep_blank_values=True, max_num_fields=MOST_PARAMETERS)
    except ValueError as error:
        raise ApiError.of(errors.BAD_URL, path=query[:200]) from error
    return {name: given[0] if len(given) == 1 else given for name, given in values.items()}


def facts_of(incoming: Incoming, operation: str) -> Facts:
    """What policies read about the request."""
    headers = jsontext.encode(dict(incoming.headers))
    return Facts(incoming.method, incoming.target, headers, operation)


def context_of(
    deps: Dependencies, incoming: Incoming, caller: Caller, operation: str
) -> RequestContext:
    """The caller and time of a request, and what policies read about it."""
    return RequestContext(caller, facts_of(incoming, operation), deps.world.clock.now())


def _is_json(content_type: str) -> bool:
    return content_type.partition(";")[0].strip().lower() == "application/json"
