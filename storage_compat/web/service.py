"""Serving a request: route, caller, handler, answer."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from starlette.types import Receive, Scope, Send

from compat_base.asgi import ClientGoneError, refuse_socket
from compat_base.slices import Slices
from compat_base.values.errors import ApiError
from compat_base.values.events import Observation, Severity
from compat_base.values.http import HttpResponse
from storage_compat import errors
from storage_compat.files.port import NoBytesError
from storage_compat.flows.reading import LOOKS
from storage_compat.model.caller import Caller
from storage_compat.ports import Dependencies
from storage_compat.rules import access_tokens
from storage_compat.rules.content_types import check_header
from storage_compat.web import faults
from storage_compat.web.calls import Call, checked_query, context_of, json_body
from storage_compat.web.exchange import Answer, Incoming, incoming_of, send_answer
from storage_compat.web.routes import BadUrlError, Guard, Match, Route, match

_NO_HEADER = "headers must have required property 'authorization'"
_SERVER_ERROR = 500


class Service:
    """Answers requests by the table of routes."""

    def __init__(self, deps: Dependencies) -> None:
        self._deps = deps

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one HTTP request; a WebSocket is refused."""
        if scope["type"] == "websocket":
            await refuse_socket(receive, send)
            return
        incoming = incoming_of(scope, receive)
        is_started = False

        async def sending(message: Any) -> None:
            nonlocal is_started
            is_started = True
            await send(message)

        looks = LOOKS if incoming.method in {"GET", "HEAD"} else 1
        try:
            while looks:
                looks -= 1
                try:
                    await self._answer(incoming, sending)
                except NoBytesError:  # overwritten or removed since its row was read
                    if is_started or not looks:
                        raise
                else:
                    return
        except ClientGoneError:
            return
        except Exception as error:
            self._observe(incoming, error)
            if is_started:  # the length was sent: only closing the connection signals failure
                raise
            answer = faults.answer_of(faults.problem_of(error))
            await send_answer(send, answer, is_head=incoming.method == "HEAD")

    async def _answer(self, incoming: Incoming, send: Callable[[Any], Any]) -> None:
        answer = await self._handle(incoming)
        await send_answer(send, answer, is_head=incoming.method == "HEAD")

    async def _handle(self, incoming: Incoming) -> Answer:
        try:
            found = match(incoming.method, incoming.raw_path)
            if found is None:
                return faults.no_route(incoming.method, incoming.target)
            return await found.route.handler(await self._call(incoming, found))
        except BadUrlError:
            return faults.bad_url(incoming.raw_path)
        except ApiError as error:
            return self._refusal(incoming, error)

    async def _call(self, incoming: Incoming, found: Match) -> Call:
        """Type, body and query are validated before the token (storage reference 1.7)."""
        route = found.route
        content_type = incoming.headers.get("content-type")
        is_judged = incoming.method not in {"GET", "HEAD"} and not route.path.startswith("/s3")
        if content_type is not None and is_judged:  # S3 refuses in XML
            check_header(content_type)
        slices = Slices(self._deps.world.clock)
        body = None if route.body is None else await json_body(incoming, route.body, slices)
        query = {} if route.query is None else checked_query(incoming.query, route.query)
        caller = self._caller(incoming, route)
        context = context_of(self._deps, incoming, caller or self._nobody(), route.operation)
        has_token = caller is not None
        return Call(
            self._deps, context, incoming, found.parameters, found.raw, has_token, body, query
        )

    def _refusal(self, incoming: Incoming, error: ApiError) -> HttpResponse:
        if error.problem.status >= _SERVER_ERROR:
            self._observe(incoming, error)
        return faults.answer_of(error.problem)

    def _caller(self, incoming: Incoming, route: Route) -> Caller | None:
        """The caller; None where the route needs none. ApiError for a refused token."""
        if route.guard is Guard.NONE:
            return None
        authorization = incoming.headers.get("authorization")
        if authorization is None:
            if route.guard is Guard.MAYBE:
                return None
            if route.guard is Guard.TOKEN:
                raise ApiError.of(errors.INVALID_BODY, reason=_NO_HEADER)
            authorization = ""
        try:
            return access_tokens.caller_of(
                access_tokens.token_of(authorization),
                self._deps.settings.tokens.known,
                self._deps.world.clock.now(),
                self._deps.settings.database.anon_role,
            )
        except ApiError:
            if route.guard is Guard.MAYBE:
                return None
            raise

    def _nobody(self) -> Caller:
        return Caller(self._deps.settings.database.anon_role)

    def _observe(self, incoming: Incoming, error: Exception) -> None:
        problem = faults.problem_of(error)
        if problem.status < _SERVER_ERROR:
            return
        facts = {
            "method": incoming.method,
            "path": incoming.raw_path,
            "code": problem.code,
            "cause": f"{type(error.__cause__ or error).__name__}: {error.__cause__ or error}",
        }
        self._deps.observer(Observation("request_error", Severity.ERROR, facts))
