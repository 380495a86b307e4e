"""The waits between attempts."""

from rest_compat.runtime.backoff import Backoff


def test_a_delay_doubles_up_to_its_limit_and_starts_again():
    delay = Backoff()
    seen: list[float] = []
    for _ in range(7):
        seen.append(delay.seconds)
        delay.grow()
    assert seen == [1, 2, 4, 8, 16, 32, 32]
    assert not delay.is_first
    delay.reset()
    assert (delay.is_first, delay.seconds) == (True, 1)
