"""The VAPID key, by which push services know this installation (RFC 8292).

Browsers bind their subscriptions to its public half: another key would void them all, so it is not
rotated with the others.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat
from jwt.algorithms import ECAlgorithm

from compat_base.values import jsontext
from compat_base.values.jwt import Key, UnreadableKeyError, key_from_jwk
from compat_base.values.world import Entropy
from compat_stack.keys.derived import new_private_key

FILE = "vapid_key.json"


@dataclass(frozen=True, slots=True)
class VapidKey:
    """A key pair: the private half as a key, the public one as push services take it."""

    private: Key
    public: str


def new_vapid_key(entropy: Entropy) -> str:
    """A new private key as JSON text."""
    jwk: dict[str, Any] = dict(ECAlgorithm.to_jwk(new_private_key(entropy), as_dict=True))
    return jsontext.encode(jwk | {"alg": "ES256", "key_ops": ["sign", "verify"]})


def vapid_key(text: str) -> VapidKey:
    """Read a private key. Raises UnreadableKeyError."""
    try:
        jwk = jsontext.decode_object(text)
    except ValueError as error:
        raise UnreadableKeyError("it is no JSON") from error
    key = key_from_jwk(jwk)
    made = key.private
    if not isinstance(made, ec.EllipticCurvePrivateKey) or made.curve.name != "secp256r1":
        raise UnreadableKeyError("it is no private key of P-256")
    point = made.public_key().public_bytes(Encoding.X962, PublicFormat.UncompressedPoint)
    return VapidKey(key, jsontext.base64url(point))
