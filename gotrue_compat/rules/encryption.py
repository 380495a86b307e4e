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


def encrypt(text: str, object_id: str, nonce: bytes, settings: EncryptionSettings) -> str:
    """Text as stored: plain where encryption is off, else AES-GCM bound to the object's id."""
    if not settings.enabled or not text:
        return text
    ciphertext = AESGCM(_derived(settings.key.reveal(), object_id)).encrypt(
        nonce, text.encode(), None
    )
    return jsontext.encode(
        {
            "key_id": settings.key_id,
            "alg": "aes-gcm-hkdf",
            "data": base64.b64encode(ciphertext).decode(),
            "nonce": base64.b64encode(nonce).decode(),
        }
    )


def decrypt(stored: str, object_id: str, settings: EncryptionSettings) -> str:
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
        nonce, ciphertext = base64.b64decode(envelope["nonce"]), base64.b64decode(envelope["data"])
        return AESGCM(_derived(key.reveal(), object_id)).decrypt(nonce, ciphertext, None).decode()
    except (ValueError, KeyError, TypeError, InvalidTag):
        return ""


def _derived(key: str, object_id: str) -> bytes:
    material = base64.urlsafe_b64decode(key + "=" * (-len(key) % 4))
    return HKDF(hashes.SHA256(), 32, None, object_id.encode()).derive(material)
