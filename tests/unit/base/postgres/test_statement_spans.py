"""The statements of a script are found whatever hides a semicolon."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from compat_base.postgres.statements import statement_spans

PIECES = st.sampled_from(
    ["'", '"', "$$", "$a$", "--", "\n", "/*", "*/", ";", "e'", "\\", "x", " ", "''", "$1"]
)


def found(script: str) -> list[str]:
    return [script[span.start : span.end] for span in statement_spans(script)]


@pytest.mark.parametrize(
    ("script", "expected"),
    [
        ("select 1; select 2", ["select 1", "select 2"]),
        ("select ';'; select 2;", ["select ';'", "select 2"]),
        ("select 'it''s;'; x", ["select 'it''s;'", "x"]),
        (r"select E'\';'; x", [r"select E'\';'", "x"]),
        (r"select '\'; x", [r"select '\'", "x"]),
        ('select ";"; x', ['select ";"', "x"]),
        ("do $$ a; b; $$; x", ["do $$ a; b; $$", "x"]),
        ("do $a$ $$;$$ $b$ ; $a$; x", ["do $a$ $$;$$ $b$ ; $a$", "x"]),
        ("select $1; x", ["select $1", "x"]),
        ("-- a; b\nselect 1; /* c; /* d; */ ; */ x", ["select 1", "x"]),
        ("select 1 -- a; b\n; x", ["select 1 -- a; b\n", "x"]),
        ("/* only a comment */;;  ;\n-- and one more", []),
        ("", []),
        ("select 'no end; x", ["select 'no end; x"]),
        ("do $$ no end; x", ["do $$ no end; x"]),
        ("select 1 /* no end; x", ["select 1 /* no end; x"]),
    ],
)
def test_statements_end_at_their_semicolons(script: str, expected: list[str]) -> None:
    assert found(script) == expected


@given(st.lists(PIECES).map("".join))
def test_any_text_has_statements_in_order_without_overlaps(script: str) -> None:
    spans = list(statement_spans(script))
    assert all(span.start < span.end for span in spans)
    assert all(one.end <= other.start for one, other in pairwise(spans))
