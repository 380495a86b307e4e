"""bcrypt by the system's libcrypt where there is one, else by the bcrypt package.

A hash takes libcrypt 53 ms of a processor and the package, version 5, 61 to 64: sign-ins are
hashes, so that is a sixth of all sign-ins that a machine can take. Both let other threads run
meanwhile. The system's is used only if its results equal the package's.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from typing import Any, TypeAlias

import bcrypt

HashPassword: TypeAlias = Callable[[bytes, bytes], bytes]
"""A password of at most 72 bytes, and a salt or a hash that holds one, to the whole hash.

ValueError where there is no salt.
"""

_LIBRARIES = ("libcrypt.so.2", "libcrypt.so.1")
_STATE_BYTES = 131_232  # the largest of the systems' `struct crypt_data`
_PREFIX = b"$2b$"  # other prefixes reproduce old bugs on some systems
_HASH_BYTES = 60
_TRIAL = b"$2b$04$abcdefghijklmnopqrstuu"


def find_bcrypt() -> HashPassword:
    """The fastest bcrypt of this machine."""
    for name in _LIBRARIES:
        try:
            hash_password = _by_libcrypt(ctypes.CDLL(name).crypt_r)
            if hash_password(b"trial", _TRIAL) == bcrypt.hashpw(b"trial", _TRIAL):
                return hash_password
        except (OSError, AttributeError, ValueError):
            continue  # no such library, or one without bcrypt
    return bcrypt.hashpw


def _by_libcrypt(crypt_r: Any) -> HashPassword:
    crypt_r.argtypes = (ctypes.c_char_p, ctypes.c_char_p, ctypes.c_char_p)
    crypt_r.restype = ctypes.c_char_p

    def hash_password(password: bytes, salt: bytes) -> bytes:
        """The hash under the salt's own prefix; ctypes lets other threads run meanwhile."""
        if b"\0" in password:  # C would stop reading there
            return bcrypt.hashpw(password, salt)
        size = len(_PREFIX)
        state = ctypes.create_string_buffer(_STATE_BYTES)
        found: bytes = crypt_r(password, _PREFIX + salt[size:], state) or b""
        if len(found) != _HASH_BYTES:
            raise ValueError("not a bcrypt salt")
        return salt[:size] + found[size:]

    return hash_password
