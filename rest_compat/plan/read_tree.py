"""A read as a tree: fields, conditions, orders and joins of each level, and its embeds."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from rest_compat.api_request.model import (
    Aggregate,
    Join,
    Operation,
    Step,
)
from rest_compat.http.ranges import ALL, Window
from rest_compat.names import QualifiedName

SOURCE = "pgrst_source"
SOURCE_NAME = QualifiedName("", SOURCE)


@dataclass(frozen=True, slots=True)
class Field:
    """A resolved column (or what PostgreSQL will resolve): conversions included.

    `converts_to_json`: to_jsonb before a JSON path. `to_tsvector`: wrap for full-text search,
    with `language`. `type` is the declared one, `base_type` has domains resolved; both are empty
    where PostgreSQL must find out. `transform`: the cast function of a domain representation.
    `whole_row`: the row itself, for counting in a spread.
    """

    name: str
    path: tuple[Step, ...] = ()
    converts_to_json: bool = False
    to_tsvector: bool = False
    language: str | None = None
    type: str = ""
    base_type: str = ""
    transform: str | None = None
    default: str | None = None
    whole_row: bool = False


@dataclass(frozen=True, slots=True)
class SelectedColumn:
    """One selected column."""

    field: Field
    alias: str | None = None
    cast: str | None = None
    aggregate: Aggregate | None = None
    aggregate_cast: str | None = None


@dataclass(frozen=True, slots=True)
class Comparison:
    """A condition on a field."""

    field: Field
    negated: bool
    operation: Operation


@dataclass(frozen=True, slots=True)
class EmbedIsNull:
    """A condition on the presence of an embed, named by its alias in SQL."""

    part: str
    negated: bool


@dataclass(frozen=True, slots=True)
class Group:
    """Conditions joined by `and` or `or`."""

    negated: bool
    operator: str
    members: tuple[Condition, ...]


Condition = Comparison | EmbedIsNull | Group


@dataclass(frozen=True, slots=True)
class Order:
    """One term of an order; `part` is the SQL alias of a to-one embed it looks into."""

    field: Field
    descending: bool | None = None
    nulls_first: bool | None = None
    part: str | None = None


@dataclass(frozen=True, slots=True)
class JoinPair:
    """`left.column = right.column`."""

    left: QualifiedName
    left_column: str
    right: QualifiedName
    right_column: str


@dataclass(frozen=True, slots=True)
class FromTable:
    """Rows of a relation, with a junction beside it for many-to-many."""

    table: QualifiedName
    alias: str | None = None
    junction: QualifiedName | None = None

    def name(self) -> QualifiedName:
        """What columns are qualified with."""
        return QualifiedName("", self.alias) if self.alias else self.table


@dataclass(frozen=True, slots=True)
class FromFunction:
    """Rows of a computed relationship, called with the parent's row."""

    function: QualifiedName
    argument: str
    argument_type: QualifiedName
    alias: str

    def name(self) -> QualifiedName:
        """What columns are qualified with."""
        return QualifiedName("", self.alias)


@dataclass(frozen=True, slots=True)
class SpreadColumn:
    """A column lifted out of a spread embed, aggregated at the parent where it was hoisted."""

    name: str
    alias: str | None = None
    aggregate: Aggregate | None = None
    aggregate_cast: str | None = None


class PartKind(Enum):
    """How an embed appears in its parent's row."""

    OBJECT = "object"
    ARRAY = "array"
    SPREAD = "spread"
    SPREAD_ARRAYS = "spread arrays"


@dataclass(frozen=True, slots=True)
class Part:
    """An embed as seen from its parent: `alias` in SQL, `name` in the output.

    `hidden`: selects nothing, so it only filters.
    """

    kind: PartKind
    alias: str
    name: str
    hidden: bool = False
    columns: tuple[SpreadColumn, ...] = ()


class Spread(Enum):
    """Whether a node is spread into its parent, as values or as arrays."""

    ONE = "one"
    MANY = "many"


@dataclass(frozen=True, slots=True)
class ExtraColumn:
    """A column selected only so that arrays can be ordered by it; `part`: of an inner embed."""

    column: SelectedColumn
    part: str | None = None


@dataclass(frozen=True, slots=True)
class ReadNode:
    """One level of a read: the root, or an embed (then with its link to the parent).

    `relation` types the columns. `name`, `alias`, `hint` are those of the request; `part_alias`
    is the embed's name in SQL. `origin_columns` are those its parent must return.
    """

    relation: QualifiedName
    source: FromTable | FromFunction
    name: str
    depth: int = 0
    alias: str | None = None
    hint: str | None = None
    join: Join | None = None
    spread: Spread | None = None
    columns: tuple[SelectedColumn, ...] = ()
    conditions: tuple[Condition, ...] = ()
    orders: tuple[Order, ...] = ()
    window: Window = ALL
    to_one: bool = False
    computed: bool = False
    part_alias: str = ""
    joins: tuple[JoinPair, ...] = ()
    origin_columns: tuple[str, ...] = ()
    parts: tuple[Part, ...] = ()
    extra_columns: tuple[ExtraColumn, ...] = ()
    array_orders: tuple[Order, ...] = ()
    used_old_name: bool = False
    children: tuple[ReadNode, ...] = ()

    def output_name(self) -> str:
        """The embed's key in the output."""
        return self.alias or self.name
