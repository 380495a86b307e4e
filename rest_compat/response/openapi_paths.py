"""The root document's paths and their parameters (rest reference 15)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from rest_compat.catalog.model import Parameter, Routine, Table
from rest_compat.response.openapi_types import (
    RPC_TYPES,
    Described,
    Json,
    array_items,
    given,
    split_comment,
    swagger_format,
    swagger_type,
)


def _parameter(name: str, description: str | None, where: str = "query", **more: Any) -> Json:
    return given(
        name=name, description=description, required=False, **{"in": where}, type="string", **more
    )


def shared_parameters(tables: Sequence[Table]) -> Json:
    """The parameters that paths refer to."""
    returns = ["return=representation", "return=minimal", "return=none"]
    resolutions = ["resolution=ignore-duplicates", "resolution=merge-duplicates"]
    parameters: Json = {
        "preferParams": _parameter("Prefer", "Preference", "header"),
        "preferReturn": _parameter("Prefer", "Preference", "header", enum=returns),
        "preferCount": _parameter("Prefer", "Preference", "header", enum=["count=none"]),
        "preferPost": _parameter("Prefer", "Preference", "header", enum=[*returns, *resolutions]),
        "select": _parameter("select", "Filtering Columns"),
        "on_conflict": _parameter("on_conflict", "On Conflict"),
        "order": _parameter("order", "Ordering"),
        "range": _parameter("Range", "Limiting and Pagination", "header"),
        "rangeUnit": _parameter("Range-Unit", "Limiting and Pagination", "header", default="items"),
        "offset": _parameter("offset", "Limiting and Pagination"),
        "limit": _parameter("limit", "Limiting and Pagination"),
    }
    for table in tables:
        name = table.name.name
        parameters[f"body.{name}"] = {
            "name": name,
            "description": name,
            "required": False,
            "in": "body",
            "schema": {"$ref": f"#/definitions/{name}"},
        }
        for column in table.columns.values():
            parameters[f"rowFilter.{name}.{column.name}"] = _parameter(
                column.name, column.description
            )
    return parameters


def paths_of(described: Described) -> Json:
    """The root, each relation, each function."""
    root = {
        "tags": ["Introspection"],
        "summary": "OpenAPI description (this document)",
        "produces": ["application/openapi+json", "application/json"],
        "responses": {"200": {"description": "OK"}},
    }
    paths: Json = {"/": {"get": root}}
    paths |= {f"/{table.name.name}": _table_path(table) for table in described.tables}
    paths |= {f"/rpc/{r.name.name}": _routine_path(r) for r in described.routines}
    return paths


def _table_path(table: Table) -> Json:
    name = table.name.name
    summary, description = split_comment(table.description)
    shared = given(tags=[name], summary=summary, description=description)
    filters = [f"rowFilter.{name}.{column}" for column in table.columns]
    paging = ["select", "order", "range", "rangeUnit", "offset", "limit", "preferCount"]
    rows = {"type": "array", "items": {"$ref": f"#/definitions/{name}"}}
    found = {"200": {"description": "OK", "schema": rows}, "206": _response("Partial Content")}
    path: Json = {"get": {**shared, "parameters": _refs(*filters, *paging), "responses": found}}
    if table.insertable or table.updatable or table.deletable:
        body = f"body.{name}"
        none = {"204": _response("No Content")}
        path["post"] = {
            **shared,
            "parameters": _refs(body, "select", "preferPost"),
            "responses": {"201": _response("Created")},
        }
        change = _refs(*filters, body, "preferReturn")
        path["patch"] = {**shared, "parameters": change, "responses": none}
        remove = _refs(*filters, "preferReturn")
        path["delete"] = {**shared, "parameters": remove, "responses": none}
    return path


def _routine_path(routine: Routine) -> Json:
    summary, description = split_comment(routine.description)
    shared = given(
        tags=[f"(rpc) {routine.name.name}"],
        summary=summary,
        description=description,
        produces=RPC_TYPES,
        responses={"200": _response("OK")},
    )
    arguments = {
        "name": "args",
        "required": True,
        "in": "body",
        "schema": _arguments(routine),
    }
    post = {**shared, "parameters": [arguments, *_refs("preferParams")]}
    if routine.volatility == "v":
        return {"post": post}
    return {"get": given(**shared, parameters=_query_parameters(routine)), "post": post}


def _arguments(routine: Routine) -> Json:
    return given(
        description=routine.description,
        required=[p.name for p in routine.parameters if p.required],
        properties={p.name: _argument(p) for p in routine.parameters} or None,
        type="object",
    )


def _argument(parameter: Parameter) -> Json:
    sql_type = parameter.type
    return given(
        format=swagger_format(sql_type), items=array_items(sql_type), type=swagger_type(sql_type)
    )


def _query_parameters(routine: Routine) -> list[Json]:
    return [_query_parameter(parameter) for parameter in routine.parameters]


def _query_parameter(parameter: Parameter) -> Json:
    shared: Json = {"name": parameter.name, "required": parameter.required, "in": "query"}
    kind = swagger_type(parameter.type)
    if parameter.variadic:
        element = parameter.type[:-2]
        items = given(type=swagger_type(element), format=swagger_format(element))
        return {**shared, "type": kind or "string", "collectionFormat": "multi", "items": items}
    # An array is written as {a,b} in a query, and JSON as its text: both are strings there.
    plain = "string" if kind in {None, "array"} else kind
    return {**shared, "type": plain, "format": swagger_format(parameter.type)}


def _response(description: str) -> Json:
    return {"description": description}


def _refs(*names: str) -> list[Json]:
    return [{"$ref": f"#/parameters/{name}"} for name in names]
