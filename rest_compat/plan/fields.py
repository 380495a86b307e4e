"""Names → fields: types, JSON conversion, full-text wrapping and domain representations."""

from __future__ import annotations

from dataclasses import dataclass, replace

from compat_base.values.errors import ApiError
from rest_compat.api_request.model import (
    Binary,
    FieldText,
    Filter,
    FullText,
    InList,
    Is,
    LogicGroup,
    LogicTree,
    Operation,
    OrderText,
)
from rest_compat.api_request.operators import BY_NAME
from rest_compat.catalog.model import Column as CatalogColumn
from rest_compat.catalog.model import SchemaCache, Table
from rest_compat.errors import NO_COLUMN
from rest_compat.names import QualifiedName
from rest_compat.plan.read_tree import Comparison, Condition, Field, Group, Order

_JSON_TYPES = frozenset({"json", "jsonb"})


@dataclass(frozen=True, slots=True)
class Resolver:
    """Resolves the names of one relation's columns; unknown names are left to PostgreSQL."""

    cache: SchemaCache
    relation: QualifiedName

    def columns(self) -> tuple[CatalogColumn, ...]:
        """The relation's columns in their order; none where it is unknown."""
        table = self.cache.tables.get(self.relation)
        return () if table is None else tuple(table.columns.values())

    def output(self, text: FieldText) -> Field:
        """A field of the response, formatted by its domain's cast to json."""
        return self._formatted(self._field(text))

    def output_column(self, column: CatalogColumn) -> Field:
        """A catalog column as a field of the response, formatted by its domain's cast to json."""
        return self._formatted(field_of_column(column))

    def has_formats(self) -> bool:
        """Whether any column is sent through a cast to json."""
        casts = self.cache.representations
        return bool(casts) and any((one.nominal_type, "json") in casts for one in self.columns())

    def condition(self, tree: LogicTree) -> Condition:
        """A filter or logic tree with its fields resolved."""
        if isinstance(tree, LogicGroup):
            members = tuple(self.condition(member) for member in tree.members)
            return Group(tree.negated, tree.operator, members)
        return self._comparison(tree)

    def order(self, text: OrderText) -> Order:
        """An order term; one that looks into an embed keeps the embed's name for now."""
        if text.relation is not None:
            field = Field(text.field.name, text.field.path)
            return Order(field, text.descending, text.nulls_first, text.relation)
        return Order(self._field(text.field), text.descending, text.nulls_first)

    def _comparison(self, given: Filter) -> Comparison:
        field = self._field(given.field)
        if isinstance(given.operation, FullText) and field.base_type not in {"", "tsvector"}:
            field = replace(field, to_tsvector=True, language=given.operation.language)
        parser = self.cache.representations.get(("text", field.type))
        if parser is not None and _is_parsed(given.operation):
            field = replace(field, transform=parser)
        return Comparison(field, given.negated, given.operation)

    def _field(self, text: FieldText) -> Field:
        table = self.cache.tables.get(self.relation)
        column = None if table is None else table.columns.get(text.name)
        field = Field(text.name) if column is None else field_of_column(column)
        is_json = field.type in _JSON_TYPES
        return replace(field, path=text.path, converts_to_json=not is_json)

    def _formatted(self, field: Field) -> Field:
        function = self.cache.representations.get((field.type, "json"))
        return field if function is None else replace(field, transform=function)


def field_of_column(column: CatalogColumn) -> Field:
    """The field of a known column."""
    return Field(
        column.name,
        type=column.nominal_type,
        base_type=column.type,
        default=column.default,
    )


def payload_field(cache: SchemaCache, table: Table, name: str) -> Field:
    """The field a body's key writes; NO_COLUMN where there is none.

    A domain that is read from json by a cast is taken as json first.
    """
    column = table.columns.get(name)
    if column is None:
        raise ApiError.of(NO_COLUMN, column=name, table=table.name.name)
    field = field_of_column(column)
    parser = cache.representations.get(("json", field.type))
    return field if parser is None else replace(field, type="json", transform=parser)


def array_field(table: Table, field: Field) -> Field | None:
    """The field that a body's key writes, from an array; None if JSON reads it differently."""
    element = table.columns[field.name].element_type()
    return None if element is None or field.transform is not None else replace(field, type=element)


def _is_parsed(operation: Operation) -> bool:
    match operation:
        case Binary(operator) | FullText(operator):
            return BY_NAME[operator].reads_domain
        case InList():
            return True
        case Is():
            return False
