"""Encryption at rest of password hashes and TOTP secrets (auth reference 14, DB_ENCRYPTION)."""

from __future__ import annotations

import base64

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.kdf.hkdf import HKDF

from compat_base.values import jsontext
from gotrue_compat.settings.access import EncryptionSettings

NONCE_LENGTH = 12


def seal(text: str, bound_to: str, nonce: bytes, settings: EncryptionSettings) -> str:
    """Text as stored: plain where encryption is off, else AES-GCM bound to the object's id."""
    if not settings.enabled or not text:
        return text
    sealed = AESGCM(_derived(settings.key.reveal(), bound_to)).encrypt(nonce, text.encode(), None)
    return jsontext.encode(
        {
            "key_id": settings.key_id,
            "alg": "aes-gcm-hkdf",
            "data": base64.b64encode(sealed).decode(),
            "nonce": base64.b64encode(nonce).decode(),
        }
    )


def unseal(stored: str, bound_to: str, settings: EncryptionSettings) -> str:
    """The text of what is stored, encrypted or not; "" where no key opens it."""
    if not stored.startswith("{"):
        return stored
    try:
        envelope = jsontext.decode_object(stored)
        key = settings.decryption.get(envelope["key_id"])
        if key is None and envelope["key_id"] == settings.key_id:
            key = settings.key
        if key is None:
            return ""
        nonce, sealed = base64.b64decode(envelope["nonce"]), base64.b64decode(envelope["data"])
        return AESGCM(_derived(key.reveal(), bound_to)).decrypt(nonce, sealed, None).decode()
    except (ValueError, KeyError, TypeError, InvalidTag):
        return ""


def _derived(key: str, bound_to: str) -> bytes:
    material = base64.urlsafe_b64decode(key + "=" * (-len(key) % 4))
    return HKDF(hashes.SHA256(), 32, None, bound_to.encode()).derive(material)
