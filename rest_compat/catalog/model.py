"""The schema cache as frozen values with plain dictionaries inside (rest reference 13)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import IntEnum

from rest_compat.http.media_types import ANY, CSV, GEOJSON, JSON, MediaType
from rest_compat.names import QualifiedName

# Types whose array elements can be written as the text of a JSON scalar.
_TEXTUAL_TYPES = frozenset({
    "smallint", "integer", "bigint", "real", "double precision", "numeric", "boolean", "text",
    "character varying", "uuid", "date", "timestamp without time zone", "timestamp with time zone",
})  # fmt: skip

ColumnPairs = tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class Column:
    """One column: `type` has domains resolved, `nominal_type` is the declared one."""

    name: str
    description: str | None
    nullable: bool
    type: str
    nominal_type: str
    max_length: int | None
    default: str | None
    enum: tuple[str, ...]

    def element_type(self) -> str | None:
        """Its type in an array, without a length: the column refuses what is longer.

        None for domains, and for types that JSON gives more than a scalar.
        """
        is_declared = self.nominal_type.partition("(")[0] == self.type
        is_textual = self.type in _TEXTUAL_TYPES or bool(self.enum)
        return self.type if is_declared and is_textual else None


@dataclass(frozen=True, slots=True)
class Table:
    """A relation of any kind, with what may be done to it and its primary key's columns."""

    name: QualifiedName
    description: str | None
    is_view: bool
    insertable: bool
    updatable: bool
    deletable: bool
    primary_key: tuple[str, ...]
    columns: Mapping[str, Column]


class Cardinality(IntEnum):
    """How many rows are on each side."""

    ONE_TO_MANY = 0
    MANY_TO_ONE = 1
    ONE_TO_ONE = 2
    MANY_TO_MANY = 3


@dataclass(frozen=True, slots=True, order=True)
class Junction:
    """The table of a many-to-many relationship: its two constraints and their column pairs.

    Each pair names the column of the origin (or target) and that of the junction.
    """

    table: QualifiedName
    origin_constraint: str
    target_constraint: str
    origin_columns: ColumnPairs
    target_columns: ColumnPairs


@dataclass(frozen=True, slots=True)
class Relationship:
    """From an origin to a target over a foreign key (or two, with a junction)."""

    origin: QualifiedName
    target: QualifiedName
    is_self: bool
    cardinality: Cardinality
    constraint: str
    columns: ColumnPairs
    junction: Junction | None = None
    is_parent: bool = False
    origin_is_view: bool = False
    target_is_view: bool = False

    @property
    def schema(self) -> str:
        """The schema that it is found in: the target's."""
        return self.target.schema

    def to_one(self) -> bool:
        """Whether at most one target belongs to an origin."""
        return self.cardinality in {Cardinality.MANY_TO_ONE, Cardinality.ONE_TO_ONE}


@dataclass(frozen=True, slots=True)
class ComputedRelationship:
    """A function from a row of the origin to rows of the target."""

    function: QualifiedName
    origin: QualifiedName
    target: QualifiedName
    single: bool
    is_self: bool

    @property
    def schema(self) -> str:
        """The schema that it is found in: the function's, wherever its rows come from."""
        return self.function.schema

    def to_one(self) -> bool:
        """Whether at most one target belongs to an origin."""
        return self.single


AnyRelationship = Relationship | ComputedRelationship
Relationships = Mapping[tuple[QualifiedName, str], tuple[AnyRelationship, ...]]
"""By origin and the schema that they are found in."""


@dataclass(frozen=True, slots=True, order=True)
class Parameter:
    """One input parameter; `accepting_type` has no length that would cut a value."""

    name: str
    type: str
    accepting_type: str
    required: bool
    variadic: bool


@dataclass(frozen=True, slots=True)
class ReturnType:
    """What a routine returns; `is_alias`: a domain over a composite."""

    type: QualifiedName
    is_set: bool
    is_composite: bool
    is_alias: bool

    def is_scalar(self) -> bool:
        """Whether a single value is returned, no row."""
        return not self.is_set and not self.is_composite

    def is_void(self) -> bool:
        """Whether nothing is returned."""
        return self.is_scalar() and self.type == QualifiedName("pg_catalog", "void")


@dataclass(frozen=True, slots=True)
class Routine:
    """A function callable under /rpc; `settings` act on the whole transaction."""

    name: QualifiedName
    description: str | None
    parameters: tuple[Parameter, ...]
    returns: ReturnType
    volatility: str
    is_variadic: bool
    isolation: str | None
    settings: tuple[tuple[str, str], ...]
    oid: int = 0


@dataclass(frozen=True, slots=True)
class CustomHandler:
    """A function or aggregate that renders a media type; `target` None: of any element."""

    function: QualifiedName
    target: QualifiedName | None


class Builtin(IntEnum):
    """Handlers every server has; a custom one for any element may replace them."""

    JSON = 1
    CSV = 2
    GEOJSON = 3


Handler = CustomHandler | Builtin
HandlerKey = tuple[QualifiedName | None, MediaType]

BUILTIN_HANDLERS: Mapping[HandlerKey, tuple[Handler, MediaType]] = {
    (None, CSV): (Builtin.CSV, CSV),
    (None, GEOJSON): (Builtin.GEOJSON, GEOJSON),
    (None, JSON): (Builtin.JSON, JSON),
    (None, ANY): (Builtin.JSON, JSON),
}


@dataclass(frozen=True, slots=True)
class SchemaCache:
    """What the service knows of the database, for plans.

    `relationships` is keyed by origin and schema; `representations` by source and
    target type, giving the cast function.
    """

    tables: Mapping[QualifiedName, Table] = field(default_factory=dict[QualifiedName, Table])
    relationships: Relationships = field(
        default_factory=dict[tuple[QualifiedName, str], tuple[AnyRelationship, ...]]
    )
    routines: Mapping[QualifiedName, tuple[Routine, ...]] = field(
        default_factory=dict[QualifiedName, tuple[Routine, ...]]
    )
    representations: Mapping[tuple[str, str], str] = field(
        default_factory=dict[tuple[str, str], str]
    )
    handlers: Mapping[HandlerKey, tuple[Handler, MediaType]] = field(
        default_factory=lambda: BUILTIN_HANDLERS
    )
