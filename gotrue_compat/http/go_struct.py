"""Names of a body's members in errors of Go's decoder, for a wrong type (auth reference 1.2)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, cast

from gotrue_compat.http.json_body import kind_of

TEXTS, ID = "[]string", "uuid.UUID"
TEXTS_POINTER = "*[]string"  # whose members are named by their index
_TYPES: Mapping[str, type[Any]] = {
    "string": str,
    "bool": bool,
    TEXTS: list,
    TEXTS_POINTER: list,
    ID: str,
}  # fmt: skip — of any other name are objects


@dataclass(frozen=True)
class GoStruct:
    """A body's type: its name in Go, and the Go type of each member that it knows."""

    name: str
    types: Mapping[str, str]

    def mismatch(self, members: Mapping[str, Any]) -> str | None:
        """What Go's decoder says of the first member of a wrong type; None where all are right.

        A member that is null is right, and so is one that the type does not know.
        """
        for name, value in members.items():
            known = name if name in self.types else self._by_folded_name.get(name.lower())
            if known is None or value is None:
                continue
            found = _mismatch(value, self.types[known], f"{self.name}.{known}")
            if found is not None:
                return f"json: cannot unmarshal {found}"
        return None

    @cached_property
    def _by_folded_name(self) -> Mapping[str, str]:
        return {name.lower(): name for name in self.types}


def go_struct(
    name: str, texts: str, *, flags: str = "", objects: str = "", **others: str
) -> GoStruct:
    """A body's type by the names of its members, with blanks between them.

    `others` gives the Go type of each further member.
    """
    kinds = (("string", texts), ("bool", flags), ("map[string]interface {}", objects))
    plain = {member: kind for kind, names in kinds for member in names.split()}
    return GoStruct(name, plain | others)


def _mismatch(value: Any, wanted: str, place: str) -> str | None:
    """What was found and what was wanted where; None where the value is of the type."""
    field = f"Go struct field {place}"
    if not isinstance(value, _TYPES.get(wanted, dict)):
        must = ": JSON value must be string type" if wanted == ID else ""
        return f"{kind_of(value)} into {field} of type {wanted.removeprefix('*')}{must}"
    if wanted in {TEXTS, TEXTS_POINTER}:
        for index, member in enumerate(cast("list[Any]", value)):
            if member is not None and not isinstance(member, str):
                into = field if wanted == TEXTS else f"{place}.{index}"
                return f"{kind_of(member)} into {into} of type string"
    return None
