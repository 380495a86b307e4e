"""A request with its query, path parameters and JSON members (auth reference 1.1, 1.2)."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, cast
from uuid import UUID

from compat_base.values.errors import ApiError, Row
from compat_base.values.http import HttpRequest
from compat_base.values.percent import unquoted_windows
from gotrue_compat import errors
from gotrue_compat.http.go_struct import GoStruct
from gotrue_compat.http.json_body import (
    KINDS,
    NUL_IN_TEXT,
    NotJsonError,
    NotObjectError,
    decode_body,
    decode_first,
    kind_of,
)

_UUID_LENGTHS = frozenset({32, 34, 36, 38, 41, 45})  # plain, in braces, with hyphens, as URN
_FORM_METHODS = frozenset({"POST", "PUT", "PATCH"})  # methods whose bodies Go's ParseForm reads
_MOST_FIELDS = 1000  # of a query or form: reading a megabyte of them would take 250 ms
_WINDOW = 1 << 15  # bytes of a form that are decoded at once: 2 ms


class Members:
    """The members of a JSON object; a member of another type than asked for is refused by `row`.

    Names match in any case, an exact match first, as in Go's decoder.
    """

    def __init__(
        self, members: Mapping[str, Any], row: Row = errors.BAD_JSON, place: str = ""
    ) -> None:
        self._members = members
        self._row = row
        self._place = place

    def __contains__(self, name: str) -> bool:
        return self._value(name) is not None

    def text(self, name: str) -> str:
        """A string, "" where it is absent or null."""
        return self._typed(name, str, "")

    def optional_text(self, name: str) -> str | None:
        """A string, None where it is absent or null."""
        return self._typed(name, str, None)

    def uuid(self, name: str) -> UUID | None:
        """A UUID; None where it is absent, null or the nil one."""
        text = self.optional_text(name)
        if text is None:
            return None
        try:
            found = UUID(text)
        except ValueError as error:
            length = len(text.encode())  # no half surrogates: the body was read without
            wrong = "format in" if length in _UUID_LENGTHS else f"length {length} in"
            reason = f'uuid: incorrect UUID {wrong} string "{text}"'
            raise ApiError.of(self._row, reason=reason) from error
        return found if found.int else None

    def flag(self, name: str, *, default: bool = False) -> bool:
        """A member that is a boolean."""
        return self._typed(name, bool, default)

    def is_true(self, name: str) -> bool:
        """Whether a member is true; a wrong type is refused where the body is read."""
        return self._value(name) is True

    def optional_flag(self, name: str) -> bool | None:
        """A boolean, None where it is absent or null."""
        return self._typed(name, bool, None)

    def object(self, name: str) -> dict[str, Any] | None:
        """An object, None where it is absent or null."""
        return self._typed(name, dict, None)

    def object_or_empty(self, name: str) -> dict[str, Any] | None:
        """An object, {} for any other value, which a later check refuses; None if absent."""
        value = self._value(name)
        if isinstance(value, dict):
            return cast("dict[str, Any]", value)
        is_there = name in self._members or name.lower() in self._by_folded_name
        return {} if is_there else None

    def texts(self, name: str) -> tuple[str, ...] | None:
        """An array of strings, None where it is absent or null; a null member is an empty one."""
        value: list[Any] | None = self._typed(name, list, None)
        if value is None:
            return None
        texts = tuple("" if member is None else member for member in value)
        if not all(isinstance(member, str) for member in texts):
            raise self._wrong_type(name, "value", "string")
        return texts

    def list_or_text(self, name: str) -> tuple[str, ...]:
        """An array of strings, or one string with commas; empty where it is absent."""
        value = self._value(name)
        if isinstance(value, str):
            return tuple(part.strip() for part in value.split(",") if part.strip())
        return self.texts(name) or ()

    def value(self, name: str) -> Any:
        """A member of any type, None where it is absent or null."""
        return self._value(name)

    def checked(self, struct: GoStruct) -> Members:
        """The same; ApiError in Go's words if a member has another type than the struct's."""
        reason = struct.mismatch(self._members)
        if reason is not None:
            raise ApiError.of(self._row, reason=reason)
        return self

    def within(self, name: str, place: str = "") -> Members:
        """The members of an object inside this one; empty where it is absent.

        `place` is the object's name in errors of Go's decoder.
        """
        return Members(self.object(name) or {}, self._row, place)

    @cached_property
    def _by_folded_name(self) -> Mapping[str, Any]:
        return {name.lower(): value for name, value in self._members.items()}

    def _value(self, name: str) -> Any:
        found = (
            self._members[name] if name in self._members else self._by_folded_name.get(name.lower())
        )
        if isinstance(found, str) and "\0" in found:  # which no text of PostgreSQL holds
            raise ApiError.of(self._row, reason=NUL_IN_TEXT)
        return found

    def _typed(self, name: str, wanted: type[Any], default: Any) -> Any:
        value = self._value(name)
        if value is None:
            return default
        if not isinstance(value, wanted):
            raise self._wrong_type(name, kind_of(value), KINDS[wanted])
        return value

    def _wrong_type(self, name: str, found: str, wanted: str) -> ApiError:
        place = f"{self._place}.{name}"
        reason = f"json: cannot unmarshal {found} into Go struct field {place} of type {wanted}"
        return ApiError.of(self._row, reason=reason)


@dataclass(frozen=True)
class Incoming:
    """One request before its flow; `path` holds the parameters of the route's path."""

    request: HttpRequest
    path: Mapping[str, str] = field(default_factory=dict[str, str])

    @cached_property
    def query(self) -> Mapping[str, str]:
        """The query's first value by key."""
        return _first_values(self.request.query.encode())

    @property
    def is_form(self) -> bool:
        """Whether the body says that it is a form."""
        kind = (self.request.header("content-type") or "").partition(";")[0].strip().lower()
        return kind == "application/x-www-form-urlencoded"

    @cached_property
    def form(self) -> Mapping[str, str]:
        """The body's form fields, where it is a form."""
        if not self.is_form:
            return {}
        return _first_values(self.request.body)

    def value(self, name: str) -> str:
        """A field of the form, else of the query, as Go's FormValue has it; "" without one."""
        return self.form.get(name) or self.query.get(name, "")

    @property
    def _json_text(self) -> bytes:
        """The body; empty if it is a form, which the original has consumed by then."""
        return b"" if self.is_form and self.request.method in _FORM_METHODS else self.request.body

    def read_body(self) -> None:
        """Read the body ahead, as a form and as JSON; a megabyte takes long: for a thread."""
        with suppress(ApiError):  # raised again by whoever reads the form
            _ = self.form
        _ = self.read_first_json

    @cached_property
    def read_json(self) -> Mapping[str, Any] | NotJsonError:
        """The body's members, or why it has none."""
        try:
            return decode_body(self._json_text)
        except NotJsonError as error:
            return error

    @cached_property
    def read_first_json(self) -> Mapping[str, Any] | NotJsonError:
        """The members of the body's first JSON value, whatever follows it, or why it has none."""
        whole = self.read_json
        if not isinstance(whole, NotJsonError) or isinstance(whole, NotObjectError):
            return whole
        try:
            return decode_first(self._json_text)
        except NotJsonError as error:
            return error

    @property
    def asks_to_link(self) -> bool:
        """Whether a user wants an identity linked; a malformed body is refused later."""
        body = self.read_json
        return not isinstance(body, NotJsonError) and Members(body).is_true("link_identity")

    @property
    def json(self) -> Members:
        """The body's members; ApiError BAD_JSON where it is not an object."""
        if isinstance(self.read_json, NotJsonError):
            raise ApiError.of(errors.BAD_JSON, reason=self.read_json) from self.read_json
        return Members(self.read_json)

    @property
    def leading_json(self) -> Members:
        """The same of the body's first JSON value, whatever follows it."""
        if not isinstance(self.read_json, NotJsonError):
            return Members(self.read_json)
        try:
            return Members(decode_first(self._json_text))
        except NotJsonError as error:
            raise ApiError.of(errors.BAD_JSON, reason=error) from error

    def json_of(self, struct: GoStruct) -> Members:
        """The body's members; ApiError in Go's words if one has the wrong type."""
        if isinstance(self.read_json, NotObjectError):
            raise ApiError.of(errors.BAD_JSON, reason=self.read_json.of(f"api.{struct.name}"))
        members = self.json
        reason = struct.mismatch(cast("Mapping[str, Any]", self.read_json))
        if reason is not None:
            raise ApiError.of(errors.BAD_JSON, reason=reason)
        return members

    def first_json(self, row: Row, struct: GoStruct) -> Members:
        """The members of the body's first JSON value, whatever follows it; refused by the row."""
        members = self.read_first_json
        if isinstance(members, NotObjectError):
            raise ApiError.of(row, reason=members.of(f"api.{struct.name}"))
        reason = members if isinstance(members, NotJsonError) else struct.mismatch(members)
        if reason is not None:
            raise ApiError.of(row, reason=reason)
        return Members(cast("Mapping[str, Any]", members), row)

    def uuid(self, name: str, row: Row) -> UUID:
        """A path parameter that must be a UUID, else the row's error."""
        try:
            return UUID(self.path[name])
        except ValueError as error:
            raise ApiError.of(row) from error


def _first_values(text: bytes) -> Mapping[str, str]:
    """The first value by key of a form's text, without NUL, which no text of PostgreSQL holds."""
    if text.count(b"&") >= _MOST_FIELDS:
        raise ApiError.of(errors.TOO_MANY_FIELDS)
    values: dict[str, str] = {}
    for field_text in filter(None, text.replace(b"%00", b"").replace(b"\0", b"").split(b"&")):
        key, _, value = field_text.partition(b"=")
        values.setdefault(_unquoted(key), _unquoted(value))
    return values


def _unquoted(text: bytes) -> str:
    """Decoded in windows: a whole megabyte would hold the interpreter from the event loop."""
    return b"".join(unquoted_windows(text, 0, len(text), _WINDOW)).decode("utf-8", "replace")
