"""The Prefer header."""

from rest_compat.request.preferences import applied, parse_preferences


def test_preferences_keep_their_first_valid_value():
    said = parse_preferences(
        ["return=minimal, return=representation", "count=none"], allow_transaction=False
    )
    assert (said.representation, said.count, said.invalid) == ("minimal", None, ("count=none",))
    assert applied(said) == "return=minimal"
