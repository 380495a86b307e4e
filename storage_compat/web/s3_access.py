"""The access key of an S3 request, and whom it acts for (storage reference 11)."""

from __future__ import annotations

from compat_base.values.errors import ApiError
from storage_compat import errors
from storage_compat.model.caller import Caller
from storage_compat.rules import access_tokens
from storage_compat.rules.sigv4 import Signature
from storage_compat.web.calls import Call


def check_region(call: Call, signature: Signature) -> None:
    """Refuse a signature for another region, where that is enforced."""
    settings = call.deps.settings.s3
    if settings.enforces_region and signature.scope[1] != settings.region:
        raise ApiError.of(errors.S3_REGION)


def caller_of(call: Call, signature: Signature) -> tuple[Caller, str]:
    """The caller of an access key, and its secret."""
    settings = call.deps.settings
    if signature.session_token is not None:
        if signature.access_key != settings.tenant or not settings.anon_key:
            raise ApiError.of(errors.S3_ACCESS_KEY)
        keys, role = settings.tokens.known, settings.database.anon_role
        caller = access_tokens.caller_of(signature.session_token, keys, call.context.now, role)
        return caller, settings.anon_key.reveal()
    configured = (
        settings.s3.access_key and settings.s3.secret_key
    )  # without a secret anybody could sign
    if not configured or signature.access_key != settings.s3.access_key:
        raise ApiError.of(errors.S3_ACCESS_KEY)
    role = settings.database.service_role
    return Caller(role, {"role": role}), settings.s3.secret_key.reveal()
