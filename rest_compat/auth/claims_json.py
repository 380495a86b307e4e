"""A token's claims, read and written as the original's JSON library does (rest reference 12.1)."""

from __future__ import annotations

import json
import re
from decimal import Decimal
from typing import Any, NoReturn, cast

from compat_base.values import jwt

_DIGITS_WRITTEN_OUT = 1024  # zeros behind a whole number; more of them become an exponent
_LAST_PLACE = 7  # digits before the point up to which a fraction has no exponent
_ESCAPED = re.compile(r'[\x00-\x1f"\\]')
_SHORT = {'"': '\\"', "\\": "\\\\", "\n": "\\n", "\r": "\\r", "\t": "\\t"}


def decode_claims(payload: bytes) -> dict[str, Any]:
    """The claims, numbers with their digits; of a repeated name the first counts.

    TokenError CLAIMS where it is no JSON object, or has half a surrogate pair or a number whose
    exponent has more than 18 digits.
    """
    try:
        claims = _DECODER.decode(payload.decode())
        json.dumps(claims, ensure_ascii=False, default=str).encode()
    except (ValueError, ArithmeticError, RecursionError) as error:
        raise jwt.TokenError(jwt.TokenFault.CLAIMS) from error
    if not isinstance(claims, dict):
        raise jwt.TokenError(jwt.TokenFault.CLAIMS)
    return cast("dict[str, Any]", claims)


def encode_claim(value: Any) -> str:
    """A claim as JSON: names in order, numbers as Haskell's `scientific` writes them."""
    match value:
        case dict():
            members = cast("dict[str, Any]", value)
            pairs = (f"{_text(name)}:{encode_claim(members[name])}" for name in sorted(members))
            return f"{{{','.join(pairs)}}}"
        case list():
            return f"[{','.join(map(encode_claim, cast('list[Any]', value)))}]"
        case str():
            return _text(value)
        case Decimal():
            return _number(value)
        case _:
            return json.dumps(value)


def _text(value: str) -> str:
    return f'"{_ESCAPED.sub(_escape, value)}"'


def _escape(found: re.Match[str]) -> str:
    mark = found.group()
    return _SHORT.get(mark) or f"\\u{ord(mark):04x}"


def _number(value: Decimal) -> str:
    """Whole numbers without an exponent, as those fractions whose point is not far."""
    sign, places, exponent = value.as_tuple()
    digits, power = "".join(map(str, places)).lstrip("0"), cast("int", exponent)
    text = digits.rstrip("0")
    minus = "-" if sign and text else ""
    if 0 <= power <= _DIGITS_WRITTEN_OUT:
        return f"{minus}{digits}{'0' * power}" if text else "0"
    if not text:
        return "0.0"
    place = len(digits) + power
    if 0 <= place <= _LAST_PLACE:
        return f"{minus}{text[:place].ljust(place, '0') or '0'}.{text[place:] or '0'}"
    return f"{minus}{text[0]}.{text[1:] or '0'}e{place - 1}"


def _first_of_each(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    return dict(reversed(pairs))


def _refuse(word: str) -> NoReturn:
    raise ValueError(word)


_DECODER = json.JSONDecoder(
    parse_float=Decimal, parse_constant=_refuse, object_pairs_hook=_first_of_each
)
