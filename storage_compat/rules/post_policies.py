"""POST policies of S3: the conditions of a signed form (storage reference 11)."""

from __future__ import annotations

import base64
import binascii
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, cast

from compat_base.values import jsontext
from compat_base.values.errors import ApiError
from storage_compat import errors

# Of the signature itself; every other field must be named by a condition
_FREE = frozenset(
    {
        "policy", "x-amz-signature", "x-amz-algorithm", "x-amz-credential", "x-amz-date",
        "x-amz-security-token",
    }
)  # fmt: skip
_IGNORED = "x-ignore-"
_ONE, _THREE = 1, 3


@dataclass(frozen=True, slots=True)
class SizeRange:
    """The allowed size of the file; `most` None sets no limit of its own."""

    least: int = 0
    most: int | None = None


def check_policy(encoded: str, fields: Mapping[str, str], bucket: str, now: datetime) -> SizeRange:
    """Check a policy against the fields of its form, by their names in lower case.

    Gives the range of `content-length-range`. ApiError where the policy is malformed or expired, a
    condition does not hold or a field has none.
    """
    policy = _read(encoded)
    _check_expiration(policy.get("expiration"), now)
    conditions: Any = policy.get("conditions")
    if not isinstance(conditions, list):
        raise _invalid("Invalid policy conditions")
    given = {**fields, "bucket": bucket}
    covered: set[str] = set()
    size = SizeRange()
    for condition in cast("list[object]", conditions):
        parts = cast("list[Any]", condition) if isinstance(condition, list) else []
        if parts[:1] == ["content-length-range"]:
            size = _narrower(size, parts)
        else:
            covered.add(_checked(cast("object", condition), given))
    for name in given:
        if name not in _FREE and name not in covered and not name.startswith(_IGNORED):
            raise _failed(f'field "{name}" is not covered by the policy')
    return size


def _read(encoded: str) -> dict[str, Any]:
    try:
        return jsontext.decode_object(base64.b64decode(encoded, validate=True))
    except (binascii.Error, ValueError) as error:
        raise _invalid("Invalid POST policy") from error


def _check_expiration(value: object, now: datetime) -> None:
    if not value:
        raise _invalid("Missing policy expiration")
    try:
        until = datetime.fromisoformat(str(value))
    except ValueError as error:
        raise _invalid("Invalid policy expiration") from error
    if (until if until.tzinfo else until.replace(tzinfo=UTC)) < now:
        raise ApiError.of(errors.S3_EXPIRED)


def _checked(condition: object, given: Mapping[str, str]) -> str:
    """The field that a condition names, once it holds."""
    operator, wanted = "eq", None
    if isinstance(condition, dict) and len(cast("dict[str, Any]", condition)) == _ONE:
        [(name, wanted)] = cast("dict[str, Any]", condition).items()
    elif isinstance(condition, list) and len(cast("list[Any]", condition)) == _THREE:
        operator, name, wanted = (str(part) for part in cast("list[Any]", condition))
        if operator not in {"eq", "starts-with"} or not name.startswith("$"):
            raise _invalid("Unsupported policy condition")
        name = name[1:]
    else:
        raise _invalid("Unsupported policy condition")
    name = name.lower()
    value, text = given.get(name), str(wanted)
    if operator == "eq" and value != text:
        raise _failed(f'"{name}" does not match')
    if operator == "starts-with" and (value is None or not value.startswith(text)):
        raise _failed(f'"{name}" does not start with "{text}"')
    return name


def _narrower(size: SizeRange, condition: list[Any]) -> SizeRange:
    """A range that holds where both do."""
    if len(condition) != _THREE:
        raise _invalid("Invalid policy condition")
    try:
        least, most = int(condition[1]), int(condition[2])
    except (TypeError, ValueError, OverflowError) as error:
        raise _invalid("Invalid policy condition") from error
    return SizeRange(max(size.least, least), most if size.most is None else min(size.most, most))


def _invalid(reason: str) -> ApiError:
    return ApiError.of(errors.S3_POLICY, reason=reason)


def _failed(reason: str) -> ApiError:
    return ApiError.of(errors.S3_POLICY_FAILED, reason=reason)
