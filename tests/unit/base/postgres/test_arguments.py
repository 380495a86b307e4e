"""The arguments of statements before they are sent."""

from __future__ import annotations

import pytest

from compat_base.postgres.arguments import checked_size
from compat_base.postgres.faults import PgFault
from compat_base.values.sqltext import Statement


def test_the_bytes_of_all_arguments_are_counted():
    assert checked_size(()) == 0
    statements = (Statement("select $1, $2", (b"four", None)), Statement("select $1", (b"1",)))
    assert checked_size(statements) == 5


@pytest.mark.parametrize(
    "statement", [Statement("select $1", (b"a\0b",)), Statement("select 'a\0b'", ())]
)
def test_a_nul_is_refused_as_postgresql_does(statement: Statement):
    with pytest.raises(PgFault) as refused:
        checked_size((statement,))
    assert refused.value.fault.sqlstate == "22021"
