"""A small catalog for tests of plans and SQL: departments with employees, and who plans against it."""

from __future__ import annotations

from typing import Any

from compat_base.values.http import HttpRequest
from compat_base.values.sqltext import Sql, compile_sql
from rest_compat.api_request.model import ApiRequest
from rest_compat.catalog.model import (
    Cardinality,
    Column,
    Parameter,
    Relationship,
    ReturnType,
    Routine,
    SchemaCache,
    Table,
)
from rest_compat.names import QualifiedName
from rest_compat.plan import read_tree
from rest_compat.plan.make import make_plan
from rest_compat.plan.model import StatementPlan
from rest_compat.plan.read import PlanRules
from rest_compat.plan.read_tree import Field, FromTable, ReadNode
from rest_compat.request.parse import parse
from rest_compat.request.shape import split_request
from rest_compat.request.target import Exposure

EMP, DEPT = QualifiedName("api", "emp"), QualifiedName("api", "dept")


def table(relation: QualifiedName, /, **types: str) -> Table:
    """A writable table whose key is `id`."""
    columns = {
        key: Column(key, None, True, type_name, type_name, None, None, ())
        for key, type_name in types.items()
    }
    return Table(relation, None, False, True, True, True, ("id",), columns)


def routine(
    name: str, *parameters: Parameter, returns: str = "emp", is_set: bool = True
) -> Routine:
    """A stable function of schema `api` that returns rows of a relation."""
    result = ReturnType(QualifiedName("api", returns), is_set, True, False)
    return Routine(QualifiedName("api", name), None, parameters, result, "s", False, None, ())


def parameter(name: str, type_name: str = "integer", *, required: bool = True) -> Parameter:
    """A parameter that takes one value."""
    return Parameter(name, type_name, type_name, required, False)


_KEY = (("dept_id", "id"),)
CACHE = SchemaCache(
    tables={
        EMP: table(EMP, id="integer", name="text", dept_id="integer", data="jsonb", tsv="tsvector"),
        DEPT: table(DEPT, id="integer", name="text"),
    },
    relationships={
        (EMP, "api"): (Relationship(EMP, DEPT, False, Cardinality.MANY_TO_ONE, "emp_dept", _KEY),),
        (DEPT, "api"): (
            Relationship(
                DEPT, EMP, False, Cardinality.ONE_TO_MANY, "emp_dept", (("id", "dept_id"),)
            ),
        ),
    },
    routines={
        QualifiedName("api", "staff"): (routine("staff", parameter("above", required=False)),),
        QualifiedName("api", "over"): (
            routine("over", parameter("a")),
            routine("over", parameter("a", "text")),
        ),
        QualifiedName("api", "whole"): (routine("whole", parameter("", "json")),),
    },
)


def make_request(
    query: str, method: str = "GET", path: str = "/emp", body: bytes = b"", **headers: str
) -> ApiRequest:
    """A request as understood without the catalog."""
    sent = tuple((name.replace("_", "-"), value) for name, value in headers.items())
    request = HttpRequest(method, path, path, query, sent, body)
    shape, _ = split_request(request, Exposure(("api",)))
    return parse(shape, allow_transaction=True)


def planned(
    query: str,
    method: str = "GET",
    path: str = "/emp",
    body: bytes = b"",
    *,
    max_rows: int | None = None,
    **headers: str,
) -> StatementPlan:
    """The plan of a request that runs a statement."""
    rules = PlanRules(aggregates=True, max_rows=max_rows)
    plan = make_plan(make_request(query, method, path, body, **headers), CACHE, rules)
    assert isinstance(plan, StatementPlan)
    return plan


def level(name: str, **facts: Any) -> ReadNode:
    """One level of a read, by its relation's name."""
    relation = QualifiedName("api", name)
    return ReadNode(relation, FromTable(relation), name, **facts)


def column(name: str, **facts: Any) -> read_tree.SelectedColumn:
    """A selected column."""
    return read_tree.SelectedColumn(Field(name), **facts)


def text_of(sql: Sql) -> str:
    """SQL as it is sent, its blanks made single."""
    return " ".join(compile_sql(sql).text.split())
