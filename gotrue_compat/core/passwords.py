"""Password rules with the leak check, encryption at rest, random passwords."""

from __future__ import annotations

from gotrue_compat.errors import weak_password
from gotrue_compat.http.context import RequestContext
from gotrue_compat.http.dependencies import Dependencies
from gotrue_compat.rules.encryption import NONCE_LENGTH, decrypt, encrypt
from gotrue_compat.rules.passwords import Weakness, check_length, weakness_of

_ALPHABET = "abcdefghijkmnopqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ23456789"
_RANDOM_LENGTH = 64  # bytes
_MOST_SYMBOLS = 256  # of a required set: the entropy source draws from no longer alphabet


async def check_strength(deps: Dependencies, password: str) -> None:
    """Refuse a password that is too long or weak (auth reference 6)."""
    check_length(password)
    weakness = await find_weakness(deps, password)
    if weakness is not None:
        raise weak_password(weakness.text, weakness.reasons)


async def find_weakness(deps: Dependencies, password: str) -> Weakness | None:
    """Why the password is weak, if it is."""
    is_pwned = await deps.leaked.is_known(password)
    return weakness_of(password, deps.settings.password, is_pwned=is_pwned)


def encrypt_secret(deps: Dependencies, text: str, object_id: str) -> str:
    """A secret as stored: encrypted where that is on."""
    encryption = deps.settings.security.encryption
    return encrypt(text, object_id, deps.world.entropy.bytes(NONCE_LENGTH), encryption)


def decrypt_secret(deps: Dependencies, stored: str, object_id: str) -> str:
    """A secret out of the database."""
    return decrypt(stored, object_id, deps.settings.security.encryption)


async def is_password(
    deps: Dependencies, context: RequestContext, password: str, stored: str, user_id: str
) -> bool:
    """Whether the password is the user's; "" as stored takes as much time and never matches."""
    plain = decrypt_secret(deps, stored, user_id)
    return await deps.hasher.verify(password, plain, context.rate_limit_key)


def random_password(deps: Dependencies) -> str:
    """A random password with one of each set of characters that passwords must have."""
    entropy = deps.world.entropy
    sets = ("".join(dict.fromkeys(members)) for members in deps.settings.password.required)
    required = "".join(entropy.text(1, members[:_MOST_SYMBOLS]) for members in sets if members)
    return required + entropy.text(max(0, _RANDOM_LENGTH - len(required.encode())), _ALPHABET)
