"""Verification of a wallet's message: signature, domain and times (auth reference 9.6)."""

from __future__ import annotations

import base64
import binascii
from collections.abc import Callable
from datetime import datetime, timedelta
from urllib.parse import urlsplit

import base58
import coincurve
from Crypto.Hash import keccak
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

from compat_base.values.urls import parse_url
from gotrue_compat.features.web3.message import Chain, Message

_ETHEREUM_SIGNATURE = 65
# Heights of the points whose order is at most 8: anybody signs for them (RFC 8032, section 5.1)
_FIELD = 2**255 - 19
_EIGHTH = 0x5FC536D880238B13933C6D305ACDFD5F098EFF289F4C345B027B2C28F95E826
_OF_SMALL_ORDER = frozenset({0, 1, _FIELD - 1, _EIGHTH, _FIELD - _EIGHTH})
_SOLANA_TEXTS = (86, 88)  # the lengths of a signature in base64, without and with padding
_LONGEST_OFFCHAIN = 0xFFFF


def time_problem(message: Message, chain: Chain, now: datetime, life: float) -> str:
    """What is wrong with a message's times, "" for nothing."""
    signed = f"Signed {chain.name} message"
    if message.not_before is not None and now < message.not_before:
        return f"{signed} becomes valid in the future"
    if message.expires_at is not None and now > message.expires_at:
        return f"{signed} is expired"
    age = now - message.issued_at  # not a sum: a message may name the end of the year 9999
    if age > timedelta(seconds=life):
        return f"{chain.name} message was issued too long ago"
    if age < -timedelta(seconds=life):
        return f"{chain.name} message was issued too far in the future"
    return ""


def place_problem(message: Message, chain: Chain, is_allowed: Callable[[str], bool]) -> str:
    """What is wrong with a message's domain and URI, "" for nothing.

    The domain is what the wallet compares with the page that asks and shows to its owner: it must
    be the URI's, on this machine too, or any page could ask for a message that counts here where
    the allow list has localhost.
    """
    signed = f"Signed {chain.name} message is using"
    url = parse_url(message.uri)
    is_local = url is not None and url.host == "localhost"
    if (url is None or url.scheme != "https") and not is_local:
        return f"{signed} URI which does not use HTTPS"
    if not is_allowed(message.uri):
        return (
            f"{signed} URI which is not allowed on this server, message was signed for another app"
        )
    if urlsplit(message.uri).netloc != message.domain or not (
        is_local or is_allowed(f"https://{message.domain}/")
    ):
        return (
            f"{signed} a Domain that does not match the one in URI which is not allowed on this "
            "server"
        )
    return ""


def is_signed(text: str, signature: bytes, message: Message) -> bool:
    """Whether the wallet of the message's address signed its text."""
    if message.address.startswith("0x"):
        return _ethereum_signer(text, signature) == message.address.lower()
    try:
        key = base58.b58decode(message.address)
    except ValueError:
        return False
    forms = (text.encode(), _offchain(text.encode(), message.domain, key))
    return any(_is_solanas(key, signature, form) for form in forms)


def solana_signature(text: str) -> bytes | None:
    """A signature sent as base64, in either alphabet; None for other characters.

    ValueError for another length.
    """
    if len(text) not in _SOLANA_TEXTS:
        raise ValueError(text)
    try:
        plain = text.replace("-", "+").replace("_", "/").rstrip("=")
        return base64.b64decode(plain + "=" * (-len(plain) % 4), validate=True)
    except (binascii.Error, ValueError):
        return None


def _is_solanas(key: bytes, signature: bytes, data: bytes) -> bool:
    height = (int.from_bytes(key, "little") % 2**255) % _FIELD
    if height in _OF_SMALL_ORDER:
        return False
    try:
        Ed25519PublicKey.from_public_bytes(key).verify(signature, data)
    except (InvalidSignature, ValueError):
        return False
    return True


def _offchain(data: bytes, domain: str, key: bytes) -> bytes:
    """What a hardware wallet signs instead: Solana's off-chain message with one signer."""
    if len(data) > _LONGEST_OFFCHAIN:
        return b""
    place = domain.encode()[:32].ljust(32, b"\0")
    head = b"\xffsolana offchain\0" + place + b"\0\x01" + key
    return head + len(data).to_bytes(2, "little") + data


def ethereum_signature(text: str) -> bytes | None:
    """A signature sent as hexadecimal after 0x, b"" for other text, None for another length."""
    digits = text.removeprefix("0x")
    if len(digits) != 2 * _ETHEREUM_SIGNATURE:
        return None
    try:
        data = bytes.fromhex(digits) if text.startswith("0x") else b""
    except ValueError:
        return b""
    return data if len(data) == _ETHEREUM_SIGNATURE else b""


def checksummed(address: str) -> str:
    """An address of Ethereum with its checksum, which is in its capital letters (EIP-55)."""
    digits = address.lower().removeprefix("0x")
    weights = _keccak(digits.encode()).hex()
    return "0x" + "".join(
        digit.upper() if int(weight, 16) >= 8 else digit  # noqa: PLR2004 — the upper half of digits
        for digit, weight in zip(digits, weights, strict=False)
    )


def _ethereum_signer(text: str, signature: bytes) -> str:
    """The address that signed a personal message (EIP-191), "" where nobody did."""
    if not signature:
        return ""
    data = text.encode()
    prefixed = b"\x19Ethereum Signed Message:\n" + str(len(data)).encode() + data
    recovery = signature[64] - 27 if signature[64] >= 27 else signature[64]  # noqa: PLR2004 — EIP-155
    try:
        key = coincurve.PublicKey.from_signature_and_message(
            signature[:64] + bytes([recovery]), _keccak(prefixed), hasher=None
        )
    except Exception:  # noqa: BLE001 — the library raises the plain class for what it refuses
        return ""
    return "0x" + _keccak(key.format(compressed=False)[1:])[-20:].hex()


def _keccak(data: bytes) -> bytes:
    return keccak.new(digest_bits=256, data=data).digest()
