"""The parsed request, before anything is known of the database."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from rest_compat.http.media_types import MediaType
from rest_compat.http.ranges import Window
from rest_compat.names import QualifiedName


@dataclass(frozen=True, slots=True)
class Placeholder:
    """A value that does not change the plan: filled in from the request's values.

    `wildcard` turns `*` into `%`.
    """

    index: int
    wildcard: bool = False


class BodyPlaceholder(Enum):
    """The whole body, as it is or as the text form of bytea."""

    TEXT = "text"
    HEX = "hex"


@dataclass(frozen=True, slots=True)
class ColumnPlaceholder:
    """The values of one key of the body's rows, as an array's text."""

    key: str


Value = str | Placeholder
Path = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Step:
    """One step of a JSON path: `as_text` for `->>`; an index or a key."""

    as_text: bool
    key: str
    is_index: bool = False


@dataclass(frozen=True, slots=True)
class FieldText:
    """A column's name with its JSON path."""

    name: str
    path: tuple[Step, ...] = ()


class Aggregate(Enum):
    """The aggregate functions that can be selected."""

    SUM = "sum"
    AVG = "avg"
    COUNT = "count"
    MAX = "max"
    MIN = "min"


class Join(Enum):
    """How an embed joins its parent."""

    LEFT = "left"
    INNER = "inner"


@dataclass(frozen=True, slots=True)
class SelectField:
    """A selected column, aggregate or `*`."""

    field: FieldText
    alias: str | None = None
    cast: str | None = None
    aggregate: Aggregate | None = None
    aggregate_cast: str | None = None


@dataclass(frozen=True, slots=True)
class SelectEmbed:
    """An embedded or spread resource with its own selection."""

    name: str
    alias: str | None
    hint: str | None
    join: Join | None
    is_spread: bool
    items: tuple[SelectItem, ...]


SelectItem = SelectField | SelectEmbed


class Quantifier(Enum):
    """`op(any)` and `op(all)`."""

    ANY = "any"
    ALL = "all"


@dataclass(frozen=True, slots=True)
class Binary:
    """An operator with one value, by its name in the URL."""

    operator: str
    value: Value
    quantifier: Quantifier | None = None


@dataclass(frozen=True, slots=True)
class InList:
    """`in.(…)`; a placeholder stands for the whole list as an array's text."""

    values: tuple[str, ...] | Placeholder


@dataclass(frozen=True, slots=True)
class Is:
    """`is.null` and its like: one of null, not_null, true, false, unknown."""

    word: str


@dataclass(frozen=True, slots=True)
class FullText:
    """`fts` and its like, with the language."""

    operator: str
    language: str | None
    value: Value


Operation = Binary | InList | Is | FullText


@dataclass(frozen=True, slots=True)
class Filter:
    """A condition on a field."""

    field: FieldText
    negated: bool
    operation: Operation


@dataclass(frozen=True, slots=True)
class LogicGroup:
    """`and(…)` or `or(…)`."""

    negated: bool
    operator: str
    members: tuple[LogicTree, ...]


LogicTree = Filter | LogicGroup


@dataclass(frozen=True, slots=True)
class OrderText:
    """One term of `order=`; `relation` is set for `embed(column)`."""

    field: FieldText
    descending: bool | None = None
    nulls_first: bool | None = None
    relation: str | None = None


@dataclass(frozen=True, slots=True)
class Preferences:
    """The Prefer header: the first valid value of each kind, and unknown ones."""

    resolution: str | None = None
    representation: str | None = None
    count: str | None = None
    transaction: str | None = None
    missing: str | None = None
    handling: str | None = None
    timezone: str | None = None
    max_affected: int | None = None
    invalid: tuple[str, ...] = ()

    def counts(self) -> bool:
        """Whether rows are really counted."""
        return self.count in {"exact", "estimated"}

    def is_strict(self) -> bool:
        """Whether unknown preferences are an error."""
        return self.handling == "strict"


class Verb(Enum):
    """What is to be done to a relation or function."""

    READ = "read"
    INSERT = "insert"
    UPDATE = "update"
    UPSERT = "upsert"
    DELETE = "delete"
    CALL = "call"
    INFO = "info"


@dataclass(frozen=True, slots=True)
class RelationAction:
    """Read, write or describe a relation; `head`: headers only."""

    name: QualifiedName
    verb: Verb
    head: bool = False


@dataclass(frozen=True, slots=True)
class RoutineAction:
    """Call (or describe) a function; `safe`: by GET or HEAD, with arguments from the query."""

    name: QualifiedName
    safe: bool
    head: bool = False
    info: bool = False

    def takes_query(self) -> bool:
        """Whether the query string holds arguments too; a description is of no call."""
        return self.safe and not self.info


@dataclass(frozen=True, slots=True)
class RootAction:
    """The document of a schema."""

    schema: str
    head: bool = False
    info: bool = False


Action = RelationAction | RoutineAction | RootAction


class PayloadKind(Enum):
    """How a body is used."""

    JSON = "json"
    ARGUMENTS = "arguments"
    RAW = "raw"


@dataclass(frozen=True, slots=True)
class Payload:
    """A body as its plan depends on it: its keys, and whether it is one object.

    `is_flat`: an array of objects without nested values. The body itself (rewritten to JSON where
    it was a form or CSV) stays with the values.
    """

    kind: PayloadKind
    keys: frozenset[str] = frozenset()
    is_object: bool = False
    is_flat: bool = False


@dataclass(frozen=True, slots=True)
class Parameters:
    """The query string, parsed; `arguments` are those of a function, with their values' places."""

    select: tuple[SelectItem, ...]
    filters: tuple[tuple[Path, Filter], ...]
    logic: tuple[tuple[Path, LogicTree], ...]
    orders: tuple[tuple[Path, tuple[OrderText, ...]], ...]
    windows: tuple[tuple[Path, Window], ...]
    arguments: tuple[tuple[str, Value], ...]
    filter_keys: frozenset[str]
    columns: tuple[str, ...] | None
    on_conflict: tuple[str, ...] | None


@dataclass(frozen=True, slots=True)
class ApiRequest:
    """One request, parsed as far as possible without the database."""

    action: Action
    parameters: Parameters
    window: Window
    payload: Payload | None
    columns: frozenset[str]
    preferences: Preferences
    schema: str
    by_profile: bool
    accepts: tuple[MediaType, ...]
    content_type: MediaType
    method: str
