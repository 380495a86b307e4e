"""Secrets at rest: bound to their object, readable by earlier keys, plain where that is off."""

from __future__ import annotations

import base64
from dataclasses import replace

from compat_base.values.settings import Secret
from gotrue_compat.rules.encryption import NONCE_LENGTH, decrypt, encrypt
from gotrue_compat.settings.access import EncryptionSettings


def key(letter: bytes) -> Secret:
    return Secret(base64.urlsafe_b64encode(letter * 32).decode())


ON = EncryptionSettings(enabled=True, key_id="1", key=key(b"a"), decryption={})
NONCE = bytes(NONCE_LENGTH)


def test_what_is_encrypted_is_read_back_for_its_object_alone():
    stored = encrypt("hash", "user", NONCE, ON)
    assert "hash" not in stored
    assert decrypt(stored, "user", ON) == "hash"
    assert decrypt(stored, "other", ON) == ""


def test_an_earlier_key_still_reads():
    stored = encrypt("hash", "user", NONCE, ON)
    rotated = replace(ON, key_id="2", key=key(b"b"), decryption={"1": key(b"a")})
    assert decrypt(stored, "user", rotated) == "hash"
    assert decrypt(stored, "user", replace(rotated, decryption={})) == ""


def test_switched_off_text_is_stored_plain_and_plain_text_is_read():
    off = replace(ON, enabled=False)
    assert encrypt("hash", "user", NONCE, off) == "hash"
    assert decrypt("hash", "user", ON) == "hash"
    assert encrypt("", "user", NONCE, ON) == ""


def test_a_damaged_envelope_opens_to_nothing():
    for stored in ("{", "{}", '{"key_id": "1", "nonce": "!", "data": "!"}'):
        assert decrypt(stored, "user", ON) == ""
