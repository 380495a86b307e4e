"""PostgreSQL's printed trees of nodes (`pg_node_tree`), such as a view's definition, read."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TypeAlias

Value: TypeAlias = "Node | list[Value] | str | None"

_WORD = re.compile(r"[(){}]|(?:\\.|[^\s(){}\\])+", re.DOTALL)
_ESCAPED = re.compile(r"\\(.)", re.DOTALL)
_OF_NUMBERS = {"i", "o", "x", "b"}  # what lists of numbers begin with


@dataclass(slots=True)
class Node:
    """A node: its type, and of each of its fields the first value."""

    type: str = ""
    fields: dict[str, Value] = field(default_factory=dict[str, "Value"])
    key: str | None = None  # the field that waits for its value


class BrokenTreeError(ValueError):
    """The text is no tree of nodes."""


def read_tree(text: str) -> Value:
    """The tree that the text prints. Raises BrokenTreeError."""
    top: list[Value] = []
    open_: list[Node | list[Value]] = [top]
    for word in _WORD.findall(text):
        inner = open_[-1]
        if word in "{(":
            opened: Node | list[Value] = Node() if word == "{" else []
            _take(inner, opened)
            open_.append(opened)
        elif word in "})":
            if len(open_) == 1 or isinstance(inner, Node) != (word == "}"):
                raise BrokenTreeError
            open_.pop()
        elif isinstance(inner, Node) and not inner.type:
            inner.type = word
        elif isinstance(inner, Node) and word[0] == ":":
            inner.key = key = word[1:]
            inner.fields[key] = None
        elif isinstance(inner, Node) or inner or word not in _OF_NUMBERS:
            _take(inner, None if word == "<>" else _ESCAPED.sub(r"\1", word))
    if len(open_) != 1 or len(top) != 1:
        raise BrokenTreeError
    return top[0]


def node(value: Value, type_: str) -> Mapping[str, Value] | None:
    """The fields of a node of that type; None for anything else."""
    return value.fields if isinstance(value, Node) and value.type == type_ else None


def items(value: Value) -> list[Value]:
    """The items of a list; none of anything else."""
    return value if isinstance(value, list) else []


def number(value: Value) -> int:
    """A number; -1 for anything else."""
    return int(value) if isinstance(value, str) and value.isdecimal() else -1


def _take(into: Node | list[Value], value: Value) -> None:
    if isinstance(into, list):
        into.append(value)
    elif into.key is not None:
        into.fields[into.key] = value
        into.key = None
