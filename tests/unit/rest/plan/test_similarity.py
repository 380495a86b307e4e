"""The nearest name, for hints."""

from rest_compat.plan.similarity import nearest


def test_the_nearest_name_is_found_and_nothing_far_off():
    assert nearest(["films", "actors"], "film", 0.75) == "films"
    assert nearest(["films", "actors"], "zebra", 0.33) is None
