"""One matched call: what a handler may ask of the request and of the service."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import parse_qs

from compat_base.values import jsontext
from compat_base.values.errors import ApiError
from storage_compat import errors
from storage_compat.model.caller import Caller, Facts
from storage_compat.ports import Dependencies, RequestContext
from storage_compat.rules import schema
from storage_compat.rules.schema import Fields
from storage_compat.rules.storable import is_storable
from storage_compat.store.objects import Place
from storage_compat.web.exchange import Incoming

JSON_BYTES = 1_048_576


@dataclass(frozen=True, slots=True)
class Call:
    """A request at its route: `parameters` are of the path, decoded; `raw` are as sent."""

    deps: Dependencies
    context: RequestContext
    incoming: Incoming
    parameters: Mapping[str, str]
    raw: Mapping[str, str]
    has_token: bool

    @property
    def headers(self) -> Mapping[str, str]:
        """The request's headers, names in lower case."""
        return self.incoming.headers

    @property
    def bucket(self) -> str:
        """The bucket of the path."""
        return self.parameters["bucket"]

    @property
    def place(self) -> Place:
        """The object of the path."""
        return Place(self.parameters["bucket"], self.parameters["key"])

    @property
    def is_upsert(self) -> bool:
        """Whether an object that is there may be overwritten: `true`, and no other text."""
        return self.headers.get("x-upsert") == "true"

    async def json(self, fields: Fields, *, may_be_empty: bool = False) -> dict[str, Any]:
        """The body's known properties, checked; ApiError for what is no such body."""
        return schema.check_object(await self.json_value(may_be_empty=may_be_empty), fields)

    async def json_value(self, *, may_be_empty: bool = False) -> Any:
        """The body, where its type says that it is JSON; None for any other."""
        if not _is_json(self.headers.get("content-type", "")):
            return None
        data = await self.incoming.body.read(JSON_BYTES)
        if data is None:
            raise ApiError.of(errors.JSON_TOO_LARGE)
        if not data:
            if may_be_empty:
                return None
            raise ApiError.of(errors.EMPTY_JSON)
        try:
            value = jsontext.decode(data)
        except jsontext.InvalidJsonError as error:
            raise ApiError.of(errors.BROKEN_JSON) from error
        return _stored(value)

    def query(self, fields: Fields) -> dict[str, Any]:
        """The query's known parameters, checked; one given twice is a list."""
        return schema.check_object(query_values(self.incoming.query), fields, "querystring")


def query_values(query: str) -> dict[str, Any]:
    """The parameters of a query string, those given more than once as lists."""
    try:
        values = parse_qs(query, keep_blank_values=True, max_num_fields=200)
    except ValueError as error:
        raise ApiError.of(errors.BAD_URL, path=query[:200]) from error
    return {name: given[0] if len(given) == 1 else given for name, given in values.items()}


def facts_of(incoming: Incoming, operation: str) -> Facts:
    """What policies may read of the request."""
    headers = jsontext.encode(dict(incoming.headers))
    return Facts(incoming.method, incoming.target, headers, operation)


def context_of(
    deps: Dependencies, incoming: Incoming, caller: Caller, operation: str
) -> RequestContext:
    """Who calls, when, and what policies may read."""
    return RequestContext(caller, facts_of(incoming, operation), deps.world.clock.now())


def _is_json(content_type: str) -> bool:
    media_type = content_type.partition(";")[0].strip().lower()
    return media_type == "application/json" or media_type.endswith("+json")


def _stored(value: Any) -> Any:
    """What the database cannot hold is refused before."""
    if not is_storable(value):
        raise ApiError.of(errors.INVALID_BODY, reason="body must not have NUL characters")
    return value
