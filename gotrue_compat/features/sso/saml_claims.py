"""Claims of a verified assertion, and their names in an identity."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, cast

from compat_base.values.errors import ApiError
from compat_base.values.jsontext import time_text
from gotrue_compat.features.sso import errors as sso_errors
from gotrue_compat.features.sso.saml_xml import EMAIL_ADDRESS

_SUBJECT_ID = "urn:oasis:names:tc:SAML:attribute:subject-id"
_EMAILS = (
    "urn:oid:0.9.2342.19200300.100.1.3",
    "http://schemas.xmlsoap.org/ws/2005/05/identity/claims/emailaddress",
    "http://schemas.xmlsoap.org/claims/EmailAddress", "mail", "email",
)  # fmt: skip
# Claims with a place of their own in an identity; the rest is the provider's own
_TEXTS = (
    "iss", "sub", "name", "family_name", "given_name", "middle_name", "nickname",
    "preferred_username", "profile", "picture", "website", "gender", "birthdate", "zoneinfo",
    "locale", "phone", "full_name", "avatar_url", "slug", "provider_id", "user_name",
)  # fmt: skip
_FLAGS = ("email_verified", "phone_verified")
_RFC_3339 = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)", re.ASCII)


@dataclass(frozen=True, slots=True)
class Assertion:
    """A verified assertion; the attributes' names are in lower case.

    It may be presented once, until it `expires`; its session ends at `not_after`.
    """

    id: str
    issuer: str
    name_id: str
    name_id_format: str
    attributes: Mapping[str, tuple[str, ...]]
    expires: datetime
    not_after: datetime | None

    def values_of(self, name: str) -> tuple[str, ...]:
        """The values of an attribute, whose name counts in any case."""
        return self.attributes.get(name.lower(), ())


def subject_of(assertion: Assertion) -> str:
    """The persistent id of the user, "" without one."""
    subject_ids = assertion.values_of(_SUBJECT_ID)
    if subject_ids:
        return subject_ids[0]
    if assertion.name_id_format == EMAIL_ADDRESS:
        return assertion.name_id.lower()
    return "" if assertion.name_id_format.endswith(":transient") else assertion.name_id


def email_of(assertion: Assertion, mapping: Mapping[str, Any]) -> str:
    """The user's address: by the administrator's mapping, else by a usual name."""
    mapped = mapped_claims(assertion, mapping).get("email")
    if isinstance(mapped, str) and mapped:
        return mapped
    values = (value for name in _EMAILS for value in assertion.values_of(name) if value)
    is_email = assertion.name_id_format == EMAIL_ADDRESS
    return next(values, assertion.name_id if is_email else "")


def mapped_claims(assertion: Assertion, mapping: Mapping[str, Any]) -> dict[str, Any]:
    """Attributes under the names that the administrator's mapping gives them; none is empty."""
    claims: dict[str, Any] = {}
    keys: Mapping[str, Any] = mapping.get("keys") or {}
    for name, rule in keys.items():
        names = [str(known) for known in (rule.get("name"), *(rule.get("names") or ())) if known]
        found = ([value for value in assertion.values_of(known) if value] for known in names)
        values = next((known for known in found if known), list[str]())
        if values:
            claims[name] = values if rule.get("array") else values[0]
        elif rule.get("default") is not None:
            claims[name] = rule["default"]
    return claims


def identity_data(assertion: Assertion, subject: str, mapping: Mapping[str, Any]) -> dict[str, Any]:
    """What an identity keeps: usual claims by their names, all others under `custom_claims`.

    ApiError where a usual claim is mapped to a value of another type. Its address and whether that
    is verified are not the mapping's to say.
    """
    claims = mapped_claims(assertion, mapping)
    claims.pop("email", None)
    try:
        read = {name: kind(claims[name]) for name, kind in _KINDS.items() if name in claims}
    except ValueError as error:
        raise ApiError.of(sso_errors.SAML_CLAIMS) from error
    usual = {name: value for name, value in read.items() if value}
    others = {name: claims[name] for name in claims.keys() - usual.keys() - set(_FLAGS)}
    usual.pop("email_verified", None)
    return usual | {"iss": assertion.issuer, "sub": subject, "custom_claims": others}


def _of(*types: type) -> Callable[[Any], Any]:
    def read(value: Any) -> Any:
        if not isinstance(value, types) or (isinstance(value, bool) and bool not in types):
            raise ValueError(value)
        return value

    return read


def _audience(value: Any) -> list[str]:
    found = cast("list[Any]", value) if isinstance(value, list) else [value]
    return [_of(str)(one) for one in found]


def _moment(value: Any) -> str:
    """A time in seconds or RFC 3339, as RFC 3339."""
    if not isinstance(value, str):
        try:
            return time_text(datetime.fromtimestamp(int(_of(int, float)(value)), UTC))
        except (OverflowError, OSError) as error:
            raise ValueError(value) from error
    if value and not _RFC_3339.fullmatch(value):
        raise ValueError(value)
    return time_text(datetime.fromisoformat(value)) if value else ""


_KINDS: Mapping[str, Callable[[Any], Any]] = {
    **dict.fromkeys(_TEXTS, _of(str)),
    **dict.fromkeys(_FLAGS, _of(bool)),
    **dict.fromkeys(("iat", "exp"), _of(int, float)),
    "aud": _audience, "updated_at": _moment, "custom_claims": _of(dict),
}  # fmt: skip
