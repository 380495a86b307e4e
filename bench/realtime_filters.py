"""What the index of subscriptions costs: 8,000 distinct filters on one table, without a server."""

from __future__ import annotations

import time
from collections.abc import Callable, Generator
from typing import TypeVar
from uuid import UUID

from bench.figures import Figure, keep
from realtime_compat.auth import Caller
from realtime_compat.changes.audience import Subscription, Views
from realtime_compat.changes.filters import Condition
from realtime_compat.changes.index import TableIndex
from realtime_compat.changes.model import Action, Column, JsonForm, PgType

T = TypeVar("T")

COUNT = 8000
ROWS = 50
CALLER = Caller("authenticated", "{}", None, 4_000_000_000, "")
COLUMNS = (
    Column("id", 1, PgType(20, "int8", "int8", JsonForm.NUMBER), is_key=True),
    Column("owner", 2, PgType(2950, "uuid", "uuid"), is_key=False),
    Column("body", 3, PgType(25, "text", "text"), is_key=False),
)
ROW = {"id": str(COUNT // 2), "owner": str(UUID(int=7)), "body": "a text of some words"}


def _members(number: int) -> str:
    return "{" + ",".join(str(UUID(int=5 * number + k)) for k in range(5)) + "}"


BY_VALUE = {"eq on uuid", "eq on text", "in of 5"}
FILTERS: dict[str, Callable[[int], Condition]] = {
    "eq on uuid": lambda n: Condition("owner", "eq", str(UUID(int=n))),
    "eq on text": lambda n: Condition("body", "eq", str(n)),
    "in of 5": lambda n: Condition("owner", "in", _members(n)),
    "gt, half hold": lambda n: Condition("id", "gt", str(n)),
    "like": lambda n: Condition("body", "like", f"%a{n}%"),
}


def _run(work: Generator[None, None, T]) -> T:
    while True:
        try:
            next(work)
        except StopIteration as end:
            return end.value


def figures() -> None:
    """Print processor time for each join and each changed row."""
    print(f"{COUNT} subscriptions with distinct filters; target 0.2 ms a join, 0.1 ms a row")
    for name, condition in FILTERS.items():
        index = TableIndex(Views())
        start = time.process_time()
        for number in range(COUNT):
            index.add(Subscription(number, 1, 1, "*", (condition(number),), None, CALLER))
        _run(index.settle(COLUMNS, 1))
        joined = time.process_time() - start
        _run(index.search(Action.INSERT, ROW))
        start = time.process_time()
        for _ in range(ROWS):
            index.audience(_run(index.search(Action.INSERT, ROW)).audiences)
        spent = time.process_time() - start
        print(f"   {name}: {joined / COUNT * 1e3:.3f} ms a join, {spent / ROWS * 1e3:.3f} ms a row")
        keep(Figure(f"a join beside 8,000 filters: {name}", joined / COUNT * 1e6, "µs", 200))
        if name in BY_VALUE:
            keep(Figure(f"a row beside 8,000 filters: {name}", spent / ROWS * 1e6, "µs", 100))


if __name__ == "__main__":
    figures()
