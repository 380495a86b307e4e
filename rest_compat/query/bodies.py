"""The request's body as rows: `FROM …`, where each column has the type of the table's."""

from __future__ import annotations

from compat_base.values.sqltext import EMPTY, Sql, ident, literal, param, raw, sql
from rest_compat.api_request.model import ColumnPlaceholder
from rest_compat.names import QualifiedName, catalog_text
from rest_compat.plan.read_tree import Field
from rest_compat.plan.statements import PayloadColumns
from rest_compat.query.fragments import as_alias, called, comma_list

BODY = QualifiedName("", "pgrst_body")


def body_rows(payload: PayloadColumns, *, only_first: bool = False) -> Sql:
    """`FROM …`: the body as rows named pgrst_body, one column per key, cast to its type."""
    if payload.as_arrays:
        return _array_rows(payload)
    kind = raw("jsonb") if payload.with_defaults else raw("json")
    data = raw("pgrst_json_defs.val") if payload.with_defaults else raw("pgrst_payload.json_data")
    return sql(
        "FROM (SELECT {body}::{kind} AS json_data) pgrst_payload, {defaults}"
        "LATERAL (SELECT {columns} FROM {rows}{limit}) pgrst_body",
        body=param(payload.body),
        kind=kind,
        defaults=_with_defaults(payload) if payload.with_defaults else EMPTY,
        columns=comma_list(_parsed(field) for field in payload.columns),
        rows=_recordset(payload, kind, data),
        limit=raw(" LIMIT 1") if only_first else EMPTY,
    )


def _array_rows(payload: PayloadColumns) -> Sql:
    arrays = (
        sql(
            "{values}::{type}[]",
            values=param(ColumnPlaceholder(one.name)),
            type=catalog_text(one.type),
        )
        for one in payload.columns
    )
    return sql(
        "FROM unnest({arrays}) AS pgrst_body({names})",
        arrays=comma_list(arrays),
        names=comma_list(ident(field.name) for field in payload.columns),
    )


def _recordset(payload: PayloadColumns, kind: Sql, data: Sql) -> Sql:
    if not payload.columns:
        # One row for each empty object.
        if payload.is_object:
            return raw("(values(1)) _")
        return sql("{kind}_array_elements({data}) _", kind=kind, data=data)
    typed = (
        sql("{name} {type}", name=ident(field.name), type=catalog_text(field.type))
        for field in payload.columns
    )
    return sql(
        "{kind}_{function}({data}) AS _({columns})",
        kind=kind,
        function=raw("to_record") if payload.is_object else raw("to_recordset"),
        data=data,
        columns=comma_list(typed),
    )


def _parsed(field: Field) -> Sql:
    name = ident(field.name)
    return name if field.transform is None else called(field.transform, name) + as_alias(field.name)


def _with_defaults(payload: PayloadColumns) -> Sql:
    """`LATERAL …, `: each object of the body over the defaults of the columns it leaves out."""
    defaults = (
        sql("{name}, {value}", name=literal(field.name), value=catalog_text(field.default))
        for field in payload.columns
        if field.default is not None
    )
    built = sql("jsonb_build_object({defaults})", defaults=comma_list(defaults))
    if payload.is_object:
        return sql(
            "LATERAL (SELECT {built} || pgrst_payload.json_data AS val) pgrst_json_defs, ",
            built=built,
        )
    return sql(
        "LATERAL (SELECT jsonb_agg({built} || elem) AS val"
        " FROM jsonb_array_elements(pgrst_payload.json_data) elem) pgrst_json_defs, ",
        built=built,
    )
