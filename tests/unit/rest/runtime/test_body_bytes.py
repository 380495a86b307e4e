"""How many bytes of large bodies all callers hold, and each."""

from __future__ import annotations

from rest_compat.runtime.body_bytes import BodyBytes


def test_one_caller_leaves_a_third_of_the_room_to_others():
    held = BodyBytes(900)
    with held.counted("a") as take, held.counted("a") as again, held.counted("b") as other:
        assert take(400)
        assert again(200)
        assert other(150)


def test_a_caller_beyond_its_share_is_refused_whatever_its_bodies_number():
    held = BodyBytes(900)
    with held.counted("a") as take, held.counted("a") as again:
        assert take(500)
        assert not again(101)


def test_where_all_is_taken_everybody_is_refused():
    held = BodyBytes(900)
    with held.counted("") as nameless, held.counted("b") as other:
        assert nameless(900)
        assert not other(1)


def test_what_a_body_took_is_free_when_it_ends():
    held = BodyBytes(900)
    for _ in range(3):
        with held.counted("a") as take:
            assert take(600)
