"""Keys that follow from a secret: nodes that are given the same one have the same keys.

The stream of bytes is keyed BLAKE2b over a counter. Deriving them costs no security: whoever knows
the secret can sign tokens of any role anyway.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field
from uuid import UUID

from cryptography.hazmat.primitives.asymmetric import ec

from compat_base.values.world import Entropy

SECRET_LENGTH = 32  # characters at least: what is shorter could be guessed from a public key

_ORDER = 0xFFFFFFFF00000000FFFFFFFFFFFFFFFFBCE6FAADA7179E84F3B9CAC2FC632551  # of P-256
_KEY_BYTES = 48  # 16 more than a key has: every key is as likely


@dataclass(slots=True)
class DerivedEntropy:
    """The same values for the same secret, in the order of the calls."""

    secret: str = field(repr=False)
    _count: int = 0

    def bytes(self, count: int) -> bytes:
        """The next bytes of the key stream."""
        found = b""
        key = hashlib.blake2b(self.secret.encode(), person=b"planes keys").digest()
        while len(found) < count:
            self._count += 1
            found += hashlib.blake2b(self._count.to_bytes(8), key=key).digest()
        return found[:count]

    def uuid(self) -> UUID:
        """The next UUID, in the form of version 4."""
        return UUID(bytes=self.bytes(16), version=4)

    def text(self, length: int, alphabet: str) -> str:
        """The next text of symbols of the alphabet."""
        size = len(alphabet)
        return "".join(alphabet[int.from_bytes(self.bytes(16)) % size] for _ in range(length))


def new_private_key(entropy: Entropy) -> ec.EllipticCurvePrivateKey:
    """A private key of P-256."""
    number = int.from_bytes(entropy.bytes(_KEY_BYTES)) % (_ORDER - 1) + 1
    return ec.derive_private_key(number, ec.SECP256R1())
