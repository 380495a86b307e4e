"""Writes: the statement, its columns and conditions (rest reference 8.2)."""

from __future__ import annotations

from compat_base.values.errors import ApiError
from rest_compat.api_request.model import ApiRequest, Binary, Verb
from rest_compat.catalog.model import SchemaCache, Table
from rest_compat.errors import PUT_FILTERS
from rest_compat.plan.fields import Resolver, array_field, payload_field
from rest_compat.plan.read import needed_columns
from rest_compat.plan.read_tree import Condition, ReadNode
from rest_compat.plan.statements import Conflict, Delete, Insert, Mutation, PayloadColumns, Update


def make_mutation(
    api: ApiRequest, verb: Verb, table: Table, cache: SchemaCache, read: ReadNode
) -> Mutation:
    """The write of a request; PUT_FILTERS or NO_COLUMN where it cannot be."""
    returning = (
        ()
        if api.preferences.representation in {None, "minimal"}
        else needed_columns(read, table.primary_key)
    )
    if verb is Verb.UPSERT:
        _check_put(api, table)
    conditions = _conditions(api, Resolver(cache, table.name))
    if verb is Verb.DELETE:
        return Delete(table.name, conditions, returning)
    payload = _payload(api, table, cache, with_defaults=verb is not Verb.UPSERT)
    if verb is Verb.UPDATE:
        return Update(table.name, payload, conditions, returning)
    if verb is Verb.UPSERT:
        conflict = Conflict(table.primary_key, ignore=False)
        return Insert(table.name, payload, conflict, conditions, returning, ())
    conflict = _conflict(api, table)
    return Insert(table.name, payload, conflict, (), returning, table.primary_key)


def _conditions(api: ApiRequest, resolver: Resolver) -> tuple[Condition, ...]:
    parameters = api.parameters
    own = [one for path, one in parameters.filters if not path]
    # Trees with an embed's prefix are applied here too: the original does, see deviations.
    trees = [tree for _, tree in parameters.logic]
    return tuple(resolver.condition(one) for one in (*own, *trees))


def _payload(
    api: ApiRequest, table: Table, cache: SchemaCache, *, with_defaults: bool
) -> PayloadColumns:
    columns = tuple(payload_field(cache, table, name) for name in sorted(api.columns))
    defaults = with_defaults and api.preferences.missing == "default"
    if api.payload is not None and api.payload.is_flat and not defaults:
        found = (array_field(table, field) for field in columns)
        arrays = tuple(field for field in found if field is not None)
        if arrays and len(arrays) == len(columns):
            return PayloadColumns(arrays, is_object=False, with_defaults=False, as_arrays=True)
    is_object = api.payload is not None and api.payload.is_object
    return PayloadColumns(columns, is_object=is_object, with_defaults=defaults)


def _conflict(api: ApiRequest, table: Table) -> Conflict | None:
    resolution = api.preferences.resolution
    if resolution is None:
        return None
    chosen = api.parameters.on_conflict
    columns = table.primary_key if chosen is None else chosen
    return Conflict(columns, ignore=resolution == "ignore-duplicates")


def _check_put(api: ApiRequest, table: Table) -> None:
    """A PUT names exactly one row: all of its primary key by `eq`, and nothing else."""
    parameters = api.parameters
    is_exact = bool(table.primary_key) and parameters.filter_keys == frozenset(table.primary_key)
    only_equal = all(
        not one.negated
        and isinstance(one.operation, Binary)
        and one.operation.operator == "eq"
        and one.operation.quantifier is None
        for path, one in parameters.filters
        if not path
    )
    if parameters.logic or not is_exact or not only_equal:
        raise ApiError.of(PUT_FILTERS)
