"""Writes and calls: their arguments, and their returned columns."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from rest_compat.api_request.model import (
    BodyPlaceholder,
    Value,
)
from rest_compat.names import QualifiedName
from rest_compat.plan.read_tree import Condition, Field


class ResultKind(Enum):
    """The kind of rows, which decides how JSON is made of them."""

    ROWS = "rows"
    ROW = "row"
    SCALARS = "scalars"
    SCALAR = "scalar"


@dataclass(frozen=True, slots=True)
class PayloadColumns:
    """A body as rows: its columns, and how it is read.

    `as_arrays`: from an array for each column, of the type of its field, instead of from JSON.
    """

    columns: tuple[Field, ...]
    is_object: bool
    with_defaults: bool
    as_arrays: bool = False
    body: BodyPlaceholder = BodyPlaceholder.TEXT


@dataclass(frozen=True, slots=True)
class Conflict:
    """What an insert does about a duplicate key."""

    columns: tuple[str, ...]
    ignore: bool


@dataclass(frozen=True, slots=True)
class Insert:
    """An insert or upsert; `required` are the conditions of a PUT on the body."""

    table: QualifiedName
    payload: PayloadColumns
    conflict: Conflict | None
    required: tuple[Condition, ...]
    returning: tuple[str, ...]
    primary_key: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Update:
    """An update of the rows that meet the conditions."""

    table: QualifiedName
    payload: PayloadColumns
    conditions: tuple[Condition, ...]
    returning: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Delete:
    """A delete of the rows that meet the conditions."""

    table: QualifiedName
    conditions: tuple[Condition, ...]
    returning: tuple[str, ...]


Mutation = Insert | Update | Delete


@dataclass(frozen=True, slots=True)
class Argument:
    """One argument of a call; no values: NULL; several only where variadic."""

    name: str
    type: str
    variadic: bool
    values: tuple[Value, ...] = ()


@dataclass(frozen=True, slots=True)
class DirectArguments:
    """Arguments given as texts."""

    arguments: tuple[Argument, ...]


@dataclass(frozen=True, slots=True)
class JsonArguments:
    """Arguments taken from a JSON body."""

    arguments: tuple[Argument, ...]
    is_object: bool


@dataclass(frozen=True, slots=True)
class WholeBody:
    """The one unnamed parameter, given the whole body.

    A query string or a form is given as a JSON object: `given` is then what it has under the empty
    name, the only one that such a parameter takes.
    """

    type: str
    given: BodyPlaceholder | tuple[Value, ...]


Arguments = DirectArguments | JsonArguments | WholeBody


@dataclass(frozen=True, slots=True)
class Call:
    """A function call; `returning` are the columns the outer query needs (`*`: all)."""

    function: QualifiedName
    arguments: Arguments
    result: ResultKind
    returning: tuple[str, ...]
