"""Tables, relationships and routines by name, or the error with its hint."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from compat_base.values.errors import ApiError
from rest_compat.catalog.model import (
    AnyRelationship,
    Cardinality,
    ComputedRelationship,
    Relationship,
    Routine,
    SchemaCache,
    Table,
)
from rest_compat.errors import (
    AMBIGUOUS_RELATIONSHIP,
    AMBIGUOUS_ROUTINE,
    NO_RELATIONSHIP,
    NO_ROUTINE,
    NO_TABLE,
)
from rest_compat.http.media_types import MediaKind, MediaType
from rest_compat.names import QualifiedName
from rest_compat.plan.similarity import HINT_SCORE, LOOSE_SCORE, nearest, ranked

_MOST_TABLES_FOR_HINTS = 500


def get_table(cache: SchemaCache, name: QualifiedName) -> Table:
    """The table of that name, or NO_TABLE with the nearest one."""
    table = cache.tables.get(name)
    if table is not None:
        return table
    names = [other.name for other in cache.tables if other.schema == name.schema]
    similar = nearest(names, name.name, HINT_SCORE) if len(names) < _MOST_TABLES_FOR_HINTS else None
    hint = f"Perhaps you meant the table '{name.schema}.{similar}'" if similar else None
    raise ApiError(NO_TABLE.problem(table=str(name), hint=hint))


# ── relationships ──────────────────────────────────────────────────────────────────────────────


@dataclass(frozen=True, slots=True)
class EmbedTarget:
    """The target of an embed: a name and perhaps a hint, from an origin."""

    origin: QualifiedName
    name: str
    hint: str | None


def get_relationship(cache: SchemaCache, target: EmbedTarget) -> AnyRelationship:
    """The one matching relationship, or the problem of none or several."""
    known = cache.relationships.get((target.origin, target.origin.schema), ())
    found = [one for one in known if _fits(one, target)]
    if len(found) == 1:
        return found[0]
    raise _ambiguous(target, found) if found else _missing(cache, target)


def _fits(one: AnyRelationship, target: EmbedTarget) -> bool:
    if isinstance(one, ComputedRelationship):
        return target.name == one.function.name
    if one.is_self:
        return _fits_self(one, target)
    if target.hint is not None:
        return target.name == one.target.name and target.hint in _hints(one)
    if target.name == one.target.name:
        return True
    by_key = target.name == one.constraint or target.name == _single_column(one, 0)
    return by_key and one.cardinality is not Cardinality.MANY_TO_MANY and not one.target_is_view


def _fits_self(one: Relationship, target: EmbedTarget) -> bool:
    """A table's own key: children by the table's name, the parent by the column's name."""
    if target.hint is None and one.cardinality is Cardinality.MANY_TO_ONE:
        return target.name == _single_column(one, 0)
    is_children = one.cardinality is Cardinality.ONE_TO_MANY and target.name == one.target.name
    return is_children and (target.hint is None or target.hint == _single_column(one, 1))


def _single_column(one: Relationship, side: int) -> str | None:
    return one.columns[0][side] if len(one.columns) == 1 else None


def _hints(one: Relationship) -> tuple[str | None, ...]:
    if one.junction is not None:
        return (one.junction.table.name,)
    return (one.constraint, _single_column(one, 0), _single_column(one, 1))


def _missing(cache: SchemaCache, target: EmbedTarget) -> ApiError:
    origin, schema = target.origin.name, target.origin.schema
    using = f" using the hint '{target.hint}'" if target.hint is not None else ""
    details = (
        f"Searched for a foreign key relationship between '{origin}' and '{target.name}'{using}"
        f" in the schema '{schema}', but no matches were found."
    )
    hint = _relationship_hint(cache, target)
    return ApiError(
        NO_RELATIONSHIP.problem(details=details, hint=hint, origin=origin, target=target.name)
    )


def _relationship_hint(cache: SchemaCache, target: EmbedTarget) -> str | None:
    """A nearer target of a known origin, else a nearer origin."""
    schema = target.origin.schema
    known = cache.relationships.get((target.origin, schema))
    if known is None:
        origins = [origin.name for origin, into in cache.relationships if into == schema]
        similar = nearest(origins, target.origin.name, LOOSE_SCORE)
        return _instead(similar, target.origin.name)
    found = ranked({one.target.name for one in known}, target.name, LOOSE_SCORE)
    return _instead(next((name for score, name in found if score < 1), None), target.name)


def _instead(similar: str | None, wanted: str) -> str | None:
    return f"Perhaps you meant '{similar}' instead of '{wanted}'." if similar else None


def _ambiguous(target: EmbedTarget, found: Iterable[AnyRelationship]) -> ApiError:
    several = [one for one in found if isinstance(one, Relationship)]
    choices = ", ".join(
        f"'{one.target.name}!{one.junction.table.name if one.junction else one.constraint}'"
        for one in several
    )
    return ApiError(
        AMBIGUOUS_RELATIONSHIP.problem(
            details=[_described(one) for one in several],
            origin=target.origin.name,
            target=target.name,
            choices=choices,
        )
    )


def _described(one: Relationship) -> dict[str, str]:
    return {
        "cardinality": one.cardinality.name.lower().replace("_", "-"),
        "embedding": f"{one.origin.name} with {one.target.name}",
        "relationship": _junction_text(one) if one.junction else _key_text(one),
    }


def _key_text(one: Relationship) -> str:
    here = ", ".join(column for column, _ in one.columns)
    there = ", ".join(column for _, column in one.columns)
    return f"{one.constraint} using {one.origin.name}({here}) and {one.target.name}({there})"


def _junction_text(one: Relationship) -> str:
    junction = one.junction
    if junction is None:
        return ""
    here = ", ".join(column for _, column in junction.origin_columns)
    there = ", ".join(column for _, column in junction.target_columns)
    return (
        f"{junction.table.name} using {junction.origin_constraint}({here})"
        f" and {junction.target_constraint}({there})"
    )


# ── routines ───────────────────────────────────────────────────────────────────────────────────

_BODY_TYPES = {
    (MediaKind.JSON, "json"), (MediaKind.JSON, "jsonb"), (MediaKind.TEXT, "text"),
    (MediaKind.XML, "xml"), (MediaKind.BYTES, "bytea"),
}  # fmt: skip
_BODY_WORDS = {MediaKind.TEXT: "text", MediaKind.XML: "xml", MediaKind.BYTES: "bytea"}


@dataclass(frozen=True, slots=True)
class Calling:
    """A call as requested: the argument names, and the body's type where there is one."""

    name: QualifiedName
    arguments: frozenset[str]
    content: MediaType
    has_body: bool


def get_routine(cache: SchemaCache, calling: Calling) -> Routine:
    """The matching overload, or the problem of none or several."""
    overloads = cache.routines.get(calling.name, ())
    found = [one for one in overloads if _takes(one, calling)]
    if not found:
        found = [one for one in overloads if _takes_body(one, calling)]
    if len(found) == 1:
        return found[0]
    if not found:
        raise _no_routine(cache, calling, overloads)
    raise ApiError.of(AMBIGUOUS_ROUTINE, candidates=", ".join(map(_signature, found)))


def _takes(routine: Routine, calling: Calling) -> bool:
    if not routine.parameters:
        return not calling.arguments and not (
            calling.has_body and calling.content.kind in _BODY_WORDS
        )
    required = {one.name for one in routine.parameters if one.required}
    every = {one.name for one in routine.parameters}
    return required <= calling.arguments <= every


def _takes_body(routine: Routine, calling: Calling) -> bool:
    if not calling.has_body or len(routine.parameters) != 1:
        return False
    only = routine.parameters[0]
    return not only.name and (calling.content.kind, only.type) in _BODY_TYPES


def _signature(routine: Routine) -> str:
    parameters = ", ".join(f"{one.name} => {one.type}" for one in routine.parameters)
    return f"{routine.name}({parameters})"


def _no_routine(cache: SchemaCache, calling: Calling, overloads: Iterable[Routine]) -> ApiError:
    only_body = _BODY_WORDS.get(calling.content.kind) if calling.has_body else None
    names = sorted(calling.arguments)
    listed = f"({', '.join(names)})" if names else " without parameters"
    call = str(calling.name) if only_body else f"{calling.name}{listed}"
    details = (
        f"Searched for the function {calling.name}{_searched(calling, names, only_body)},"
        " but no matches were found in the schema cache."
    )
    hint = None if only_body else _routine_hint(cache, calling, tuple(overloads))
    return ApiError(NO_ROUTINE.problem(details=details, hint=hint, call=call))


def _searched(calling: Calling, names: list[str], only_body: str | None) -> str:
    if only_body is not None:
        return f" with a single unnamed {only_body} parameter"
    plural = "s" if len(names) > 1 else ""
    text = f" with parameter{plural} {', '.join(names)}" if names else " without parameters"
    if calling.has_body and calling.content.kind is MediaKind.JSON:
        text += " or with a single unnamed json/jsonb parameter"
    return text


def _routine_hint(
    cache: SchemaCache, calling: Calling, overloads: tuple[Routine, ...]
) -> str | None:
    name = calling.name
    if overloads:
        known = [_listed(one.name for one in routine.parameters) for routine in overloads]
        similar = nearest(known, _listed(calling.arguments), LOOSE_SCORE)
        found = f"{name.name}{similar}" if similar else None
    else:
        names = [other.name for other in cache.routines if other.schema == name.schema]
        found = nearest(names, name.name, HINT_SCORE)
    return f"Perhaps you meant to call the function {name.schema}.{found}" if found else None


def _listed(names: Iterable[str]) -> str:
    return f"({', '.join(sorted(names))})"
