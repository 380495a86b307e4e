"""JSON forms of users, identities and factors, fields in the order of the wire (reference 2)."""

from __future__ import annotations

from typing import Any

from gotrue_compat.model.user import Factor, Identity, User


def user_shape(user: User, *, with_identities: bool = True) -> dict[str, Any]:
    """A user as every answer shows it; lists show `identities: null` (2.1)."""
    shape: dict[str, Any] = {"id": user.id, "aud": user.aud, "role": user.role, "email": user.email}
    shape |= _given(email_confirmed_at=user.email_confirmed_at, invited_at=user.invited_at)
    shape["phone"] = user.phone
    shape |= _given(
        phone_confirmed_at=user.phone_confirmed_at,
        confirmation_sent_at=user.confirmation_sent_at,
        confirmed_at=user.confirmed_at,
        recovery_sent_at=user.recovery_sent_at,
        new_email=user.email_change or None,
        email_change_sent_at=user.email_change_sent_at,
        new_phone=user.phone_change or None,
        phone_change_sent_at=user.phone_change_sent_at,
        reauthentication_sent_at=user.reauthentication_sent_at,
        last_sign_in_at=user.last_sign_in_at,
    )
    shape["app_metadata"] = user.raw_app_meta_data
    shape["user_metadata"] = user.raw_user_meta_data
    if user.factors:
        shape["factors"] = [factor_shape(factor) for factor in user.factors]
    shape["identities"] = (
        [identity_shape(identity) for identity in user.identities] if with_identities else None
    )
    shape |= {"created_at": user.created_at, "updated_at": user.updated_at}
    shape |= _given(banned_until=user.banned_until, deleted_at=user.deleted_at)
    shape["is_anonymous"] = user.is_anonymous
    return shape


def identity_shape(identity: Identity) -> dict[str, Any]:
    """An identity: `identity_id` is the row's id, `id` the provider's (2.2)."""
    shape: dict[str, Any] = {
        "identity_id": identity.id, "id": identity.provider_id, "user_id": identity.user_id,
    }  # fmt: skip
    shape |= _given(identity_data=identity.identity_data or None)
    shape["provider"] = identity.provider
    shape |= _given(last_sign_in_at=identity.last_sign_in_at)
    shape |= {"created_at": identity.created_at, "updated_at": identity.updated_at}
    return shape | _given(email=identity.email or None)


def factor_shape(factor: Factor) -> dict[str, Any]:
    """A factor without its secret (2.3)."""
    shape: dict[str, Any] = {
        "id": factor.id, "created_at": factor.created_at, "updated_at": factor.updated_at,
        "status": factor.status,
    }  # fmt: skip
    shape |= _given(friendly_name=factor.friendly_name or None)
    shape |= {
        "factor_type": factor.factor_type,
        "phone": factor.phone or "",
        "last_challenged_at": factor.last_challenged_at,
    }
    return shape | _given(
        web_authn_aaguid=factor.web_authn_aaguid,
        last_webauthn_challenge_data=factor.last_webauthn_challenge_data,
    )


def _given(**members: Any) -> dict[str, Any]:
    return {name: value for name, value in members.items() if value is not None}
