"""Hooks: PostgreSQL functions in the request's transaction, and signed HTTP (auth reference 12)."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Mapping
from contextlib import asynccontextmanager
from typing import Any

from compat_base.postgres.database import Connection, Database, fetch_one
from compat_base.postgres.faults import PgFault
from compat_base.values import jsontext
from compat_base.values.errors import ApiError, Problem
from compat_base.values.sqltext import compile_sql, ident, param, raw
from compat_base.values.world import World
from gotrue_compat import errors
from gotrue_compat.model.rows import json_object, object_column
from gotrue_compat.ports import HookPoint, HttpAnswer, HttpCall, HttpPort, UnreachableError
from gotrue_compat.rules.webhooks import signature_header
from gotrue_compat.settings.hooks import HookSettings

_STATEMENT_SECONDS = 2
_TOTAL_SECONDS, _TRIES, _PAUSE_SECONDS = 5, 3, 2
_LARGEST_ANSWER = 200 * 1024
_KINDS = {"decision": str, "message": str, "should_logout_user": bool}
_NAMES = frozenset({"error", "http_code", "claims", *_KINDS})
_LATER = frozenset({429, 503})
_REFUSED = {400: errors.HOOK_PAYLOAD, 401: errors.HOOK_UNAUTHORIZED}


class HookRunner:
    """Runs the configured hooks."""

    def __init__(
        self,
        hooks: Mapping[HookPoint, HookSettings],
        database: Database,
        http: HttpPort,
        world: World,
    ) -> None:
        self._hooks = hooks
        self._database = database
        self._http = http
        self._world = world

    def has(self, point: HookPoint) -> bool:
        """Whether there is a hook at the point."""
        return point in self._hooks

    async def run(
        self, point: HookPoint, payload: Mapping[str, Any], connection: Connection | None
    ) -> dict[str, Any]:
        """The hook's answer, {} without a hook; its `error` member is raised."""
        hook = self._hooks.get(point)
        if hook is None:
            return {}
        if hook.function:
            answer = await self._call_function(hook, payload, connection)
        else:
            answer = await self._post(hook, payload)
        _raise_error(answer)
        for name, kind in _KINDS.items():
            if not isinstance(answer.get(name), kind | None):
                raise ApiError.of(errors.HOOK_ANSWER)
        return answer

    async def _call_function(
        self, hook: HookSettings, payload: Mapping[str, Any], connection: Connection | None
    ) -> dict[str, Any]:
        call = compile_sql(
            raw("select ") + ident(*(hook.function or ())) + raw("(")
            + param(dict(payload), "jsonb") + raw(")::jsonb as answer")
        )  # fmt: skip
        limit = raw("select set_config('statement_timeout', ") + param(
            f"{_STATEMENT_SECONDS}s", "text"
        ) + raw(", true)")  # fmt: skip
        reset = compile_sql(raw("set local statement_timeout to default"))
        try:
            async with self._transaction(connection) as inside:
                await fetch_one(inside, compile_sql(limit))
                row = await fetch_one(inside, call)
                await fetch_one(inside, reset)
        except PgFault as fault:
            problem = errors.HOOK_FAILED.problem(uri=hook.uri)
            raise ApiError(errors.with_fault(problem, fault.fault)) from fault
        return _object(row["answer"] if row else None)

    @asynccontextmanager
    async def _transaction(self, connection: Connection | None) -> AsyncGenerator[Connection]:
        """The request's transaction, which outlives the function's failure, or one of its own."""
        if connection is None:
            async with self._database.transaction() as tx:
                yield tx
        else:
            async with connection.transaction():
                yield connection

    async def _post(self, hook: HookSettings, payload: Mapping[str, Any]) -> dict[str, Any]:
        body = jsontext.encode(dict(payload))
        now = int(self._world.clock.now().timestamp())
        message_id = str(self._world.entropy.uuid())
        headers = {
            "content-type": "application/json",
            "accept-encoding": "identity",
            "webhook-id": message_id,
            "webhook-timestamp": str(now),
            "webhook-signature": signature_header(hook.secrets, message_id, now, body),
        }
        deadline = self._world.clock.monotonic() + _TOTAL_SECONDS
        is_busy = False
        for attempt in range(_TRIES):
            left = deadline - self._world.clock.monotonic()
            if left <= 0:
                break
            call = HttpCall("POST", hook.uri, headers, body.encode(), left, _LARGEST_ANSWER)
            try:
                answer = await self._http.send(call)
            except UnreachableError as error:
                if "larger than" in str(error):
                    raise ApiError.of(errors.HOOK_TOO_LARGE, limit=_LARGEST_ANSWER) from error
                is_busy, is_last = False, attempt + 1 == _TRIES
                if not is_last and left > _PAUSE_SECONDS:
                    await asyncio.sleep(_PAUSE_SECONDS)
                continue
            if answer.status not in _LATER or not answer.headers.get("retry-after"):
                return _read_answer(answer)
            is_busy = True
        if self._world.clock.monotonic() >= deadline:
            raise ApiError.of(errors.HOOK_TIMEOUT, seconds=_TOTAL_SECONDS)
        raise ApiError.of(errors.HOOK_UNAVAILABLE if is_busy else errors.HOOK_TIMEOUT_RETRIES)


def _read_answer(answer: HttpAnswer) -> dict[str, Any]:
    if answer.status == 204:  # noqa: PLR2004 — RFC 9110: no content
        return {}
    if answer.status in _LATER:
        raise ApiError.of(errors.HOOK_UNAVAILABLE)
    if answer.status not in {200, 202}:
        row = _REFUSED.get(answer.status, errors.HOOK_STATUS)
        raise ApiError.of(row, status=answer.status)
    kind = answer.headers.get("content-type", "")
    if not kind:
        raise ApiError.of(errors.HOOK_NO_CONTENT_TYPE)
    if kind.partition(";")[0].strip().lower() != "application/json":
        raise ApiError.of(errors.HOOK_CONTENT_TYPE, kind=kind)
    try:
        return _object(jsontext.decode(answer.body))
    except jsontext.InvalidJsonError as error:
        raise ApiError.of(errors.HOOK_ANSWER) from error


def _object(answer: Any) -> dict[str, Any]:
    """The members of an answer, none of null; ApiError for what is no object."""
    if answer is not None and not isinstance(answer, Mapping):
        raise ApiError.of(errors.HOOK_ANSWER)
    return _named(json_object(answer))


def _named(members: Mapping[str, Any]) -> dict[str, Any]:
    """The members with known names in lower case, as Go matches them in any case."""
    known = {name: name.lower() for name in members if name.lower() in _NAMES}
    return {known.get(name, name): value for name, value in members.items()}


def _raise_error(answer: Mapping[str, Any]) -> None:
    fields = _named(object_column(answer.get("error")))
    status = fields.get("http_code")
    status = status if isinstance(status, int) and 400 <= status <= 999 else None  # noqa: PLR2004 — what HTTP can send, and no success
    message = fields.get("message")
    if not message:
        return
    code = "unexpected_failure" if status in {None, 500} else "unknown"
    raise ApiError(Problem(code, status or 500, str(message), extra={"hook": True}))
