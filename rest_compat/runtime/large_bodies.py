"""Request bodies beyond 128 KB: privileges are checked first, and they are read in slices.

The order is: checks that need no body, the caller's privileges, the body, a slot among those being
processed, its keys. A request refused earlier is never received.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from functools import partial

from compat_base.fair_semaphore import FairSemaphore, QueueFullError, ShareFullError
from compat_base.values.errors import ApiError
from compat_base.values.http import HttpRequest
from rest_compat.api_request.model import RelationAction
from rest_compat.auth.authenticate import Identity
from rest_compat.catalog.model import SchemaCache
from rest_compat.errors import BODIES_WAITING, POOL_TIMEOUT
from rest_compat.execute import Executor
from rest_compat.execute.faults import problem_of_fault
from rest_compat.plan.lookup import get_table
from rest_compat.request.parse import parse
from rest_compat.request.shape import (
    LONG_SHAPE,
    NO_BODY,
    ReadBody,
    Shape,
    has_many_pairs,
    read_in_slices,
    split_request,
)
from rest_compat.runtime.body_bytes import BodyBytes
from rest_compat.runtime.rights import privileges_query, refusal_of
from rest_compat.runtime.round_robin import RoundRobin
from rest_compat.runtime.snapshot import Snapshot
from rest_compat.settings import Settings

_MOST_HELD = 256 * 1024 * 1024  # bytes of all large bodies that are being received or wait
_JSON_FACTOR = 4  # CSV as JSON may be so many times as long as the largest body
_SHARE = 5  # of the pool's connections one in so many works on large bodies


@dataclass(frozen=True, slots=True)
class LargeRequest:
    """A request whose body is not received yet, and its context."""

    request: HttpRequest
    snapshot: Snapshot
    cache: SchemaCache
    identity: Identity


def _shape(sent: LargeRequest) -> Shape:
    """What can be said of a request without its body."""
    shape, _ = split_request(sent.request, sent.snapshot.exposure, NO_BODY)
    return shape


class LargeBodies:
    """Receives large bodies and reads them."""

    def __init__(self, database: Executor, settings: Settings, round_robin: RoundRobin) -> None:
        self._database = database
        self._places = FairSemaphore(
            max(1, settings.pool_size // _SHARE),
            most=settings.pool_waiting,
            most_each=settings.pool_waiting_each,
            seconds=settings.pool_acquisition_timeout,
        )
        self._bytes = BodyBytes(max(_MOST_HELD, 2 * settings.max_body))
        self._most_json = _JSON_FACTOR * settings.max_body
        self._round_robin = round_robin

    @asynccontextmanager
    async def received(self, sent: LargeRequest) -> AsyncGenerator[tuple[HttpRequest, ReadBody]]:
        """The whole request and its read body, with a slot to process it for the block.

        Raises ApiError, and what the server raises for a body it cannot read whole.
        """
        await self._check(sent)
        with self._bytes.counted(sent.request.caller) as take:

            def count(size: int) -> None:
                if not take(size):
                    raise ApiError.of(BODIES_WAITING, limit=self._bytes.most)

            rest = sent.request.rest
            body = b"" if rest is None else await rest(count)
            request = replace(sent.request, body=body, rest=None)
            await self._wait_for_place(request.caller)
            try:
                exposure = sent.snapshot.exposure
                read = await self._round_robin.run(
                    read_in_slices(request, exposure, self._most_json)
                )
                yield request, read
            finally:
                self._places.release(request.caller)

    async def _check(self, sent: LargeRequest) -> None:
        """Refuse what can be refused without the body."""
        if has_many_pairs(sent.request):
            shape = await self._round_robin.in_thread(sent.request.caller, partial(_shape, sent))
        else:
            shape = _shape(sent)
        reading = partial(parse, shape, allow_transaction=sent.snapshot.settings.tx_override)
        if shape.weight() > LONG_SHAPE:
            await self._round_robin.in_thread(sent.request.caller, reading)
        else:
            reading()
        if isinstance(shape.action, RelationAction):
            get_table(sent.cache, shape.action.name)
        statement = privileges_query(shape.action, sent.identity.role)
        if statement is None:
            return
        fault = refusal_of(shape.action, await self._database.query(statement, sent.request.caller))
        if fault is not None:
            is_known = sent.identity.role != sent.snapshot.settings.anon_role
            raise ApiError(problem_of_fault(fault, authenticated=is_known))

    async def _wait_for_place(self, caller: str) -> None:
        try:
            await self._places.acquire(caller)
        except (TimeoutError, ShareFullError, QueueFullError) as error:
            raise ApiError.of(POOL_TIMEOUT) from error
