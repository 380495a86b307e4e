"""What PostgreSQL's programs say of a failure, as one sentence."""

from pathlib import Path

import pytest

from compat_stack.archive.format import BackupError
from compat_stack.archive.programs import Programs

KILLED = """\
pg_dump: error: Dumping the contents of table "big" failed: PQgetCopyData() failed.
pg_dump: detail: Error message from server: server closed the connection unexpectedly
\tThis probably means the server terminated abnormally
pg_dump: detail: Command was: COPY public.big (g, t) TO stdout;
"""
REFUSED = """\
pg_dump: error: query failed: ERROR:  permission denied for table big
pg_dump: detail: Query was: LOCK TABLE public.big IN ACCESS SHARE MODE
"""
AWAY = """\
pg_dump: error: connection to server on socket "/s/.s.PGSQL.5432" failed: No such file or directory
\tIs the server running locally and accepting connections on that socket?
"""


@pytest.mark.parametrize(
    ("output", "sentence"),
    [
        (KILLED, "server closed the connection unexpectedly"),
        (REFUSED, "permission denied for table big"),
        (
            AWAY,
            'connection to server on socket "/s/.s.PGSQL.5432" failed: No such file or directory',
        ),
        ("no room\n", "no room"),
        ("", "it said nothing"),
    ],
)
def test_a_program_that_fails_is_one_sentence_with_its_reason(
    tmp_path: Path, output: str, sentence: str
):
    (tmp_path / "output").write_text(output)
    program = tmp_path / "pg_dump"
    program.write_text('#!/bin/sh\ncat "$1" >&2\nexit 1\n')
    program.chmod(0o700)
    running = Programs(tmp_path, "").running("pg_dump", str(tmp_path / "output"), connects=False)
    with pytest.raises(BackupError) as raised, running:
        pass
    assert str(raised.value) == f"pg_dump failed: {sentence}"
