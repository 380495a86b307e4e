"""SQL as a value until the last moment: text from our own source, quoted names, and parameters.

`sql("select * from {table} where id = {id}", table=ident("api", "films"), id=param(5, "bigint"))`
compiles to text with `$1` and a tuple of arguments. `sql` and `raw` take literal strings only (the
type checker refuses a computed one), so a name or a value from outside cannot become SQL text.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, LiteralString


@dataclass(frozen=True, slots=True)
class Param:
    """A value that travels beside the text, with the type it is cast to (None: inferred)."""

    value: Any
    pg_type: str | None


@dataclass(frozen=True, slots=True)
class Sql:
    """A piece of SQL: text and parameters in order; pieces are joined with `+`."""

    parts: tuple[str | Param, ...] = ()

    def __add__(self, other: Sql) -> Sql:
        """Put the other piece behind this one."""
        return Sql(self.parts + other.parts)

    def __bool__(self) -> bool:
        """Whether the piece has any part."""
        return bool(self.parts)


@dataclass(frozen=True, slots=True)
class Statement:
    """Compiled SQL: text with `$n` placeholders, and as many arguments."""

    text: str
    args: tuple[Any, ...] = ()


EMPTY = Sql()
_PART = re.compile(r"\{(\w+)\}")


def raw(text: LiteralString) -> Sql:
    """SQL text written in our own source."""
    return Sql((text,))


def sql(template: LiteralString, **parts: Sql) -> Sql:
    """A template written in our own source, with a part for each `{name}` in it.

    Any other brace stays as it is. ValueError where the names and the parts are not the same.
    """
    texts, names = _split(template)
    if parts.keys() != set(names):
        raise ValueError(f"{template!r} and its parts {sorted(parts)} do not go together")
    pieces: list[str | Param] = [texts[0]]
    for name, text in zip(names, texts[1:], strict=True):
        pieces += parts[name].parts
        if text:
            pieces.append(text)
    return Sql(tuple(pieces))


@lru_cache(maxsize=1000)
def _split(template: str) -> tuple[list[str], list[str]]:
    """The texts around the names, and the names."""
    found = _PART.split(template)
    return found[::2], found[1::2]


def ident(*names: str) -> Sql:
    """A quoted, dotted name: `"api"."films"`."""
    return Sql((quote_ident(*names),))


def literal(text: str) -> Sql:
    """A quoted string constant, for the few places that take no parameter (SET, NOTIFY)."""
    return Sql((quote_literal(text),))


def param(value: Any, pg_type: LiteralString | None = None) -> Sql:
    """A value sent beside the text; with a type it becomes `$n::type`."""
    return Sql((Param(value, pg_type),))


def join(separator: LiteralString, pieces: Iterable[Sql]) -> Sql:
    """The pieces with the separator between them."""
    parts: list[str | Param] = []
    for position, piece in enumerate(pieces):
        if position:
            parts.append(separator)
        parts.extend(piece.parts)
    return Sql(tuple(parts))


def compile_sql(sql: Sql) -> Statement:
    """Number the parameters and give the text with its arguments."""
    text: list[str] = []
    args: list[Any] = []
    for part in sql.parts:
        if isinstance(part, Param):
            args.append(part.value)
            cast = f"::{part.pg_type}" if part.pg_type else ""
            text.append(f"${len(args)}{cast}")
        else:
            text.append(part)
    return Statement("".join(text), tuple(args))


def quote_ident(*names: str) -> str:
    """Quote each name and join them with dots; one ends at a NUL, as in C."""
    return ".".join('"' + name.partition("\0")[0].replace('"', '""') + '"' for name in names)


def quote_literal(text: str) -> str:
    """Quote a string constant, which ends at a NUL; an escape string where it holds a backslash."""
    body = text.partition("\0")[0].replace("'", "''")
    if "\\" in body:
        return "E'" + body.replace("\\", "\\\\") + "'"
    return "'" + body + "'"
