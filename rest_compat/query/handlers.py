"""The expressions that make a body out of the result's rows, inside PostgreSQL."""

from __future__ import annotations

from compat_base.values.sqltext import Sql, raw, sql
from rest_compat.catalog.model import CustomHandler
from rest_compat.plan.model import BuiltinHandler, Handler
from rest_compat.plan.statements import ResultKind

_ROWS = {
    ResultKind.ROWS: raw("json_agg(_postgrest_t)"),
    ResultKind.ROW: raw("json_agg(_postgrest_t)->0"),
    ResultKind.SCALARS: raw("json_agg(_postgrest_t.pgrst_scalar)"),
    ResultKind.SCALAR: raw("json_agg(_postgrest_t.pgrst_scalar)->0"),
}
_IS_LIST = frozenset({ResultKind.ROWS, ResultKind.SCALARS})

_CSV = raw(
    "(SELECT coalesce(string_agg(a.k, ','), '') FROM (SELECT json_object_keys(r)::text as k"
    " FROM (SELECT row_to_json(hh) as r from pgrst_source as hh limit 1) s) a) || '\n' ||"
    " coalesce(string_agg(substring(_postgrest_t::text, 2, length(_postgrest_t::text) - 2),"
    " '\n'), '')"
)
_GEOJSON = raw(
    "json_build_object('type', 'FeatureCollection', 'features',"
    " coalesce(json_agg(ST_AsGeoJSON(_postgrest_t)::json), '[]'))"
)


def body_sql(handler: Handler, result: ResultKind) -> Sql:
    """The body's expression over the rows `_postgrest_t`."""
    match handler:
        case CustomHandler():
            return _custom(handler, result)
        case BuiltinHandler.NOTHING:
            return raw("''::text")
        case BuiltinHandler.CSV:
            return _CSV
        case BuiltinHandler.GEOJSON:
            return _GEOJSON
        case BuiltinHandler.JSON | BuiltinHandler.JSON_STRIPPED:
            return _json(
                _ROWS[result],
                stripped=handler is BuiltinHandler.JSON_STRIPPED,
                is_list=result in _IS_LIST,
            )
        case BuiltinHandler.OBJECT | BuiltinHandler.OBJECT_STRIPPED:
            one = ResultKind.SCALAR if result is ResultKind.SCALAR else ResultKind.ROW
            return _json(
                _ROWS[one], stripped=handler is BuiltinHandler.OBJECT_STRIPPED, is_list=False
            )


def _json(value: Sql, *, stripped: bool, is_list: bool) -> Sql:
    return sql(
        "coalesce({value}, '[]')" if is_list else "coalesce({value}, 'null')",
        value=sql("json_strip_nulls({value})", value=value) if stripped else value,
    )


def _custom(handler: CustomHandler, result: ResultKind) -> Sql:
    if result is ResultKind.SCALAR and handler.target is not None:
        # The function itself returns the media type; a cast would ask for rights on its schema.
        return raw("_postgrest_t.pgrst_scalar")
    function = handler.function.sql()
    if result is ResultKind.SCALAR:
        return sql("{function}(_postgrest_t.pgrst_scalar)", function=function)
    if handler.target is None:
        return sql("{function}(_postgrest_t)", function=function)
    return sql("{function}(_postgrest_t::{type})", function=function, type=handler.target.sql())
