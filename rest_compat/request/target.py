"""The target of a request: path, method and profile as schema and action (rest reference 1)."""

from __future__ import annotations

import re
from dataclasses import dataclass
from urllib.parse import unquote_to_bytes

from compat_base.values.errors import ApiError
from compat_base.values.http import HttpRequest
from rest_compat.api_request.model import Action, RelationAction, RootAction, RoutineAction, Verb
from rest_compat.errors import METHOD, PATH, ROOT_DISABLED, RPC_METHOD, SCHEMA
from rest_compat.names import QualifiedName

_WRITES = {
    "POST": Verb.INSERT, "PATCH": Verb.UPDATE, "PUT": Verb.UPSERT, "DELETE": Verb.DELETE,
}  # fmt: skip
_NO_UTF8 = re.compile("[\udc80-\udcff]")


@dataclass(frozen=True, slots=True)
class Exposure:
    """What is exposed: schemas, the root document, a function in its place."""

    schemas: tuple[str, ...]
    root_disabled: bool = False
    root_function: QualifiedName | None = None


@dataclass(frozen=True, slots=True)
class Target:
    """The action and the schema; `by_profile`: the response names the schema."""

    action: Action
    schema: str
    by_profile: bool


def read_target(request: HttpRequest, exposure: Exposure) -> Target:
    """The target of a request; ApiError for a path, profile or method that is none."""
    path = _segments(request.raw_path, request.path)
    _check_path(path, exposure)
    schema, by_profile = _schema(request, exposure)
    return Target(_action(path, schema, request.method, exposure), schema, by_profile)


def _segments(raw_path: str, path: str) -> tuple[str, ...]:
    if raw_path in {"", "/"}:
        return ()
    if "%" in raw_path:
        return tuple(_unquoted(part) for part in raw_path.removeprefix("/").split("/"))
    return tuple(path.removeprefix("/").split("/"))


def _unquoted(text: str) -> str:
    # What is no UTF-8 names nothing that exists.
    decoded = unquote_to_bytes(text.encode("latin-1")).decode(errors="surrogateescape")
    return _NO_UTF8.sub("\ufffd", decoded)  # one for each byte, where "replace" has one for several


def _check_path(path: tuple[str, ...], exposure: Exposure) -> None:
    match path:
        case () if exposure.root_disabled:
            raise ApiError.of(ROOT_DISABLED)
        case () | ("rpc", _):
            return
        case (name,) if name:
            return
        case _:
            raise ApiError.of(PATH)


def _schema(request: HttpRequest, exposure: Exposure) -> tuple[str, bool]:
    name = "content-profile" if request.method in _WRITES else "accept-profile"
    profile = request.header(name)
    if profile is None:
        return exposure.schemas[0], len(exposure.schemas) > 1
    if profile not in exposure.schemas:
        raise ApiError.of(SCHEMA, schema=profile, exposed=", ".join(exposure.schemas))
    return profile, True


def _action(path: tuple[str, ...], schema: str, method: str, exposure: Exposure) -> Action:
    if len(path) == 1:
        return _relation_action(QualifiedName(schema, path[0]), method)
    if path:
        return _routine_action(QualifiedName(schema, path[1]), method)
    if exposure.root_function is None:
        return _root_action(schema, method)
    return _routine_action(QualifiedName(schema, exposure.root_function.name), method)


def _root_action(schema: str, method: str) -> RootAction:
    if method not in {"GET", "HEAD", "OPTIONS"}:
        raise ApiError.of(METHOD, method=method)
    return RootAction(schema, head=method == "HEAD", info=method == "OPTIONS")


def _relation_action(name: QualifiedName, method: str) -> RelationAction:
    if method in {"GET", "HEAD"}:
        return RelationAction(name, Verb.READ, head=method == "HEAD")
    if method == "OPTIONS":
        return RelationAction(name, Verb.INFO)
    if method not in _WRITES:
        raise ApiError.of(METHOD, method=method)
    return RelationAction(name, _WRITES[method])


def _routine_action(name: QualifiedName, method: str) -> RoutineAction:
    if method not in {"GET", "HEAD", "POST", "OPTIONS"}:
        raise ApiError.of(RPC_METHOD, method=method)
    return RoutineAction(
        name,
        safe=method != "POST",
        head=method in {"HEAD", "OPTIONS"},
        info=method == "OPTIONS",
    )
