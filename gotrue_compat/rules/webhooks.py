"""Standard Webhooks signatures (auth reference 12)."""

from __future__ import annotations

import base64
import hashlib
import hmac
from collections.abc import Iterable


def signature_header(secrets: Iterable[bytes], message_id: str, timestamp: int, body: str) -> str:
    """`v1,<base64>` per secret, joined by blanks, over `id.timestamp.body`."""
    signed = f"{message_id}.{timestamp}.{body}".encode()
    digests = (hmac.digest(secret, signed, hashlib.sha256) for secret in secrets)
    return " ".join(f"v1,{base64.b64encode(digest).decode()}" for digest in digests)
