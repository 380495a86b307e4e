"""The main statement's result, and the verdict: commit or roll back."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from compat_base.values.errors import Problem
from rest_compat.errors import MAX_AFFECTED, PUT_PAYLOAD, SINGULARITY
from rest_compat.plan.model import Promise


@dataclass(frozen=True, slots=True)
class Outcome:
    """The result: totals, the body as PostgreSQL wrote it, and response settings made by SQL.

    `location` is the primary key of a single inserted row; `inserted` counts the rows of an upsert
    that were new. `total` is None where it was not requested or is unknown.
    """

    total: int | None = None
    page_total: int = 0
    location: tuple[tuple[str, str], ...] = ()
    body: bytes = b""
    response_headers: str | None = None
    response_status: str | None = None
    inserted: int | None = None


@dataclass(frozen=True, slots=True)
class Inspected:
    """The visible part of a schema: tables, functions' argument types by oid; its comment.

    None in place of tables and functions: all of them.
    """

    tables: frozenset[str] | None
    routines: Mapping[int, Sequence[str]] | None
    comment: str | None


def judge(promise: Promise, outcome: Outcome) -> Problem | None:
    """None if the result keeps the promise, else the problem for which to roll back."""
    count = outcome.page_total
    if promise.upserted_one and count != 1:
        return PUT_PAYLOAD.problem()
    if promise.single and count != 1:
        return SINGULARITY.problem(count=count)
    if promise.max_affected is not None and count > promise.max_affected:
        return MAX_AFFECTED.problem(count=count)
    return None


def combined_total(
    counted: int | None, estimated: int | None, max_rows: int | None, *, exact: bool
) -> int | None:
    """The total of a planned or estimated count.

    An estimate counts exactly up to the maximum of rows; beyond it (or without one) the greater
    of the two numbers is given.
    """
    if not exact:
        return estimated
    if counted is not None and (max_rows is None or counted > max_rows):
        return max(counted, estimated or 0)
    return counted
