"""Encrypted assertions: XML Encryption 1.1 as SAML providers use it (auth reference 9.7).

Only the structure is read here; the ciphers are cryptography's. Keys travel by RSA-OAEP alone:
RSA 1.5, which is a padding oracle, is refused. Every failure has the same text, for
the same reason.
"""

from __future__ import annotations

import base64
import binascii
from collections.abc import Iterable
from typing import Any

from cryptography.exceptions import InvalidTag, UnsupportedAlgorithm
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import padding, rsa
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

_NS = {
    "xenc": "http://www.w3.org/2001/04/xmlenc#",
    "ds": "http://www.w3.org/2000/09/xmldsig#",
}
_OAEP_SHA1 = "http://www.w3.org/2001/04/xmlenc#rsa-oaep-mgf1p"
_OAEP = "http://www.w3.org/2009/xmlenc11#rsa-oaep"
_HASHES: dict[str, hashes.HashAlgorithm] = {
    "http://www.w3.org/2000/09/xmldsig#sha1": hashes.SHA1(),  # noqa: S303 — OAEP's default hash
    "http://www.w3.org/2001/04/xmlenc#sha256": hashes.SHA256(),
    "http://www.w3.org/2001/04/xmldsig-more#sha384": hashes.SHA384(),
    "http://www.w3.org/2001/04/xmlenc#sha512": hashes.SHA512(),
    "http://www.w3.org/2009/xmlenc11#mgf1sha1": hashes.SHA1(),  # noqa: S303 — as above
    "http://www.w3.org/2009/xmlenc11#mgf1sha256": hashes.SHA256(),
    "http://www.w3.org/2009/xmlenc11#mgf1sha384": hashes.SHA384(),
    "http://www.w3.org/2009/xmlenc11#mgf1sha512": hashes.SHA512(),
}
_CBC = {f"http://www.w3.org/2001/04/xmlenc#aes{bits}-cbc": bits for bits in (128, 192, 256)}
_GCM = {f"http://www.w3.org/2009/xmlenc11#aes{bits}-gcm": bits for bits in (128, 192, 256)}
_BLOCK, _NONCE = 16, 12

KEY_METHODS = (_OAEP_SHA1,)
DATA_METHODS = (*_GCM, *_CBC)


class DecryptionError(ValueError):
    """The element cannot be decrypted with the key."""

    def __init__(self) -> None:
        super().__init__("the assertion cannot be decrypted")


def decrypted(element: Any, keys: Iterable[rsa.RSAPrivateKey]) -> bytes:
    """The XML inside an `EncryptedAssertion` for one of the keys.

    Its own key may stand inside its data or beside it. DecryptionError where none of ours fits.
    """
    for key in keys:
        try:
            return _decrypted(element, key)
        except (ValueError, KeyError, InvalidTag, UnsupportedAlgorithm, binascii.Error):
            continue
    raise DecryptionError


def _decrypted(element: Any, key: rsa.RSAPrivateKey) -> bytes:
    data = _only(element, "xenc:EncryptedData")
    wrapped = _only(element, ".//xenc:EncryptedKey")
    secret = key.decrypt(_cipher_value(wrapped), _padding_of(wrapped))
    return _opened(_method_of(data), secret, _cipher_value(data))


def _padding_of(wrapped: Any) -> padding.OAEP:
    method = _only(wrapped, "xenc:EncryptionMethod")
    if method.get("Algorithm") not in {_OAEP_SHA1, _OAEP}:
        raise ValueError("not RSA-OAEP")
    digest = _algorithm_in(method, "DigestMethod")
    mask = _algorithm_in(method, "MGF")
    return padding.OAEP(padding.MGF1(_HASHES[mask]), _HASHES[digest], None)


def _algorithm_in(method: Any, name: str) -> str:
    """The algorithm of a method's part; SHA-1 where none is named, as the standard has it."""
    found = method.xpath(f"*[local-name()='{name}']")
    return found[0].get("Algorithm") if found else "http://www.w3.org/2000/09/xmldsig#sha1"


def _opened(method: str, secret: bytes, sealed: bytes) -> bytes:
    bits = _GCM.get(method) or _CBC[method]
    if len(secret) * 8 != bits:
        raise ValueError("a key of another length")
    if method in _GCM:
        return AESGCM(secret).decrypt(sealed[:_NONCE], sealed[_NONCE:], None)
    decryptor = Cipher(algorithms.AES(secret), modes.CBC(sealed[:_BLOCK])).decryptor()
    plain = decryptor.update(sealed[_BLOCK:]) + decryptor.finalize()
    size = plain[-1] if plain else 0
    if not 0 < size <= _BLOCK:
        raise ValueError("padding")
    return plain[:-size]  # ISO 10126: only the last byte of the padding means something


def _method_of(node: Any) -> str:
    return str(_only(node, "xenc:EncryptionMethod").get("Algorithm"))


def _cipher_value(node: Any) -> bytes:
    text = _only(node, "xenc:CipherData/xenc:CipherValue").text or ""
    return base64.b64decode("".join(text.split()), validate=True)


def _only(node: Any, path: str) -> Any:
    found = node.xpath(path, namespaces=_NS)
    if len(found) != 1:
        raise ValueError(path)
    return found[0]
