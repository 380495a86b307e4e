"""A token's claims as SQL sees them."""

import pytest

from compat_base.values import jwt
from rest_compat.auth.claims_json import decode_claims, encode_claim


def rewritten(payload):
    return encode_claim(decode_claims(payload.encode()))


def test_names_are_in_order_at_every_level():
    assert rewritten('{"role":"a","exp":1,"x":{"b":[{"d":1,"c":null}],"Z":true}}') == (
        '{"exp":1,"role":"a","x":{"Z":true,"b":[{"c":null,"d":1}]}}'
    )


def test_of_a_repeated_name_the_first_counts():
    assert rewritten('{"role":"first","role":"second"}') == '{"role":"first"}'


@pytest.mark.parametrize(
    ("number", "written"),
    [
        ("1.0", "1.0"), ("-0.0", "0.0"), ("-0", "0"), ("0e5", "0"), ("0.1e1", "1"), ("1E5", "100000"),
        ("100000.0", "100000.0"), ("12345678.5", "1.23456785e7"), ("1e-3", "1.0e-3"), ("0.5", "0.5"),
        ("-2.50", "-2.5"), ("4102444800.0", "4.1024448e9"), ("4.1024448e9", "4102444800"),
        ("1e1024", f"1{'0' * 1024}"), ("1e1025", "1.0e1025"), ("12345678901234567890", "12345678901234567890"),
    ],
)  # fmt: skip
def test_numbers_are_written_as_the_original_writes_them(number, written):
    assert rewritten(f'{{"n":{number}}}') == f'{{"n":{written}}}'


def test_text_is_escaped_where_json_asks_for_it_alone():
    assert rewritten(r'{"a":"\u001f\b\n\"\\\/ü😀<>"}') == r'{"a":"\u001f\u0008\n\"\\/ü😀<>"}'


@pytest.mark.parametrize("payload", [b"[]", b"", b"{", b'{"a":NaN}', b'{"a":"\\ud800"}', b'{"a":"\xff"}', b"[" * 9_000])  # fmt: skip
def test_what_is_no_object_of_unicode_is_refused(payload):
    with pytest.raises(jwt.TokenError) as raised:
        decode_claims(payload)
    assert raised.value.fault is jwt.TokenFault.CLAIMS
