"""Validation of access token claims after a deployment's hook (auth reference 12).

Worded as the original's validator words it: `field: what is wrong`, one line each.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, cast

_REQUIRED = (
    "aud", "exp", "iat", "sub", "email", "phone", "role", "aal", "session_id", "is_anonymous",
)  # fmt: skip
_TYPES = {
    "aud": ("string", "array"), "exp": ("integer",), "jti": ("string",), "iat": ("integer",),
    "iss": ("string",), "nbf": ("integer",), "sub": ("string",), "email": ("string",),
    "phone": ("string",), "app_metadata": ("object",), "user_metadata": ("object",),
    "role": ("string",), "aal": ("string",), "amr": ("array",), "session_id": ("string",),
    "client_id": ("string",),
}  # fmt: skip


def problems_of(claims: Any) -> tuple[str, ...]:
    """What is wrong with a token's claims; empty where nothing is."""
    if not isinstance(claims, Mapping):
        return (f"(root): Invalid type. Expected: object, given: {_type_of(claims)}",)
    members = cast("Mapping[str, Any]", claims)
    missing = tuple(f"(root): {name} is required" for name in _REQUIRED if name not in members)
    wrong = tuple(
        f"{name}: Invalid type. Expected: {_listed(types)}, given: {_type_of(members[name])}"
        for name, types in _TYPES.items()
        if name in members and not _is_one_of(members[name], types)
    )
    return (*missing, *wrong, *_entry_problems(members.get("amr")))


def _entry_problems(methods: object) -> tuple[str, ...]:
    entries = cast("list[Any]", methods) if isinstance(methods, list) else []
    return tuple(
        f"amr.{place}: {problem}"
        for place, entry in enumerate(entries)
        if not isinstance(entry, str | dict)
        for problem in (
            "Must validate at least one schema (anyOf)",
            f"Invalid type. Expected: string, given: {_type_of(entry)}",
        )
    )


def _is_one_of(value: object, types: tuple[str, ...]) -> bool:
    return _type_of(value) in types


def _listed(types: tuple[str, ...]) -> str:
    return types[0] if len(types) == 1 else f"[{','.join(types)}]"


def _type_of(value: object) -> str:
    """A value's type in JSON Schema's words; a number without a fraction is an integer."""
    if isinstance(value, bool):
        return "boolean"
    if isinstance(value, int) or (isinstance(value, float) and value.is_integer()):
        return "integer"
    kinds = {str: "string", float: "number", list: "array", dict: "object"}
    return kinds.get(cast("type[Any]", type(value)), "null")
