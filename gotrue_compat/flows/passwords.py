"""Password rules with the leak check, and random passwords nobody is told."""

from __future__ import annotations

from gotrue_compat.errors import weak_password
from gotrue_compat.ports import Deps, Visit
from gotrue_compat.rules.encryption import NONCE_LENGTH, seal, unseal
from gotrue_compat.rules.passwords import Weakness, check_length, weakness_of

_ALPHABET = "abcdefghijkmnopqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ23456789"
_RANDOM_LENGTH = 64


async def check_strength(deps: Deps, password: str) -> None:
    """Refuse a password that is too long or weak (auth reference 6)."""
    check_length(password)
    weakness = await find_weakness(deps, password)
    if weakness is not None:
        raise weak_password(weakness.text, weakness.reasons)


async def find_weakness(deps: Deps, password: str) -> Weakness | None:
    """Why the password is weak, if it is."""
    is_pwned = await deps.leaked.is_known(password)
    return weakness_of(password, deps.settings.password, is_pwned=is_pwned)


def sealed(deps: Deps, text: str, bound_to: str) -> str:
    """A secret as stored: encrypted where that is on."""
    encryption = deps.settings.security.encryption
    return seal(text, bound_to, deps.world.entropy.bytes(NONCE_LENGTH), encryption)


def unsealed(deps: Deps, stored: str, bound_to: str) -> str:
    """A secret out of the database."""
    return unseal(stored, bound_to, deps.settings.security.encryption)


async def is_password(deps: Deps, visit: Visit, password: str, stored: str, user_id: str) -> bool:
    """Whether the password is the user's; "" as stored costs as much time and never matches."""
    plain = unsealed(deps, stored, user_id)
    return await deps.hasher.verify(password, plain, visit.limited_as)


def random_password(deps: Deps) -> str:
    """A password that meets any length and is told to nobody."""
    return deps.world.entropy.text(_RANDOM_LENGTH, _ALPHABET)
