"""The Prefer header."""

from rest_compat.request.preferences import applied, parse_preferences


def test_blanks_around_a_preference_are_those_of_the_original():
    prefer = parse_preferences(
        ["\xa0count=exact\u3000,\x1ccount=planned,return=minimal\x85"], allow_transaction=False
    )
    assert (prefer.count, prefer.invalid) == ("exact", ("\x1ccount=planned", "return=minimal\x85"))


def test_preferences_keep_their_first_valid_value():
    prefer = parse_preferences(
        ["return=minimal, return=representation", "count=none"], allow_transaction=False
    )
    assert (prefer.representation, prefer.count, prefer.invalid) == (
        "minimal",
        None,
        ("count=none",),
    )
    assert applied(prefer) == "return=minimal"
