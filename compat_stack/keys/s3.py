"""The key pair by which S3 clients reach the installation's files."""

from __future__ import annotations

import hashlib
import hmac

_ID = 32  # characters, as Supabase's own access keys have


def s3_key_pair(jwt_secret: str) -> tuple[str, str]:
    """Access key and secret key, derived from the installation's secret: kept nowhere else."""
    return _derived(jwt_secret, "S3 access key")[:_ID], _derived(jwt_secret, "S3 secret key")


def _derived(jwt_secret: str, what: str) -> str:
    return hmac.new(jwt_secret.encode(), what.encode(), hashlib.sha256).hexdigest()
