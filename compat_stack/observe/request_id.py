"""Request ids: the client's `x-request-id` where it is safe to repeat, else a generated one.

It is passed to the services as a header, returned in every response, and part of every observation
while the request is served.
"""

from __future__ import annotations

import re
from contextvars import ContextVar
from dataclasses import replace

from compat_base.values.events import Observation, Observer
from compat_base.values.world import Entropy
from compat_stack.network.client_address import RawHeaders

HEADER = b"x-request-id"
_SAFE = re.compile(rb"[A-Za-z0-9._-]{1,128}")
_BYTES = 16
_DRAWN = 64  # ids made at once: each read of the random source is a system call
_current: ContextVar[bytes | None] = ContextVar("request_id", default=None)


class RequestIds:
    """Assigns request ids; random ones are generated in batches."""

    def __init__(self, entropy: Entropy) -> None:
        self._entropy = entropy
        self._drawn: list[bytes] = []

    def identify(
        self, headers: RawHeaders, *, forward_generated: bool = True
    ) -> tuple[bytes, RawHeaders]:
        """The request's id, and its headers with that id alone; sets the context's id.

        Unless `forward_generated`, a generated id is not put into the headers.
        """
        given = [value for name, value in headers if name == HEADER]
        if len(given) == 1 and _SAFE.fullmatch(given[0]):
            request_id = given[0]
        else:
            request_id = self._made()
            if given:
                headers = [pair for pair in headers if pair[0] != HEADER]
            if forward_generated:
                headers = [*headers, (HEADER, request_id)]
        _current.set(request_id)
        return request_id, headers

    def _made(self) -> bytes:
        if not self._drawn:
            digits = self._entropy.bytes(_BYTES * _DRAWN).hex().encode()
            self._drawn = [digits[at : at + 2 * _BYTES] for at in range(0, len(digits), 2 * _BYTES)]
        return self._drawn.pop()


def with_request_id(observer: Observer) -> Observer:
    """An observer that adds the current request's id to each observation."""

    def observe(observation: Observation) -> None:
        request_id = _current.get()
        if request_id is not None:
            facts = {**observation.facts, "request_id": request_id.decode()}
            observation = replace(observation, facts=facts)
        observer(observation)

    return observe
