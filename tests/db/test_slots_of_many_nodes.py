"""More nodes than a server has slots for twice: each has its stream, and some have a standby."""

from __future__ import annotations

import queue
from collections.abc import Iterator
from contextlib import ExitStack
from itertools import count

import psycopg
import pytest

from realtime_compat.replication.stream import (
    Down,
    Received,
    StandbyState,
    Stream,
    StreamEvent,
    TakenOver,
    Up,
)
from tests.conftest import Server
from tests.harness_workers import until

NODES, SLOTS = 8, 10
TIMEOUT = 60.0
NAMES = "select slot_name from pg_replication_slots where confirmed_flush_lsn is not null"
CUT = """
select pg_terminate_backend(active_pid) from pg_replication_slots join pg_stat_replication
on pid = active_pid where state = 'streaming' and slot_name like '{}%'
"""


class Node:
    """A node's stream, and what it said."""

    def __init__(self, url: str, number: int) -> None:
        self.name = f"node_{number}_"
        self.standby: StandbyState | None = None
        self._slots = count(1)
        self._events: queue.Queue[StreamEvent] = queue.Queue()
        self._stream = Stream(url, ("letters",), self._name, self._record)
        self._stream.start()
        self._is_started = True

    def _name(self) -> str:
        return f"{self.name}{next(self._slots)}"

    def _record(self, event: StreamEvent) -> None:
        if isinstance(event, StandbyState):
            self.standby = event
        else:
            self._events.put(event)

    @property
    def has_standby(self) -> bool:
        return self.standby == StandbyState()

    def wait_for(self, kind: type[StreamEvent]) -> set[type[StreamEvent]]:
        """The kinds of what it says, up to one of this kind."""
        found = set[type[StreamEvent]]()
        while kind not in found:
            found.add(type(self._events.get(timeout=TIMEOUT)))
        return found

    def stop(self) -> None:
        if self._is_started:
            self._stream.stop()
            self._is_started = False


@pytest.fixture(scope="module")
def database(server: Server, services_template: str) -> Iterator[str]:
    name = server.clone(services_template)
    server.run(
        "create table letters (body text)", "create publication letters for table letters",
        database=name,
    )  # fmt: skip
    yield name
    server.drop(name)


@pytest.fixture(scope="module")
def nodes(server: Server, database: str) -> Iterator[list[Node]]:
    """Eight that start at once, on a server of ten slots."""
    url = server.url(database, "supabase_realtime_admin")
    with pytest.MonkeyPatch.context() as patched, ExitStack() as stack:
        patched.setattr("realtime_compat.replication.standby_slot.RENEW_SECONDS", 0.2)
        found = [Node(url, number) for number in range(NODES)]
        for node in found:
            stack.callback(node.stop)
        for node in found:
            node.wait_for(Up)
        until(
            lambda: sum(each.has_standby for each in found) == SLOTS - NODES, "two have a standby"
        )
        yield found


def test_each_node_has_its_stream_and_who_has_no_standby_knows_it(nodes: list[Node]):
    until(lambda: all(node.standby for node in nodes), "each knows")
    reasons = [node.standby.reason for node in nodes if node.standby]
    assert reasons.count("") == SLOTS - NODES


@pytest.mark.parametrize(("has_standby", "kinds"), [(True, {TakenOver}), (False, {Down, Up})])
def test_a_node_whose_stream_is_cut_tells_of_a_loss_where_it_had_no_standby(
    server: Server,
    database: str,
    nodes: list[Node],
    has_standby: bool,
    kinds: set[type[StreamEvent]],
):
    until(lambda: len(slots(server)) == SLOTS, "no slot is free, so that none changes hands")
    having = [sum(name.startswith(node.name) for name in slots(server)) for node in nodes]
    node = nodes[having.index(2 if has_standby else 1)]
    server.run("insert into letters values ('before')", database=database)
    node.wait_for(Received)
    server.run(CUT.format(node.name), "insert into letters values ('after')", database=database)
    assert node.wait_for(TakenOver if has_standby else Up) - {Received} == kinds


def slots(server: Server) -> list[str]:
    """The names of all slots."""
    with psycopg.connect(server.url()) as connection:
        return [name for (name,) in connection.execute(NAMES).fetchall()]


def test_standbys_come_back_once_nodes_have_left(nodes: list[Node]):
    for node in nodes[SLOTS // 2 :]:
        node.stop()
    until(
        lambda: all(node.has_standby for node in nodes[: SLOTS // 2]), "each that is left has one"
    )
