"""JSON forms of users, identities and factors, fields in the order of the wire (auth reference 2).

Ids and times are texts already: every answer shows a user, and the JSON writer would ask back for
each of them.
"""

from __future__ import annotations

from typing import Any

from compat_base.values.jsontext import time_text
from gotrue_compat.model.user import Factor, Identity, User


def user_shape(user: User, *, with_identities: bool = True) -> dict[str, Any]:
    """A user as every answer shows it; lists show `identities: null` (2.1)."""
    shape: dict[str, Any] = {
        "id": str(user.id), "aud": user.aud, "role": user.role, "email": user.email,
    }  # fmt: skip
    _add_times(shape, user, "email_confirmed_at", "invited_at")
    shape["phone"] = user.phone
    _add_times(
        shape, user,
        "phone_confirmed_at", "confirmation_sent_at", "confirmed_at", "recovery_sent_at",
    )  # fmt: skip
    if user.email_change:
        shape["new_email"] = user.email_change
    _add_times(shape, user, "email_change_sent_at")
    if user.phone_change:
        shape["new_phone"] = user.phone_change
    _add_times(shape, user, "phone_change_sent_at", "reauthentication_sent_at", "last_sign_in_at")
    shape["app_metadata"] = user.raw_app_meta_data
    shape["user_metadata"] = user.raw_user_meta_data
    if user.factors:
        shape["factors"] = [factor_shape(factor) for factor in user.factors]
    shape["identities"] = (
        [identity_shape(identity) for identity in user.identities] if with_identities else None
    )
    shape["created_at"] = shape["updated_at"] = None
    _add_times(shape, user, "created_at", "updated_at", "banned_until", "deleted_at")
    shape["is_anonymous"] = user.is_anonymous
    return shape


def identity_shape(identity: Identity) -> dict[str, Any]:
    """An identity: `identity_id` is the row's id, `id` the provider's (auth reference 2.2)."""
    shape: dict[str, Any] = {
        "identity_id": str(identity.id), "id": identity.provider_id,
        "user_id": str(identity.user_id),
    }  # fmt: skip
    if identity.identity_data:
        shape["identity_data"] = identity.identity_data
    shape["provider"] = identity.provider
    _add_times(shape, identity, "last_sign_in_at")
    shape["created_at"] = shape["updated_at"] = None
    _add_times(shape, identity, "created_at", "updated_at")
    if identity.email:
        shape["email"] = identity.email
    return shape


def factor_shape(factor: Factor) -> dict[str, Any]:
    """A factor without its secret (auth reference 2.3)."""
    shape: dict[str, Any] = {"id": str(factor.id)}
    _add_times(shape, factor, "created_at", "updated_at")
    shape["status"] = factor.status
    if factor.friendly_name:
        shape["friendly_name"] = factor.friendly_name
    shape |= {"factor_type": factor.factor_type, "phone": factor.phone or ""}
    shape["last_challenged_at"] = None
    _add_times(shape, factor, "last_challenged_at")
    if factor.web_authn_aaguid is not None:
        shape["web_authn_aaguid"] = str(factor.web_authn_aaguid)
    if factor.last_webauthn_challenge_data is not None:
        shape["last_webauthn_challenge_data"] = factor.last_webauthn_challenge_data
    return shape


def _add_times(shape: dict[str, Any], record: User | Identity | Factor, *names: str) -> None:
    """Add those of a record's times that there are."""
    for name in names:
        moment = getattr(record, name)
        if moment is not None:
            shape[name] = time_text(moment)
