"""Go's template syntax as far as mail templates use it.

Fields (`{{ .Data.name }}`), variables (`{{ $name := .Data.name }}`), `if` / `else if` / `else` /
`end`, `range` with `break` and `continue`, `with`, pipelines, the functions of `gofunctions`,
literals, comments, blank-trimming dashes, and `define`, `template` and `block`.
"""

from __future__ import annotations

import re
from collections import ChainMap
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, cast

from gotrue_compat.mail.gofunctions import FUNCTIONS
from gotrue_compat.mail.gopage import Output
from gotrue_compat.mail.gosyntax import (
    Branch,
    Call,
    Leave,
    Node,
    Show,
    TemplateError,
    Text,
    literal,
    read,
)

_NAME = re.compile(r"\$\w+")
_DECIMAL = re.compile(r"-?[0-9]+\.[0-9]+")
_MOST_ROUNDS = 10_000


class Record(dict[str, Any]):
    """Data of named fields, as Go's structs: another name is an error, in a mapping it is empty."""


@dataclass(frozen=True, slots=True)
class Scope:
    """What names mean at a place: the dot, variables (`$` is the whole data), other templates."""

    dot: Any
    variables: ChainMap[str, Any]
    named: Mapping[str, tuple[Node, ...]]

    def inner(self, dot: Any) -> Scope:
        """A scope inside this one, with a dot of its own."""
        return Scope(dot, self.variables.new_child(), self.named)


class _LoopExit(Exception):  # noqa: N818 — no error: control flow
    """`break` (`ends` the loop) or `continue`, raised to the loop."""

    def __init__(self, *, ends: bool) -> None:
        super().__init__()
        self.ends = ends


def render(template: str, data: Mapping[str, Any], *, escape: bool = True) -> str:
    """The template filled with data; TemplateError where it cannot be read or filled."""
    output = Output(is_html=escape)
    try:
        tree = read(template)
        _fill(output, tree.nodes, Scope(data, ChainMap({"$": data}), tree.named))
    except RecursionError:
        raise TemplateError("nested too deeply") from None
    return str(output)


def _fill(output: Output, nodes: Sequence[Node], scope: Scope) -> None:
    """Write a whole template, which no `break` may leave."""
    try:
        _write(output, nodes, scope)
    except _LoopExit:
        raise TemplateError("{{break}} or {{continue}} outside {{range}}") from None


def _write(output: Output, nodes: Sequence[Node], scope: Scope) -> None:
    for node in nodes:
        match node:
            case Text(text):
                output.write(text)
            case Show(words):
                names, value = _assigned(words, scope)
                if not names:
                    output.show(value)
            case Branch():
                _write_branch(output, node, scope)
            case Call(name, words):
                if name not in scope.named:
                    raise TemplateError(f"no template named {name!r}")
                data = _value(words, scope) if words else None
                _fill(output, scope.named[name], Scope(data, ChainMap({"$": data}), scope.named))
            case Leave(ends):
                raise _LoopExit(ends=ends)


def _write_branch(output: Output, node: Branch, outer: Scope) -> None:
    scope = outer.inner(outer.dot)
    if node.kind == "range":
        _repeat(output, node, scope)
        return
    _, value = _assigned(node.words, scope)
    if not value:
        _write(output, node.otherwise, scope)
    else:
        _write(output, node.body, scope.inner(value) if node.kind == "with" else scope)


def _repeat(output: Output, node: Branch, scope: Scope) -> None:
    names, words, _ = _names_of(node.words)
    pairs = list(_members(_value(words, scope)))
    if not pairs:
        _write(output, node.otherwise, scope)
    for key, item in pairs:
        inside = scope.inner(item)
        values = (key, item) if len(names) > 1 else (item,)
        inside.variables.update(zip(names, values, strict=False))
        try:
            _write(output, node.body, inside)
        except _LoopExit as left:
            if left.ends:
                break


def _members(value: Any) -> Iterable[tuple[Any, Any]]:
    """What `range` goes through: keys in order, or positions, each with its value."""
    if isinstance(value, Mapping):
        return sorted(cast("Mapping[str, Any]", value).items())
    if isinstance(value, int) and not isinstance(value, bool):
        return ((number, number) for number in range(min(value, _MOST_ROUNDS)))
    if isinstance(value, str | float | bool) and value:
        raise TemplateError("range cannot go through this")
    return enumerate(cast("Sequence[Any]", value or ()))


def _assigned(words: Sequence[str], scope: Scope) -> tuple[tuple[str, ...], Any]:
    """A pipeline's value, and the variable that it now is of."""
    names, rest, is_new = _names_of(words)
    value = _value(rest, scope)
    for name in names:
        known = next((layer for layer in scope.variables.maps if name in layer), None)
        if not is_new and known is None:
            raise TemplateError(f"undefined variable {name}")
        layer = scope.variables if is_new or known is None else known
        layer[name] = value
    return names, value


def _names_of(words: Sequence[str]) -> tuple[tuple[str, ...], Sequence[str], bool]:
    """The variables that a tag assigns, the pipeline, and whether they are new there."""
    for at, word in enumerate(words[:4]):
        if word in {":=", "="}:
            names = tuple(name for name in words[:at] if name != ",")
            if not names or not all(_NAME.fullmatch(name) for name in names):
                raise TemplateError("only variables can be assigned")
            return names, words[at + 1 :], word == ":="
    return (), words, False


def _value(words: Sequence[str], scope: Scope) -> Any:
    """A pipeline's value: each command takes the earlier one's value as its last argument."""
    piped: list[Any] = []
    for command in _split(words):
        piped = [_command(command, piped, scope)]
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


def _command(words: Sequence[str], piped: Sequence[Any], scope: Scope) -> Any:
    if not words:
        raise TemplateError("an empty command")
    function = FUNCTIONS.get(words[0])
    if function is None:
        if len(words) > 1 and words[0] != "(":
            raise TemplateError(f"unknown function {words[0]!r}")
        return _operands(words, scope)[0]
    operands = _operands(words[1:], scope)
    try:
        return function(*operands, *piped)
    except (TypeError, ValueError, IndexError, KeyError) as error:
        raise TemplateError(f"{words[0]} does not take these arguments") from error


def _operands(words: Sequence[str], scope: Scope) -> list[Any]:
    values: list[Any] = []
    at = 0
    while at < len(words):
        if words[at] == "(":
            end = _closing(words, at)
            values.append(_value(words[at + 1 : end], scope))
            at = end
        else:
            values.append(_operand(words[at], scope))
        at += 1
    return values


def _closing(words: Sequence[str], at: int) -> int:
    depth = 0
    for position in range(at, len(words)):
        depth += (words[position] == "(") - (words[position] == ")")
        if not depth:
            return position
    raise TemplateError("a parenthesis is not closed")


def _operand(word: str, scope: Scope) -> Any:
    if word[:1] in {"`", '"'}:
        return literal(word)
    if word in {"true", "false"}:
        return word == "true"
    if word.lstrip("-").isdigit():
        return int(word)
    if _DECIMAL.fullmatch(word):
        return float(word)
    if word == "nil":
        return None
    if word.startswith("$"):
        name, _, path = word.partition(".")
        if name not in scope.variables:
            raise TemplateError(f"undefined variable {name}")
        return _field(scope.variables[name], path)
    if word.startswith("."):
        return _field(scope.dot, word)
    raise TemplateError(f"unknown word {word!r}")


def _field(value: Any, path: str) -> Any:
    for name in filter(None, path.split(".")):
        if isinstance(value, Record) and name not in value:
            raise TemplateError(f"no field {name}")
        value = cast("Mapping[str, Any]", value).get(name, "") if isinstance(value, Mapping) else ""
    return value
