"""InspectPlan and Inspected → the root document of a schema (rest reference 14)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from compat_base.values import jsontext
from compat_base.values.http import HttpResponse
from rest_compat.catalog.model import Routine, SchemaCache, Table
from rest_compat.outcome import Inspected
from rest_compat.plan.model import InspectPlan
from rest_compat.response.openapi import Address, make_document, proxy_address
from rest_compat.response.openapi_types import Described
from rest_compat.response.render import render_document
from rest_compat.settings import VERSION, Settings


def render_root(
    plan: InspectPlan, found: Inspected, cache: SchemaCache, settings: Settings
) -> HttpResponse:
    """The OpenAPI document of what was found, or its headers alone."""
    if plan.head:
        return render_document(b"", plan.reply_schema, head=True)
    document = make_document(
        Described(
            tables=_tables(plan.schema, cache, found.tables),
            relationships=cache.relationships,
            routines=_routines(plan.schema, cache, found.routines),
            comment=found.comment,
        ),
        _address(settings),
        version=VERSION,
        docs_version="v16",
        security=settings.openapi_security,
    )
    return render_document(jsontext.encode_bytes(document), plan.reply_schema, head=False)


def _tables(schema: str, cache: SchemaCache, seen: frozenset[str] | None) -> list[Table]:
    return [
        table
        for name, table in cache.tables.items()
        if name.schema == schema and (seen is None or name.name in seen)
    ]


def _routines(
    schema: str, cache: SchemaCache, seen: Mapping[int, Sequence[str]] | None
) -> tuple[Routine, ...]:
    """The last of each name's functions, its types as the caller's search path words them."""
    shown: list[Routine] = []
    for name, overloads in cache.routines.items():
        if name.schema != schema:
            continue
        visible = [one for one in overloads if seen is None or one.oid in seen]
        if visible:
            last = visible[-1]
            shown.append(last if seen is None else _worded(last, seen[last.oid]))
    return tuple(shown)


def _worded(routine: Routine, types: Sequence[str]) -> Routine:
    pairs = zip(routine.parameters, types, strict=False)
    return replace(
        routine, parameters=tuple(replace(parameter, type=name) for parameter, name in pairs)
    )


def _address(settings: Settings) -> Address:
    if settings.openapi_proxy is not None:
        return proxy_address(settings.openapi_proxy)
    return Address("http", settings.server_host, settings.server_port)
