"""What the executor does on the event loop before a statement is sent."""

from collections.abc import Coroutine
from typing import Any

from compat_base.values.sqltext import Statement
from rest_compat.execute.executor import fill_in_turns
from rest_compat.query.build import fill
from rest_compat.request.shape import Values


def pauses(work: Coroutine[Any, Any, Statement]) -> tuple[int, Statement]:
    """How often a coroutine let others work, and its result."""
    count = 0
    while True:
        try:
            work.send(None)
        except StopIteration as end:
            return count, end.value
        count += 1


def test_thousands_of_arguments_are_filled_with_pauses_for_others():
    statement = Statement("select", tuple(str(number) for number in range(20_000)))
    values = Values((), b"")
    count, filled = pauses(fill_in_turns(statement, values))
    assert count == 10
    assert filled == fill(statement, values)


def test_a_usual_statement_is_filled_at_once():
    statement = Statement("select", ("1", None, b"2"))
    assert pauses(fill_in_turns(statement, Values((), b""))) == (
        0, Statement("select", (b"1", None, b"2")),
    )  # fmt: skip
