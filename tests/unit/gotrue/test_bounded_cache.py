"""A cache that callers' words are keys of never outgrows its number."""

from __future__ import annotations

from gotrue_compat.bounded_cache import BoundedCache


def by_length(key: str, _value: object) -> int:
    return len(key)


def test_the_entry_used_longest_ago_makes_room():
    cache: BoundedCache[str, int] = BoundedCache(2)
    cache.put("a", 1)
    cache.put("b", 2)
    assert cache.get("a") == 1
    cache.put("c", 3)
    assert [cache.get(key) for key in "abc"] == [1, None, 3]
    assert len(cache) == 2


def test_entries_together_weigh_no_more_than_the_number():
    cache: BoundedCache[str, int] = BoundedCache(10, by_length)
    for number in range(100):
        cache.put(f"{number:05}", number)
    assert len(cache) == 2
    assert cache.get("00099") == 99


def test_a_value_that_is_put_again_weighs_once():
    cache: BoundedCache[str, int] = BoundedCache(10, by_length)
    for number in range(5):
        cache.put("aaaaa", number)
    cache.put("bbbbb", 0)
    assert [cache.get("aaaaa"), cache.get("bbbbb")] == [4, 0]


def test_what_is_heavier_than_the_cache_is_not_kept():
    cache: BoundedCache[str, int] = BoundedCache(10, by_length)
    cache.put("a", 1)
    cache.put("b" * 11, 2)
    assert cache.get("b" * 11) is None
    cache.put("c", 3)
    assert cache.get("c") == 3
