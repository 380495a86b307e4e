"""The key pair of S3 clients."""

from __future__ import annotations

from compat_stack.keys.s3 import s3_key_pair


def test_a_pair_is_of_one_secret_and_shows_nothing_of_it():
    pair = s3_key_pair("a secret")
    assert pair == s3_key_pair("a secret")
    assert set(pair).isdisjoint(s3_key_pair("another"))
    assert [len(each) for each in pair] == [32, 64]
    assert not pair[1].startswith(pair[0])
