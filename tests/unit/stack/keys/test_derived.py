"""Values that follow from a secret: the same each time, and all as likely."""

from __future__ import annotations

from compat_stack.keys.derived import DerivedEntropy, new_private_key


def test_the_same_secret_gives_the_same_values_in_their_order():
    one, other = DerivedEntropy("a"), DerivedEntropy("a")
    assert [one.bytes(100), one.uuid(), one.text(31, "abc")] == [
        other.bytes(100), other.uuid(), other.text(31, "abc"),
    ]  # fmt: skip
    assert one.bytes(16) not in {other.bytes(15), DerivedEntropy("b").bytes(16)}


def test_every_symbol_comes_about_as_often_as_any_other():
    text = DerivedEntropy("a").text(9000, "abc")
    assert all(2700 < text.count(symbol) < 3300 for symbol in "abc")


def test_private_keys_follow_too():
    one, other, strange = (
        new_private_key(DerivedEntropy(secret)).private_numbers().private_value for secret in "aab"
    )
    assert one == other != strange
