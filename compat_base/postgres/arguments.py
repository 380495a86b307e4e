"""The arguments of statements before they are sent: how large they are, and no NUL among them."""

from __future__ import annotations

from collections.abc import Sequence

from compat_base.postgres.faults import Fault, PgFault
from compat_base.values.sqltext import Statement

_NUL = Fault("22021", 'invalid byte sequence for encoding "UTF8": 0x00')


def checked_size(statements: Sequence[Statement]) -> int:
    """The bytes of all arguments. Raises PgFault for a NUL, in PostgreSQL's own words.

    Libpq's strings end at the first one, so none may get that far.
    """
    size = 0
    for statement in statements:
        for value in statement.args:
            if value is not None:
                if b"\0" in value:
                    raise PgFault(_NUL)
                size += len(value)
        if "\0" in statement.text:
            raise PgFault(_NUL)
    return size
