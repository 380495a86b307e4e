"""Path → text, in the one way that the original writes it."""

from __future__ import annotations

from compat_base.values import jsontext
from rest_compat.auth.json_path.model import (
    All,
    Comparison,
    Condition,
    Either,
    Exists,
    Filter,
    Group,
    Index,
    Name,
    Not,
    Operand,
    Path,
    Search,
    Segment,
    Selector,
    Slice,
    Wildcard,
)


def text_of(path: Path) -> str:
    """The path as the original writes it."""
    return ("$" if path.from_root else "@") + "".join(map(_segment_text, path.segments))


def _segment_text(segment: Segment) -> str:
    start = ".." if segment.descends else ""
    match segment.selectors:
        case (Name(name, dotted=True),):
            return f"{start or '.'}{name}"
        case (Wildcard(dotted=True),):
            return f"{start or '.'}*"
        case _:
            return f"{start}[{','.join(map(_selector_text, segment.selectors))}]"


def _selector_text(selector: Selector) -> str:
    match selector:
        case Name(name):
            return f"'{name}'"
        case Index(index):
            return str(index)
        case Slice(start, end, step):
            bounds = ("" if bound is None else bound for bound in (start, end))
            return ":".join(map(str, (*bounds, step)))
        case Wildcard():
            return "*"
        case Filter(condition):
            return f"?{_condition_text(condition)}"


def _condition_text(condition: Condition) -> str:
    match condition:
        case Comparison(left, operator, right):
            return f"{_operand_text(left)} {operator} {_operand_text(right)}"
        case Search(text, pattern):
            return f"search({_operand_text(text)}, {_operand_text(pattern)})"
        case Exists(path):
            return text_of(path)
        case Not(inner):
            return f"!{_condition_text(inner)}"
        case Group(inner):
            return f"({_condition_text(inner)})"
        case All(conditions):
            return " && ".join(map(_condition_text, conditions))
        case Either(conditions):
            return " || ".join(map(_condition_text, conditions))


def _operand_text(operand: Operand) -> str:
    if isinstance(operand, Path):
        return text_of(operand)
    match operand.value:
        case str() as text:
            return f"'{text}'"
        case bool() | None:
            return jsontext.encode(operand.value)
        case number:
            return str(float(number))
