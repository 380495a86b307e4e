"""Which prepared statements a session keeps."""

from __future__ import annotations

from compat_base.postgres.prepared_names import PreparedNames


def use(names: PreparedNames, text: str) -> bytes | tuple[bytes, bytes | None]:
    """The name of a statement, beside which one to close first where it is new."""
    return names.known(text) or names.add(text)


def test_a_statement_is_prepared_once():
    names = PreparedNames(2)
    assert use(names, "a") == (b"s1", None)
    names.confirm("a")
    assert use(names, "a") == b"s1"


def test_what_was_used_longest_ago_is_closed_for_a_new_one():
    names = PreparedNames(2)
    for text in "aba":
        use(names, text)
    assert use(names, "c") == (b"s3", b"s2")
    assert use(names, "b") == (b"s4", b"s1")


def test_what_the_server_did_not_prepare_is_prepared_anew_under_another_name():
    names = PreparedNames(2)
    use(names, "a")
    use(names, "b")
    names.confirm("a")
    names.forget_unconfirmed()
    assert use(names, "a") == b"s1"
    assert use(names, "b") == (b"s3", None)
