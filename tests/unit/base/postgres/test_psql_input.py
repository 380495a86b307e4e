"""Files of SQL with what psql alone understands: its lines, and rows behind `copy`."""

from __future__ import annotations

import pytest

from compat_base.postgres.psql_input import PsqlError, Rows, Statements, parts

DUMP = """\\restrict abc
set statement_timeout = 0;
\\connect postgres

-- what it says
COPY "public"."It's" ("id", "a""b") FROM stdin;
1\tit's $$ ; one
2\t\\N
\\.


COPY t FROM stdin;
\\.
select '\\i is text', $$
\\i too
$$;
\\unrestrict abc
"""


def test_a_dump_is_its_statements_and_its_rows():
    found = list(parts(DUMP))
    assert [each for each in found if isinstance(each, Rows)] == [
        Rows(
            DUMP.index('COPY "public"'), "public", "It's", ("id", 'a"b'),
            "1\tit's $$ ; one\n2\t\\N\n",
        ),
        Rows(DUMP.index("COPY t"), None, "t", None, ""),
    ]  # fmt: skip
    statements = [each.text.strip() for each in found if isinstance(each, Statements)]
    assert [text for text in statements if text] == [
        "set statement_timeout = 0;",
        "-- what it says",
        "select '\\i is text', $$\n\\i too\n$$;",
    ]


def test_every_part_has_its_place():
    for each in parts(DUMP):
        if isinstance(each, Statements):
            assert DUMP.startswith(each.text, each.start)


@pytest.mark.parametrize("script", ["select 1; select '\\gset'", "copy t from program 'x';", ""])
def test_a_file_without_anything_of_psqls_is_one_part(script: str):
    assert list(parts(script)) == [Statements(0, script)]


@pytest.mark.parametrize(
    ("script", "line", "reason"),
    [
        ("select 1;\n\\i other.sql\n", 2, r"\\i is a command of psql's"),
        ("\\! rm -rf /", 1, r"\\! is a command"),
        ("copy t from stdin with (format csv);\n1\n\\.\n", 1, "in the text format alone"),
        ("select 1;\n\ncopy t from stdin;\n1\n", 3, "have no end"),
    ],
)
def test_what_would_mean_another_thing_is_refused(script: str, line: int, reason: str):
    with pytest.raises(PsqlError, match=reason) as caught:
        list(parts(script))
    assert script.count("\n", 0, caught.value.position - 1) + 1 == line


def test_windows_ends_of_lines_end_data():
    found = list(parts("copy t from stdin;\r\n1\r\n\\.\r\nselect 1;"))
    assert [each.data for each in found if isinstance(each, Rows)] == ["1\r\n"]
