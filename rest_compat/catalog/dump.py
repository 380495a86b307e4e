"""The schema cache as the JSON of the admin server and `--dump-schema` (rest reference 16.3).

The original's own names and nesting, keys sorted; a map is a list of key and value.
"""

from __future__ import annotations

from operator import itemgetter
from typing import Any

from rest_compat.catalog.model import (
    AnyRelationship,
    Builtin,
    Cardinality,
    Column,
    ComputedRelationship,
    Handler,
    Junction,
    Relationship,
    ReturnType,
    Routine,
    SchemaCache,
    Table,
)
from rest_compat.http.media_types import MediaKind, MediaType
from rest_compat.names import QualifiedName

Json = dict[str, Any]

_CARDINALITY_TAGS = {
    Cardinality.ONE_TO_MANY: "O2M",
    Cardinality.MANY_TO_ONE: "M2O",
    Cardinality.ONE_TO_ONE: "O2O",
    Cardinality.MANY_TO_MANY: "M2M",
}
_VOLATILITIES = {"i": "Immutable", "s": "Stable", "v": "Volatile"}
_ISOLATIONS = {
    "read committed": "ReadCommitted",
    "repeatable read": "RepeatableRead",
    "serializable": "Serializable",
}
_BUILTIN_TAGS = {
    Builtin.JSON: "BuiltinOvAggJson",
    Builtin.CSV: "BuiltinOvAggCsv",
    Builtin.GEOJSON: "BuiltinOvAggGeoJson",
}
_MEDIA_TAGS = {
    MediaKind.JSON: "MTApplicationJSON",
    MediaKind.GEOJSON: "MTGeoJSON",
    MediaKind.CSV: "MTTextCSV",
    MediaKind.TEXT: "MTTextPlain",
    MediaKind.XML: "MTTextXML",
    MediaKind.OPENAPI: "MTOpenAPI",
    MediaKind.FORM: "MTUrlEncoded",
    MediaKind.BYTES: "MTOctetStream",
    MediaKind.ANY: "MTAny",
}
_ANY_ELEMENT: Json = {"tag": "RelAnyElement"}


def schema_cache_json(cache: SchemaCache) -> Json:
    """Every part of the cache."""
    return {
        "dbMediaHandlers": [
            [[_target(target), _media(media)], [_handler(handler, target), _media(sent_as)]]
            for (target, media), (handler, sent_as) in cache.handlers.items()
        ],
        "dbRelationships": [
            [[_name(origin), into], [_relationship(one) for one in found]]
            for (origin, into), found in sorted(cache.relationships.items(), key=itemgetter(0))
        ],
        "dbRepresentations": [
            [[source, target], {"drFunction": f, "drSourceType": source, "drTargetType": target}]
            for (source, target), f in cache.representations.items()
        ],
        "dbRoutines": [
            [_name(name), [_routine(one) for one in overloads]]
            for name, overloads in cache.routines.items()
        ],
        "dbTables": [[_name(name), _table(table)] for name, table in cache.tables.items()],
    }


def _name(name: QualifiedName) -> Json:
    return {"qiName": name.name, "qiSchema": name.schema}


def _table(table: Table) -> Json:
    return {
        "tableColumns": {name: _column(table.columns[name]) for name in sorted(table.columns)},
        "tableDeletable": table.deletable,
        "tableDescription": table.description,
        "tableInsertable": table.insertable,
        "tableIsView": table.is_view,
        "tableName": table.name.name,
        "tablePKCols": list(table.primary_key),
        "tableSchema": table.name.schema,
        "tableUpdatable": table.updatable,
    }


def _column(column: Column) -> Json:
    return {
        "colDefault": column.default,
        "colDescription": column.description,
        "colEnum": list(column.enum),
        "colMaxLen": column.max_length,
        "colName": column.name,
        "colNominalType": column.nominal_type,
        "colNullable": column.nullable,
        "colType": column.type,
    }


def _relationship(found: AnyRelationship) -> Json:
    match found:
        case ComputedRelationship():
            return {
                "relForeignTable": _name(found.target),
                "relFunction": _name(found.function),
                "relIsSelf": found.is_self,
                "relTable": _name(found.origin),
                "relTableAlias": {"qiName": "", "qiSchema": ""},
                "relToOne": found.single,
                "tag": "ComputedRelationship",
            }
        case Relationship():
            return {
                "relCardinality": _cardinality(found),
                "relFTableIsView": found.target_is_view,
                "relForeignTable": _name(found.target),
                "relIsSelf": found.is_self,
                "relTable": _name(found.origin),
                "relTableIsView": found.origin_is_view,
                "tag": "Relationship",
            }


def _cardinality(found: Relationship) -> Json:
    tag = _CARDINALITY_TAGS[found.cardinality]
    if found.junction is not None:
        return {"contents": _junction(found.junction), "tag": tag}
    parent: Json = {}
    if found.cardinality is Cardinality.ONE_TO_ONE:
        parent = {"isParent": found.is_parent}
    return {
        **parent,
        "relColumns": [list(pair) for pair in found.columns],
        "relCons": found.constraint,
        "tag": tag,
    }


def _junction(junction: Junction) -> Json:
    return {
        "junColsSource": [list(pair) for pair in junction.origin_columns],
        "junColsTarget": [list(pair) for pair in junction.target_columns],
        "junConstraint1": junction.origin_constraint,
        "junConstraint2": junction.target_constraint,
        "junTable": _name(junction.table),
    }


def _routine(routine: Routine) -> Json:
    isolation = routine.isolation
    level = None if isolation is None else _ISOLATIONS.get(isolation.lower(), "ReadCommitted")
    return {
        "pdDescription": routine.description,
        "pdFuncSettings": [list(pair) for pair in routine.settings],
        "pdHasVariadic": routine.is_variadic,
        "pdIsoLvl": level,
        "pdName": routine.name.name,
        "pdParams": [
            {
                "ppName": one.name,
                "ppReq": one.required,
                "ppType": one.type,
                "ppTypeMaxLength": one.accepting_type,
                "ppVar": one.variadic,
            }
            for one in routine.parameters
        ],
        "pdReturnType": _return_type(routine.returns),
        "pdSchema": routine.name.schema,
        "pdVolatility": _VOLATILITIES[routine.volatility],
    }


def _return_type(returns: ReturnType) -> Json:
    shape: Json = {"contents": _name(returns.type), "tag": "Scalar"}
    if returns.is_composite:
        shape = {"contents": [_name(returns.type), returns.is_alias], "tag": "Composite"}
    return {"contents": shape, "tag": "SetOf" if returns.is_set else "Single"}


def _target(target: QualifiedName | None) -> Json:
    return _ANY_ELEMENT if target is None else {"contents": _name(target), "tag": "RelId"}


def _media(media: MediaType) -> Json:
    tag = _MEDIA_TAGS.get(media.kind)
    return {"contents": media.mime(), "tag": "MTOther"} if tag is None else {"tag": tag}


def _handler(handler: Handler, target: QualifiedName | None) -> Json:
    if isinstance(handler, Builtin):
        return {"tag": _BUILTIN_TAGS[handler]}
    contents = [_name(handler.function), _target(target)]
    return {"contents": contents, "tag": "CustomFunc"}
