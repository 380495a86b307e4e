"""JSON forms of users, identities and factors, members in the order of the wire (auth reference 2).

Ids and times are texts already: every answer shows a user, and the JSON writer would ask back for
each of them. A user's row can be shown as it is, where an answer needs no record of it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from operator import attrgetter, itemgetter
from typing import Any, TypeAlias, cast

from compat_base.values.jsontext import time_text
from gotrue_compat.model.rows import object_column
from gotrue_compat.model.user import Factor, User

_Values: TypeAlias = Callable[[Any], tuple[Any, ...]]


def user_shape(user: User, *, with_identities: bool = True) -> dict[str, Any]:
    """A user as every answer shows it; lists show `identities: null` (auth reference 2.1)."""
    shape = _USER.of_record(user)
    if user.factors:
        shape["factors"] = [_FACTOR.of_record(factor) for factor in user.factors]
    shape["identities"] = (
        [_IDENTITY.of_record(identity) for identity in user.identities] if with_identities else None
    )
    return shape | _USER_END.of_record(user)


def user_row_shape(row: Any) -> dict[str, Any]:
    """A user's JSON made from a row of auth.users with its `identity_rows` and `factor_rows`."""
    shape = _USER.of_row(row)
    if row["factor_rows"]:
        shape["factors"] = [_FACTOR.of_row(factor) for factor in row["factor_rows"]]
    shape["identities"] = [_IDENTITY.of_row(identity) for identity in row["identity_rows"]]
    return shape | _USER_END.of_row(row)


def factor_shape(factor: Factor) -> dict[str, Any]:
    """A factor without its secret (auth reference 2.3)."""
    return _FACTOR.of_record(factor)


@dataclass(frozen=True, slots=True)
class _Member:
    """A member, its column where that has another name, how its value is written.

    `is_kept` without a value too.
    """

    name: str
    write: Callable[[Any], Any]
    is_kept: bool = True
    column: str = ""


class _Shape:
    """Members in their order, taken out of a record's fields or a row's columns of one name."""

    def __init__(self, *members: _Member) -> None:
        columns = [member.column or member.name for member in members]
        self._of_record = cast("_Values", attrgetter(*columns))
        self._of_row = cast("_Values", itemgetter(*columns))
        self._members = tuple((one.name, one.write, one.is_kept) for one in members)

    def of_record(self, record: Any) -> dict[str, Any]:
        return self._shown(self._of_record(record))

    def of_row(self, row: Any) -> dict[str, Any]:
        return self._shown(self._of_row(row))

    def _shown(self, values: tuple[Any, ...]) -> dict[str, Any]:
        return {
            name: write(value)
            for (name, write, is_kept), value in zip(self._members, values, strict=True)
            if is_kept or value
        }


def _text(value: Any) -> str:
    return value or ""


def _same(value: Any) -> Any:
    return value


def _time_or_null(value: Any) -> str | None:
    return None if value is None else time_text(value)


def _times(*names: str) -> tuple[_Member, ...]:
    """Times that are left out where there are none."""
    return tuple(_Member(name, time_text, is_kept=False) for name in names)


def _some(name: str, column: str = "") -> _Member:
    """What is left out where it is empty."""
    return _Member(name, _same, is_kept=False, column=column)


_MADE_AND_CHANGED = (_Member("created_at", _time_or_null), _Member("updated_at", _time_or_null))
_USER = _Shape(
    _Member("id", str), _Member("aud", _text), _Member("role", _text), _Member("email", _text),
    *_times("email_confirmed_at", "invited_at"),
    _Member("phone", _text),
    *_times("phone_confirmed_at", "confirmation_sent_at", "confirmed_at", "recovery_sent_at"),
    _some("new_email", "email_change"),
    *_times("email_change_sent_at"),
    _some("new_phone", "phone_change"),
    *_times("phone_change_sent_at", "reauthentication_sent_at", "last_sign_in_at"),
    _Member("app_metadata", object_column, column="raw_app_meta_data"),
    _Member("user_metadata", object_column, column="raw_user_meta_data"),
)  # fmt: skip
_USER_END = _Shape(
    *_MADE_AND_CHANGED, *_times("banned_until", "deleted_at"), _Member("is_anonymous", _same)
)
_IDENTITY = _Shape(
    _Member("identity_id", str, column="id"), _Member("id", _same, column="provider_id"),
    _Member("user_id", str),
    _Member("identity_data", object_column, is_kept=False),
    _Member("provider", _same),
    *_times("last_sign_in_at"),
    *_MADE_AND_CHANGED,
    _some("email"),
)  # fmt: skip
_FACTOR = _Shape(
    _Member("id", str), *_times("created_at", "updated_at"), _Member("status", _same),
    _some("friendly_name"),
    _Member("factor_type", _same), _Member("phone", _text),
    _Member("last_challenged_at", _time_or_null),
    _Member("web_authn_aaguid", str, is_kept=False), _some("last_webauthn_challenge_data"),
)  # fmt: skip
