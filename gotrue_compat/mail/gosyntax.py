"""Go's template syntax as a tree: text, values, branches, and templates inside a template."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

_TAG = re.compile(r"\{\{(-?)(.*?)(-?)\}\}", re.DOTALL)
_WORD = re.compile(r'"(?:[^"\\]|\\.)*"|`[^`]*`|\(|\)|\||,|:=|[^\s()|,]+')
_ESCAPE = re.compile(r"\\(.)", re.DOTALL)
_ESCAPES = {"n": "\n", "t": "\t", "r": "\r"}


class TemplateError(ValueError):
    """The template is not of the supported syntax."""


@dataclass(frozen=True, slots=True)
class Text:
    """Text between tags."""

    text: str


@dataclass(frozen=True, slots=True)
class Show:
    """A value put into the text."""

    words: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Branch:
    """`if`, `with` or `range` with what follows it and its `else`."""

    kind: str
    words: tuple[str, ...]
    body: tuple[Node, ...]
    otherwise: tuple[Node, ...]


@dataclass(frozen=True, slots=True)
class Leave:
    """`break`, or `continue`."""

    ends: bool


@dataclass(frozen=True, slots=True)
class Call:
    """A template of a name put in, with a pipeline's value as its data."""

    name: str
    words: tuple[str, ...]


Node: TypeAlias = Text | Show | Branch | Leave | Call


@dataclass(frozen=True, slots=True)
class Template:
    """A text as read, and the templates that it defines, by name."""

    nodes: tuple[Node, ...]
    named: Mapping[str, tuple[Node, ...]]


def read(text: str) -> Template:
    """Parse a template; TemplateError for invalid or unsupported syntax."""
    named: Named = {}
    nodes, rest, _ = _parse(_tokens(text), 0, named)
    if rest is not None:
        raise TemplateError("{{end}} or {{else}} without its beginning")
    return Template(nodes, named)


Token: TypeAlias = Text | tuple[str, ...]


def _tokens(template: str) -> list[Token]:
    tokens: list[Token] = []
    position = 0
    trims = False
    for tag in _TAG.finditer(template):
        before = template[position : tag.start()]
        before = before.lstrip() if trims else before
        tokens.append(Text(before.rstrip() if tag.group(1) else before))
        trims, position = bool(tag.group(3)), tag.end()
        if not tag.group(2).lstrip().startswith("/*"):
            tokens.append(tuple(_WORD.findall(tag.group(2))))
    rest = template[position:]
    tokens.append(Text(rest.lstrip() if trims else rest))
    if any(isinstance(token, Text) and "{{" in token.text for token in tokens):
        raise TemplateError("a tag is not closed")
    return tokens


Named: TypeAlias = dict[str, tuple[Node, ...]]


def _parse(
    tokens: Sequence[Token], at: int, named: Named
) -> tuple[tuple[Node, ...], tuple[str, ...] | None, int]:
    """Nodes up to an `end` or `else`, that closing tag (None at the end), and what follows it."""
    nodes: list[Node] = []
    while at < len(tokens):
        token = tokens[at]
        at += 1
        if isinstance(token, Text):
            nodes.append(token)
        elif token[:1] in {("end",), ("else",)}:
            return tuple(nodes), token, at
        elif token[:1] in {("if",), ("with",), ("range",)}:
            branch, at = _parse_branch(tokens, at, token, named)
            nodes.append(branch)
        elif token[:1] in {("define",), ("block",)}:
            call, at = _parse_named(tokens, at, token, named)
            nodes += [call] if token[0] == "block" else []
        elif token[:1] == ("template",):
            nodes.append(_call(token))
        elif token in {("break",), ("continue",)}:
            nodes.append(Leave(ends=token == ("break",)))
        elif token:
            nodes.append(Show(token))
    return tuple(nodes), None, at


def _parse_branch(
    tokens: Sequence[Token], at: int, opening: tuple[str, ...], named: Named
) -> tuple[Branch, int]:
    body, closing, at = _parse(tokens, at, named)
    otherwise: tuple[Node, ...] = ()
    if closing is not None and closing[0] == "else":
        if len(closing) > 1:
            nested, at = _parse_branch(tokens, at, closing[1:], named)
            return Branch(opening[0], opening[1:], body, (nested,)), at
        otherwise, closing, at = _parse(tokens, at, named)
    if closing is None or closing[0] != "end":
        raise TemplateError(f"{{{{{opening[0]}}}}} is not closed")
    return Branch(opening[0], opening[1:], body, otherwise), at


def _parse_named(
    tokens: Sequence[Token], at: int, opening: tuple[str, ...], named: Named
) -> tuple[Call, int]:
    call = _call(opening)
    body, closing, at = _parse(tokens, at, named)
    if closing != ("end",):
        raise TemplateError(f"{{{{{opening[0]}}}}} is not closed")
    if call.name in named:
        raise TemplateError(f"two templates named {call.name!r}")
    named[call.name] = body
    return call, at


def _call(words: tuple[str, ...]) -> Call:
    if len(words) == 1 or words[1][0] not in {'"', "`"}:
        raise TemplateError(f"{words[0]} without a name")
    return Call(literal(words[1]), words[2:])


def literal(word: str) -> str:
    """The text of a quoted word."""
    if word[0] == "`":
        return word[1:-1]
    return _ESCAPE.sub(lambda found: _ESCAPES.get(found[1], found[1]), word[1:-1])
