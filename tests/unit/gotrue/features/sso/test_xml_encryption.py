"""Encrypted assertions: opened by one of our keys, refused in one way for any other reason."""

from __future__ import annotations

import base64
import os
from typing import Any

import pytest
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import padding, rsa
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

from gotrue_compat.features.sso.saml_xml import parsed
from gotrue_compat.features.sso.xml_encryption import DecryptionError, decrypted

GCM = "http://www.w3.org/2009/xmlenc11#aes256-gcm"
OAEP = "http://www.w3.org/2001/04/xmlenc#rsa-oaep-mgf1p"
PADDING = padding.OAEP(padding.MGF1(hashes.SHA1()), hashes.SHA1(), None)


@pytest.fixture(scope="module")
def keys() -> tuple[rsa.RSAPrivateKey, rsa.RSAPrivateKey]:
    one, two = (rsa.generate_private_key(65537, 2048) for _ in range(2))
    return one, two


def sealed(key: rsa.RSAPrivateKey, *, method: str = GCM, wrap: str = OAEP, bits: int = 256) -> Any:
    secret, nonce = os.urandom(bits // 8), os.urandom(12)
    data = nonce + AESGCM(secret).encrypt(nonce, b"<a/>", None)
    wrapped = key.public_key().encrypt(secret, PADDING)

    def value(content: bytes) -> str:
        text = base64.b64encode(content).decode()
        return f"<x:CipherData><x:CipherValue>{text}</x:CipherValue></x:CipherData>"

    return parsed(
        (
            '<e xmlns:x="http://www.w3.org/2001/04/xmlenc#">'
            f'<x:EncryptedData><x:EncryptionMethod Algorithm="{method}"/>'
            f'<x:EncryptedKey><x:EncryptionMethod Algorithm="{wrap}"/>{value(wrapped)}'
            f"</x:EncryptedKey>{value(data)}</x:EncryptedData></e>"
        ).encode()
    )


def test_either_of_our_keys_opens_it(keys):
    assert decrypted(sealed(keys[1]), keys) == b"<a/>"


@pytest.mark.parametrize(
    "changes",
    [{"bits": 128}, {"method": "urn:odd"}, {"wrap": "http://www.w3.org/2001/04/xmlenc#rsa-1_5"}],
)
def test_another_method_or_length_is_refused(keys, changes: dict[str, Any]):
    with pytest.raises(DecryptionError):
        decrypted(sealed(keys[0], **changes), keys)


def test_what_is_for_somebody_else_or_has_no_key_is_refused(keys):
    for element, own in ((sealed(keys[0]), keys[1:]), (parsed(b"<e/>"), keys)):
        with pytest.raises(DecryptionError):
            decrypted(element, own)
