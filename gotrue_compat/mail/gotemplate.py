"""Go's template syntax as far as mail templates use it.

Fields (`{{ .Data.name }}`), `if` / `else if` / `else` / `end`, `range`, `with`, comparisons
(`eq`, `ne`, `and`, `or`, `not`), string literals, comments and blank-trimming dashes. Values are
HTML-escaped unless the text is no HTML.
"""

from __future__ import annotations

import html
import operator
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias, cast

_TAG = re.compile(r"\{\{(-?)\s*(.*?)\s*(-?)\}\}", re.DOTALL)
_WORD = re.compile(r'"(?:[^"\\]|\\.)*"|`[^`]*`|\(|\)|\||[^\s()|]+')


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


Node: TypeAlias = Text | Show | Branch


def render(template: str, data: Mapping[str, Any], *, escape: bool = True) -> str:
    """The template filled with data; TemplateError where it cannot be read."""
    nodes, rest, _ = _parse(_tokens(template), 0)
    if rest is not None:
        raise TemplateError("{{end}} or {{else}} without its beginning")
    shown = _escaped if escape else _plain
    return "".join(_rendered(nodes, data, data, shown))


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
        if not tag.group(2).startswith("/*"):
            tokens.append(tuple(_WORD.findall(tag.group(2))))
    rest = template[position:]
    tokens.append(Text(rest.lstrip() if trims else rest))
    if any(isinstance(token, Text) and "{{" in token.text for token in tokens):
        raise TemplateError("a tag is not closed")
    return tokens


def _parse(
    tokens: Sequence[Token], at: int
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
            branch, at = _parse_branch(tokens, at, token)
            nodes.append(branch)
        elif token:
            nodes.append(Show(token))
    return tuple(nodes), None, at


def _parse_branch(tokens: Sequence[Token], at: int, opening: tuple[str, ...]) -> tuple[Branch, int]:
    body, closing, at = _parse(tokens, at)
    otherwise: tuple[Node, ...] = ()
    if closing is not None and closing[0] == "else":
        if len(closing) > 1:
            nested, at = _parse_branch(tokens, at, closing[1:])
            return Branch(opening[0], opening[1:], body, (nested,)), at
        otherwise, closing, at = _parse(tokens, at)
    if closing is None or closing[0] != "end":
        raise TemplateError(f"{{{{{opening[0]}}}}} is not closed")
    return Branch(opening[0], opening[1:], body, otherwise), at


def _rendered(nodes: Sequence[Node], dot: Any, root: Any, shown: Callable[[Any], str]) -> list[str]:
    parts: list[str] = []
    for node in nodes:
        if isinstance(node, Text):
            parts.append(node.text)
        elif isinstance(node, Show):
            parts.append(shown(_value(node.words, dot, root)))
        else:
            parts.extend(_branched(node, dot, root, shown))
    return parts


def _branched(node: Branch, dot: Any, root: Any, shown: Callable[[Any], str]) -> list[str]:
    value = _value(node.words, dot, root)
    if not value:
        return _rendered(node.otherwise, dot, root, shown)
    if node.kind == "range":
        members = cast("Mapping[Any, Any]", value).values() if isinstance(value, Mapping) else value
        return [part for item in members for part in _rendered(node.body, item, root, shown)]
    return _rendered(node.body, value if node.kind == "with" else dot, root, shown)


def _value(words: Sequence[str], dot: Any, root: Any) -> Any:
    """A pipeline's value: each command takes the earlier one's value as its last argument."""
    piped: list[Any] = []
    for command in _split(words):
        piped = [_command(command, piped, dot, root)]
    return piped[0] if piped else ""


def _split(words: Sequence[str]) -> list[list[str]]:
    commands: list[list[str]] = [[]]
    depth = 0
    for word in words:
        depth += (word == "(") - (word == ")")
        if word == "|" and not depth:
            commands.append([])
        else:
            commands[-1].append(word)
    return commands


def _command(words: Sequence[str], piped: Sequence[Any], dot: Any, root: Any) -> Any:
    if not words:
        raise TemplateError("an empty command")
    operands = _operands(words[1:], dot, root)
    function = _FUNCTIONS.get(words[0])
    if function is None:
        if len(words) > 1 and words[0] != "(":
            raise TemplateError(f"unknown function {words[0]!r}")
        return _operands(words, dot, root)[0]
    try:
        return function(*operands, *piped)
    except (TypeError, IndexError, KeyError) as error:
        raise TemplateError(f"{words[0]} does not take these arguments") from error


def _operands(words: Sequence[str], dot: Any, root: Any) -> list[Any]:
    values: list[Any] = []
    at = 0
    while at < len(words):
        if words[at] == "(":
            end = _closing(words, at)
            values.append(_value(words[at + 1 : end], dot, root))
            at = end
        else:
            values.append(_operand(words[at], dot, root))
        at += 1
    return values


def _closing(words: Sequence[str], at: int) -> int:
    depth = 0
    for position in range(at, len(words)):
        depth += (words[position] == "(") - (words[position] == ")")
        if not depth:
            return position
    raise TemplateError("a parenthesis is not closed")


def _operand(word: str, dot: Any, root: Any) -> Any:
    if word[:1] in {'"', "`"}:
        return word[1:-1].replace('\\"', '"')
    if word in {"true", "false"}:
        return word == "true"
    if word.lstrip("-").isdigit():
        return int(word)
    if word.startswith("$"):
        return _field(root, word[1:])
    if word.startswith("."):
        return _field(dot, word)
    raise TemplateError(f"unknown word {word!r}")


def _field(value: Any, path: str) -> Any:
    for name in filter(None, path.split(".")):
        value = cast("Mapping[str, Any]", value).get(name, "") if isinstance(value, Mapping) else ""
    return value


def _equals(first: Any, *others: Any) -> bool:
    return any(first == other for other in others)


def _index(value: Any, *keys: Any) -> Any:
    for key in keys:
        value = value.get(key, "") if isinstance(value, Mapping) else value[key]  # pyright: ignore[reportUnknownMemberType, reportUnknownVariableType] — template data
    return value  # pyright: ignore[reportUnknownVariableType] — template data


_FUNCTIONS: Mapping[str, Callable[..., Any]] = {
    "eq": _equals,
    "ne": operator.ne,
    "not": operator.not_,
    "and": lambda *values: next((v for v in values if not v), values[-1]),
    "or": lambda *values: next((v for v in values if v), values[-1]),
    "len": len,
    "index": _index,
    "print": lambda *values: "".join(map(_plain, values)),
}


def _plain(value: Any) -> str:
    if value is None or value == "":
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(value)


def _escaped(value: Any) -> str:
    return html.escape(_plain(value))
