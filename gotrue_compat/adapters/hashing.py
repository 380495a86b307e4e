"""Password hashes in threads of their own, beside the event loop."""

from __future__ import annotations

import base64
import binascii
import hashlib
import hmac
import math
import os
import re
import sys
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import TypeVar

import bcrypt
from argon2.exceptions import Argon2Error, InvalidHashError
from argon2.low_level import Type, verify_secret
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes

from compat_base.fair_executor import FairExecutor
from compat_base.fair_semaphore import QueueFullError, ShareFullError
from compat_base.values.errors import ApiError
from gotrue_compat import errors
from gotrue_compat.adapters.bcrypt_hash import HashPassword, find_bcrypt
from gotrue_compat.rules.passwords import FBSCRYPT, LONGEST

T = TypeVar("T")

COST = 10
_HASH_SECONDS = 0.1  # of one hash, rounded up
_NICENESS = 2
_ARGON2 = re.compile(
    r"\$(argon2i|argon2id)\$v=19\$m=(\d{1,9}),t=(\d{1,9}),p=(\d{1,9})\$[^$]+\$[^$]+"
)
_ARGON2_MEMORY, _ARGON2_TIME, _ARGON2_LANES = 1024 * 1024, 20, 16
_FBSCRYPT_WORK = 8 << 20  # power, rounds and lanes together: a GB, and some seconds
_BCRYPT_COST = re.compile(r"\$2[abxy]?\$(\d\d)\$")
_HIGHEST_COST = 16  # some four seconds; each step beyond takes twice as long
# Unknown users are checked against it: as slow as a real check, and never a match
_DUMMY = b"$2b$10$CwTycUXWue0Thq9StjUM0uJ8.k1Ge1hHnY8YvVRcLyLN1j1vHnQ5e"


class ThreadHasher:
    """Hashes in one thread a processor, each of lower priority than the event loop.

    Queueing is fair by caller: `most` requests may wait, `most_each` of one caller, `seconds` long.
    `cost` is that of new hashes, as a power of two.
    """

    def __init__(
        self, *, most: int = 128, most_each: int = 32, seconds: float = 5, cost: int = COST
    ) -> None:
        self._bcrypt = find_bcrypt()
        self._cost = cost
        self._count = os.cpu_count() or 1
        self._threads = ThreadPoolExecutor(
            self._count, thread_name_prefix="hash", initializer=_be_nice
        )
        self._queue = FairExecutor(
            self._threads, self._count, most=most, most_each=most_each, seconds=seconds
        )

    async def hash(self, password: str, caller: str = "") -> str:
        """Hash a password with bcrypt."""
        return await self._run(caller, partial(_bcrypt_hash, self._bcrypt, password, self._cost))

    async def verify(self, password: str, stored: str, caller: str = "") -> bool:
        """Whether the password matches the stored hash; a hash of "" takes as long to check."""
        return await self._run(caller, partial(_verify, self._bcrypt, password, stored))

    def close(self) -> None:
        """Stop the threads."""
        self._threads.shutdown(wait=False, cancel_futures=True)

    async def _run(self, caller: str, work: Callable[[], T]) -> T:
        try:
            return await self._queue.run(caller, work)
        except ShareFullError as error:
            raise ApiError.of(errors.REQUEST_LIMIT, headers=self._later()) from error
        except QueueFullError as error:
            raise ApiError.of(errors.TOO_BUSY, headers=self._later()) from error

    def _later(self) -> tuple[tuple[str, str], ...]:
        """When the queue will have been worked off, as Retry-After."""
        seconds = len(self._queue) * _HASH_SECONDS / self._count
        return (("Retry-After", str(max(math.ceil(seconds), 1))),)


def _be_nice() -> None:
    """Lower the thread's priority below the event loop's: on Linux niceness is per thread."""
    if sys.platform == "linux":
        os.setpriority(os.PRIO_PROCESS, threading.get_native_id(), _NICENESS)


def _bcrypt_hash(by: HashPassword, password: str, cost: int) -> str:
    return by(password.encode()[:LONGEST], bcrypt.gensalt(cost, prefix=b"2a")).decode()


def _verify(by: HashPassword, password: str, stored: str) -> bool:
    if stored.startswith("$argon2"):
        return _verify_argon2(password, stored)
    if stored.startswith("$fbscrypt$"):
        return _verify_fbscrypt(password, stored)
    cost = _BCRYPT_COST.match(stored)
    if cost and int(cost[1]) > _HIGHEST_COST:
        return False
    wanted = stored.encode() or _DUMMY
    try:
        found = by(password.encode()[:LONGEST], wanted)
    except ValueError:  # not a bcrypt hash
        found = by(b"", _DUMMY)
    return hmac.compare_digest(found, wanted) and bool(stored)


def _verify_argon2(password: str, stored: str) -> bool:
    match = _ARGON2.fullmatch(stored)
    if match is None:
        return False
    memory, passes, lanes = (int(number) for number in match.groups()[1:])
    if memory > _ARGON2_MEMORY or passes > _ARGON2_TIME or lanes > _ARGON2_LANES:
        return False
    kind = Type.I if match.group(1) == "argon2i" else Type.ID
    try:
        return verify_secret(stored.encode(), password.encode(), kind)
    except (Argon2Error, InvalidHashError):
        return False


def _verify_fbscrypt(password: str, stored: str) -> bool:
    """Firebase's variant: scrypt makes an AES-CTR key that encrypts the signer key."""
    match = FBSCRYPT.fullmatch(stored)
    if match is None:
        return False
    power, rounds, lanes = (int(number) for number in match.groups()[:3])
    if not 0 < power < _FBSCRYPT_WORK.bit_length() or rounds * lanes << power > _FBSCRYPT_WORK:
        return False
    try:
        separator, signer, salt, wanted = (
            base64.b64decode(part or "") for part in match.groups()[3:]
        )
        key = hashlib.scrypt(
            password.encode(), salt=salt + separator, n=1 << power, r=rounds, p=lanes,
            maxmem=2 * 128 * rounds * (1 << power) + 1_000_000, dklen=32,
        )  # fmt: skip
    except (binascii.Error, ValueError):
        return False
    encryptor = Cipher(algorithms.AES(key), modes.CTR(bytes(16))).encryptor()
    return hmac.compare_digest(encryptor.update(signer) + encryptor.finalize(), wanted)
