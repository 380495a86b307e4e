"""The operators of filters, one row each, for the grammar, the fast path and SQL.

A row added here is parsed, in `and`/`or` too, split from its value for the plan cache, and written
as SQL.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import Enum
from typing import LiteralString


class Family(Enum):
    """The syntax of an operator's operand in the URL."""

    DISTINCT = "op.value; errors do not list it among the expected operators"
    SIMPLE = "op.value"
    QUANTIFIED = "op.value, op(any).{…}, op(all).{…}"
    FULL_TEXT = "op.query, op(language).query"


@dataclass(frozen=True, slots=True)
class Operator:
    """An operator: its name in the URL and its SQL, of full-text search the function's name.

    `wildcard`: `*` stands for `%`. `reads_domain`: the value goes through the cast of a domain
    representation.
    """

    name: str
    sql: LiteralString
    family: Family = Family.SIMPLE
    wildcard: bool = False
    reads_domain: bool = True


OPERATORS = (
    Operator("eq", "=", Family.QUANTIFIED),
    Operator("gte", ">=", Family.QUANTIFIED),
    Operator("gt", ">", Family.QUANTIFIED),
    Operator("lte", "<=", Family.QUANTIFIED),
    Operator("lt", "<", Family.QUANTIFIED),
    Operator("like", "like", Family.QUANTIFIED, wildcard=True, reads_domain=False),
    Operator("ilike", "ilike", Family.QUANTIFIED, wildcard=True, reads_domain=False),
    Operator("match", "~", Family.QUANTIFIED),
    Operator("imatch", "~*", Family.QUANTIFIED),
    Operator("neq", "<>"),
    Operator("isdistinct", "IS DISTINCT FROM", Family.DISTINCT, reads_domain=False),
    Operator("cs", "@>"),
    Operator("cd", "<@"),
    Operator("ov", "&&"),
    Operator("sl", "<<"),
    Operator("sr", ">>"),
    Operator("nxr", "&<"),
    Operator("nxl", "&>"),
    Operator("adj", "-|-"),
    Operator("fts", "to_tsquery", Family.FULL_TEXT),
    Operator("plfts", "plainto_tsquery", Family.FULL_TEXT),
    Operator("phfts", "phraseto_tsquery", Family.FULL_TEXT),
    Operator("wfts", "websearch_to_tsquery", Family.FULL_TEXT),
)
IS_VALUES: dict[str, LiteralString] = {
    "null": "NULL",
    "not_null": "NOT NULL",
    "true": "TRUE",
    "false": "FALSE",
    "unknown": "UNKNOWN",
}
BY_NAME = {operator.name: operator for operator in OPERATORS}


def names_of(family: Family) -> tuple[str, ...]:
    """The names of a family, longest first, so that none hides a longer one."""
    names = (operator.name for operator in OPERATORS if operator.family is family)
    return tuple(sorted(names, key=len, reverse=True))


def pattern_of(names: Iterable[str]) -> str:
    """A regular expression for any of the names."""
    return "|".join(names)


def scalar_pattern() -> str:
    """An operation whose value is only data: what stands before the value, and the value."""
    simple = pattern_of(names_of(Family.SIMPLE) + names_of(Family.DISTINCT))
    quantified = pattern_of(names_of(Family.QUANTIFIED))
    full_text = pattern_of(names_of(Family.FULL_TEXT))
    return (
        rf"((?:not\.)?(?:(?:{simple})|(?:{quantified})(?:\((?:any|all)\))?"
        rf"|(?:{full_text})(?:\([\w$ ]+\))?)\.)(.*)"
    )
