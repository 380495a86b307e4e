"""Which prepared statements a session keeps."""

from __future__ import annotations

from compat_base.postgres.prepared_names import Name, PreparedNames


def test_a_statement_is_prepared_once():
    names = PreparedNames(2)
    assert names.use("a") == Name(b"s1", is_new=True)
    names.confirm("a")
    assert names.use("a") == Name(b"s1")


def test_what_was_used_longest_ago_is_closed_for_a_new_one():
    names = PreparedNames(2)
    for text in "aba":
        names.use(text)
    assert names.use("c") == Name(b"s3", closes=b"s2", is_new=True)
    assert names.use("b") == Name(b"s4", closes=b"s1", is_new=True)


def test_what_the_server_did_not_prepare_is_prepared_anew_under_another_name():
    names = PreparedNames(2)
    names.use("a")
    names.use("b")
    names.confirm("a")
    names.forget_unconfirmed()
    assert names.use("a") == Name(b"s1")
    assert names.use("b") == Name(b"s3", is_new=True)


def test_a_cache_of_none_prepares_nothing():
    assert not PreparedNames(0)
    assert PreparedNames(1)
