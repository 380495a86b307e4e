"""The nearest name, for hints."""

import time

import pytest

from rest_compat.plan.similarity import HINT_SCORE, LOOSE_SCORE, nearest


def test_the_nearest_name_is_found_and_nothing_far_off():
    assert nearest(["films", "actors"], "film", 0.75) == "films"
    assert nearest(["films", "actors"], "zebra", 0.33) is None


@pytest.mark.parametrize("least", [HINT_SCORE, LOOSE_SCORE])
def test_a_name_that_is_like_none_by_its_length_is_compared_with_none(least: float):
    names = [f"a_table_of_some_length_{number}" for number in range(100)]
    before = time.process_time()
    for wanted in ("".join(names) * 20, "".join(names) * 4_000):  # 50 KB of a path, 10 MB of a body
        assert nearest(names, wanted, least) is None
    assert time.process_time() - before < 5  # seconds; minutes where it is compared


def test_an_underscore_makes_no_two_names_alike():
    assert nearest(["v_cte"], "f_csvm", LOOSE_SCORE) is None
    assert nearest(["v_cte"], "vcte", LOOSE_SCORE) == "v_cte"
    assert nearest(["()"], "(\n)", LOOSE_SCORE) is None


def test_a_longer_name_is_found_as_far_as_the_score_lets_it():
    assert nearest(["films"], "filmsxx", 0.7) == "films"
    assert nearest(["films"], "filmsxxx", 0.7) is None


@pytest.mark.parametrize("names", [["film1", "film2"], ["film2", "film1"]])
def test_of_names_that_are_equally_like_the_wanted_one_the_last_in_order_is_the_hint(names):
    assert nearest(names, "film", LOOSE_SCORE) == "film2"
