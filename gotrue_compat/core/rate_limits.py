"""Limits as flows and routes use them: an event taken from buckets, or 429 with Retry-After.

Guesses are limited by what was wrong: a try takes its event before it is judged, so that tries made
at once count each, and a right one gives it back, so that honest people behind one address are not
stopped.
"""

from __future__ import annotations

import math
from collections.abc import AsyncGenerator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from functools import partial
from hashlib import blake2b

from compat_base.values.errors import ApiError, Row
from compat_base.values.networks import caller_network
from gotrue_compat import errors
from gotrue_compat.http.context import RequestContext
from gotrue_compat.http.dependencies import Dependencies
from gotrue_compat.model.user import User
from gotrue_compat.ports import Rate
from gotrue_compat.store import sessions
from gotrue_compat.store.statements import NIL


@dataclass(frozen=True, slots=True)
class Budget:
    """A limit by name, and its subject; no subject where the caller is not known.

    `exempts` is called where the budget is used up: True lets the caller go on.
    """

    name: str
    subject: tuple[str, ...]
    exempts: Callable[[], Awaitable[bool]] | None = None

    @property
    def key(self) -> bytes:
        """The bucket's name: bounded, and no address is kept in it."""
        text = "\0".join((self.name, *self.subject)).encode("utf-8", "surrogatepass")
        return blake2b(text, digest_size=16).digest()


def wrong_tries(context: RequestContext) -> tuple[Budget, ...]:
    """The budget of a caller's wrong credentials of any kind, where something names the caller."""
    return (Budget("wrong", (context.rate_limit_key,)),) if context.rate_limit_key else ()


def wrong_passwords(
    deps: Dependencies, context: RequestContext, address: str, user: User | None
) -> tuple[Budget, ...]:
    """The budgets of wrong passwords: of the caller, of the account by the caller, of the account.

    The account's own is the only one that stops a guesser with many addresses, and would let that
    guesser lock the owner out: so it is six times as wide as that of one caller, and does not hold
    for an address from which a session of the account was opened. The account is named by its
    address or number: those that nobody has, with `user` None, are counted and refused alike.
    """
    if not context.rate_limit_key:
        return ()
    account = f"{context.aud} {address}"
    return (
        *wrong_tries(context),
        Budget("wrong_password", (account, context.rate_limit_key)),
        Budget("wrong_password_account", (account,), partial(_knows_caller, deps, context, user)),
    )


async def _knows_caller(deps: Dependencies, context: RequestContext, user: User | None) -> bool:
    """Whether the user has signed in from the caller's address, or its /64."""
    if not context.ip:
        return False
    # Queried all the same, so that the response time does not reveal accounts
    user_id = user.id if user else NIL
    async with deps.database.acquire() as connection:
        return await sessions.is_opened_from(connection, user_id, caller_network(context.ip))


async def take(deps: Dependencies, budget: Budget, row: Row = errors.REQUEST_LIMIT) -> bool:
    """Take one event; whether one was taken.

    ApiError by the row where there is none, with the seconds until there is.
    """
    rate = deps.settings.limits.rates[budget.name]
    if rate is None:
        return False
    wait = await deps.buckets.take(budget.key, rate) if rate.events else rate.seconds
    if not wait:
        return True
    if budget.exempts is not None and await budget.exempts():
        return False
    raise refusal(row, wait)


async def is_replayed(deps: Dependencies, kind: str, message: tuple[str, ...], life: float) -> bool:
    """Whether a signed message of a kind was shown before, within `life` seconds of its first use.

    Counted where limits are: by every process and node on one database where they share them.
    """
    once = Rate(1, max(life, 1.0), 1)
    return await deps.buckets.take(Budget(f"once {kind}", message).key, once) > 0


def refusal(row: Row, wait: float) -> ApiError:
    """A 429 with Retry-After, at least one second."""
    return ApiError.of(row, headers=(("Retry-After", str(max(math.ceil(wait), 1))),))


@asynccontextmanager
async def limit_guesses(
    deps: Dependencies, budgets: Sequence[Budget], *wrong: Row
) -> AsyncGenerator[None]:
    """Count a guess in the block: only where it raises an error with one of the codes."""
    taken: list[Budget] = []
    try:
        for budget in budgets:
            taken += [budget] if await take(deps, budget) else []
        yield
    except ApiError as error:
        if error.problem.code not in {row.code for row in wrong}:
            await _give_back(deps, taken)
        raise
    await _give_back(deps, taken)


async def _give_back(deps: Dependencies, budgets: Sequence[Budget]) -> None:
    for budget in budgets:
        rate = deps.settings.limits.rates[budget.name]
        if rate is not None:
            await deps.buckets.give_back(budget.key, rate)
