"""A mapping of bounded size."""

from rest_compat.runtime.bounded_cache import BoundedCache


def test_the_oldest_is_forgotten_first():
    made = BoundedCache[str, int](2)
    assert [made.put(key, value) for value, key in enumerate("abc")] == [0, 1, 2]
    assert made == {"b": 1, "c": 2}
