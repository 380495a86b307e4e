"""Plans: self-contained inputs of the SQL builder and the renderer."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from rest_compat.api_request.model import (
    Preferences,
    Verb,
)
from rest_compat.catalog.model import CustomHandler
from rest_compat.http.media_types import MediaType
from rest_compat.http.ranges import Window
from rest_compat.plan.read_tree import ReadNode
from rest_compat.plan.statements import Call, Mutation


class BuiltinHandler(Enum):
    """The built-in renderings of a body."""

    JSON = "json"
    JSON_STRIPPED = "json without nulls"
    OBJECT = "object"
    OBJECT_STRIPPED = "object without nulls"
    CSV = "csv"
    GEOJSON = "geojson"
    NOTHING = "nothing"


Handler = BuiltinHandler | CustomHandler


@dataclass(frozen=True, slots=True)
class Promise:
    """Conditions on the result for the transaction to be committed."""

    single: bool = False
    upserted_one: bool = False
    max_affected: int | None = None


@dataclass(frozen=True, slots=True)
class Counting:
    """How the total is computed: exactly, planned, or planned beyond a threshold."""

    exact: bool = False
    planned: bool = False
    max_rows: int | None = None
    own_query: bool = False


@dataclass(frozen=True, slots=True)
class ReplyShape:
    """The form of the response.

    `applied` are the preferences to echo; `warnings` pairs of old and new embed names.
    """

    verb: Verb
    name: str
    media: MediaType
    window: Window
    head: bool
    applied: Preferences
    schema: str | None
    merges: bool = False
    representation: str | None = None
    void: bool = False
    warnings: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class SessionFacts:
    """Settings of the transaction, besides the caller's."""

    schema: str
    read_only: bool
    isolation: str | None
    settings: tuple[tuple[str, str], ...]
    timezone: str | None
    rolls_back: bool


@dataclass(frozen=True, slots=True)
class StatementPlan:
    """A request that runs one main statement: a read, a write or a call, with its reading."""

    read: ReadNode
    statement: Mutation | Call | None
    handler: Handler
    counting: Counting
    promise: Promise
    reply: ReplyShape
    session: SessionFacts


@dataclass(frozen=True, slots=True)
class InspectPlan:
    """The root document of a schema."""

    schema: str
    head: bool
    reply_schema: str | None
    session: SessionFacts


@dataclass(frozen=True, slots=True)
class InfoPlan:
    """OPTIONS: what is allowed, without the database."""

    allow: str


Plan = StatementPlan | InspectPlan | InfoPlan
