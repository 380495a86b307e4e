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
from hashlib import blake2b

from compat_base.values.errors import ApiError, Row
from gotrue_compat import errors
from gotrue_compat.ports import Deps, Visit


@dataclass(frozen=True, slots=True)
class Budget:
    """A limit by name, and whom it limits; no subject at all where it is not known.

    `spares` is asked where the budget is used up: whoever it spares goes on.
    """

    name: str
    subject: tuple[str, ...]
    spares: Callable[[], Awaitable[bool]] | None = None

    @property
    def key(self) -> bytes:
        """The bucket's name: bounded, and no address is kept in it."""
        text = "\0".join((self.name, *self.subject)).encode("utf-8", "surrogatepass")
        return blake2b(text, digest_size=16).digest()


def wrong_tries(visit: Visit) -> tuple[Budget, ...]:
    """The budget of a caller's wrong credentials of any kind, where something names the caller."""
    return (Budget("wrong", (visit.limited_as,)),) if visit.limited_as else ()


def wrong_passwords(
    visit: Visit, account: str, spares: Callable[[], Awaitable[bool]]
) -> tuple[Budget, ...]:
    """The budgets of wrong passwords: of the caller, of the account by the caller, of the account.

    The account's own is the only one that stops a guesser with many addresses, and would let that
    guesser lock the owner out: so it is six times as wide as that of one caller, and does not hold
    for an address from which a session of the account was opened, which `spares` asks the database.
    Accounts that nobody has are counted and refused alike.
    """
    if not visit.limited_as:
        return ()
    return (
        *wrong_tries(visit),
        Budget("wrong_password", (account, visit.limited_as)),
        Budget("wrong_password_account", (account,), spares),
    )


async def take(deps: Deps, budget: Budget, row: Row = errors.REQUEST_LIMIT) -> bool:
    """Take one event, and say whether one was taken.

    ApiError by the row where there is none, with the seconds until there is.
    """
    rate = deps.settings.limits.rates[budget.name]
    if rate is None:
        return False
    wait = await deps.buckets.take(budget.key, rate) if rate.events else rate.seconds
    if not wait:
        return True
    if budget.spares is not None and await budget.spares():
        return False
    raise refusal(row, wait)


def refusal(row: Row, wait: float) -> ApiError:
    """A refusal that says after how many seconds, at least one, it may be tried again."""
    return ApiError.of(row, headers=(("Retry-After", str(max(math.ceil(wait), 1))),))


@asynccontextmanager
async def guessing(deps: Deps, budgets: Sequence[Budget], *wrong: Row) -> AsyncGenerator[None]:
    """Judge a guess in the block: only where it raises an error of one of the codes it counts."""
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


async def _give_back(deps: Deps, budgets: Sequence[Budget]) -> None:
    for budget in budgets:
        rate = deps.settings.limits.rates[budget.name]
        if rate is not None:
            await deps.buckets.give_back(budget.key, rate)
