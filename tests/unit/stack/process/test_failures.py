"""Expected failures in whole sentences."""

from __future__ import annotations

import errno

import pytest

from compat_base.postgres.faults import DISK_FULL, Fault, PgFault, Unavailable
from compat_base.values.settings import SettingsError
from compat_stack.process.failures import explain, sentence_of


@pytest.mark.parametrize(
    ("error", "part"),
    [
        (Unavailable("no route"), "check DATABASE_URL"),
        (PgFault(Fault("42501", "permission denied")), "the database refused: permission denied"),
        (PgFault(Fault(DISK_FULL, "no space")), "make room, start again"),
        (OSError(errno.ENOSPC, "no space", "/data"), "the disk is full (/data)"),
        (OSError(errno.EACCES, "denied", "/data"), "/data cannot be used (denied)"),
        (OSError(errno.EISDIR, "a folder", "/k"), "/k cannot be used (a folder): move it away"),
        (OSError(errno.EEXIST, "exists", "/s"), "/s cannot be used (exists): move it away"),
    ],
)
def test_a_failure_says_what_to_do(error: Exception, part: str):
    [sentence] = explain(error)
    assert part in sentence


def test_problems_of_settings_are_a_sentence_each_and_one_line_together():
    error = SettingsError(("PORT is wrong", "HOST is wrong"))
    assert explain(error) == ("PORT is wrong", "HOST is wrong")
    assert sentence_of(error) == "PORT is wrong HOST is wrong"


def test_a_failure_that_nobody_expects_has_no_sentence():
    assert sentence_of(KeyError("x")) is None
