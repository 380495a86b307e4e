"""Two machines of two workers each on one Valkey: who hears whom, at whichever worker."""

from __future__ import annotations

import asyncio
import json
import os
import signal
from collections.abc import AsyncIterator, Iterator
from contextlib import AsyncExitStack, ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

import httpx2
import pytest

from tests.conftest import Server
from tests.harness_fork import Program, start_program
from tests.harness_live import Live
from tests.harness_programs import free_port, require_valkey, running
from tests.harness_realtime import PATIENT, SECRET, token
from tests.harness_stack import environment
from tests.harness_workers import broker_of, client_of_each, is_alive, sockets_of_each, until

TIMEOUT = 60.0
ROOM = "realtime:room"
OPEN = {"config": {"broadcast": {"self": False}, "presence": {"key": "", "enabled": True}}}


@dataclass
class Machine:
    """One supervisor and its address."""

    process: Program
    url: str


@contextmanager
def machine(url: str, redis: int, folder: Path) -> Iterator[Machine]:
    port = free_port()
    values = {
        "DATABASE_URL": url, "PORT": str(port), "API_JWT_SECRET": SECRET, "WORKERS": "2",
        "REDIS_URL": f"redis://127.0.0.1:{redis}/0", **PATIENT,
    }  # fmt: skip
    with (folder / f"{port}.log").open("w") as output:
        process = start_program(["realtime_compat"], env=environment(**values), stdout=output)
    made = Machine(process, f"http://127.0.0.1:{port}")
    try:
        until(lambda: is_up(made), f"it serves: {(folder / f'{port}.log').read_text()}")
        yield made
        process.terminate()
        assert process.wait(timeout=60) == 0
    finally:
        process.kill()
        process.wait()


def is_up(machine: Machine) -> bool:
    try:
        return httpx2.get(f"{machine.url}/api/ping", timeout=60).status_code == 200
    except httpx2.TransportError:
        return False


@pytest.fixture(scope="module")
def machines(
    server: Server, realtime_database: str, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[tuple[Machine, Machine]]:
    folder, port = tmp_path_factory.mktemp("machines"), free_port()
    url = server.url(realtime_database)
    with (
        running([require_valkey(), "--port", str(port), "--save", ""], port, folder),
        machine(url, port, folder) as one,
        machine(url, port, folder) as other,
    ):
        yield one, other


@pytest.fixture
async def lives(machines: tuple[Machine, Machine]) -> AsyncIterator[list[list[Live]]]:
    """A socket at each worker of each machine."""
    async with AsyncExitStack() as stack:
        found = [
            await stack.enter_async_context(sockets_of_each(each, token(), 2, "/socket"))
            for each in machines
        ]
        yield [list(each.values()) for each in found]


async def join(live: Live, room: str) -> None:
    answer = await live.reply(room, "phx_join", OPEN)
    assert answer["status"] == "ok", answer


async def broadcast(live: Live, room: str, number: int) -> None:
    message = {"type": "broadcast", "event": "e", "payload": {"n": number}}
    await live.push(room, "broadcast", message)


async def receive_until(live: Live, room: str, last: int) -> list[int]:
    numbers: list[int] = []
    while last not in numbers:
        frame = await live.take_frame(lambda f: f.event == "broadcast" and f.topic == room)
        numbers.append(frame.payload["payload"]["n"])
    return numbers


async def met(sender: Live, others: list[Live], room: str) -> None:
    """The machines know each other once a word of one is heard at the others."""
    listening = [asyncio.create_task(receive_until(each, room, -1)) for each in others]
    async with asyncio.timeout(TIMEOUT):
        while not all(each.done() for each in listening):
            await broadcast(sender, room, -1)
            await asyncio.wait(listening, timeout=0.2)
    for each in others:  # what was said more often than it was needed
        await each.settle()
        each.kept = [frame for frame in each.kept if frame.event != "broadcast"]


async def test_broadcasts_of_a_worker_reach_every_worker_of_every_machine_in_order(
    lives: list[list[Live]],
):
    sender, *others = (live for each in lives for live in each)
    for live in (sender, *others):
        await join(live, ROOM)
    await met(sender, others, ROOM)
    for number in range(100):
        await broadcast(sender, ROOM, number)
    for live in others:
        received = [number for number in await receive_until(live, ROOM, 99) if number >= 0]
        assert received == list(range(100))


async def test_broadcasts_are_heard_once_where_a_machines_broker_dies(
    machines: tuple[Machine, Machine], lives: list[list[Live]]
):
    room = f"{ROOM}-broker"
    (sender, neighbour), (far, _) = lives
    for live in (sender, neighbour, far):
        await join(live, room)
    await met(sender, [neighbour, far], room)
    listening = asyncio.create_task(receive_until(neighbour, room, 99))
    for number in range(100):
        await broadcast(sender, room, number)
        if number == 50:
            broker = broker_of(machines[0])
            os.kill(broker, signal.SIGKILL)
            until(lambda gone=broker: not is_alive(gone), "it is dead")
    received = [number for number in await listening if number >= 0]
    assert received == list(range(100))
    await met(sender, [far], room)


async def test_presence_of_a_machine_is_seen_at_every_worker_of_the_other(
    lives: list[list[Live]],
):
    room = f"{ROOM}-presence"
    (one, _), (far, farther) = lives
    for live in (one, far, farther):
        await join(live, room)
    tracked = {"type": "presence", "event": "track", "payload": {"name": "ana"}}
    answer = await one.reply(room, "presence", tracked)
    assert answer["status"] == "ok", answer
    for live in (far, farther):
        await live.take_frame(
            lambda f: f.event == "presence_diff" and "ana" in json.dumps(f.payload)
        )
    await one.reply(room, "phx_leave", {})
    for live in (far, farther):
        await live.take_frame(lambda f: f.event == "presence_diff" and bool(f.payload["leaves"]))


async def test_a_long_poll_at_every_worker_of_every_machine_hears_what_is_said_on_the_other(
    machines: tuple[Machine, Machine], lives: list[list[Live]]
):
    room = f"{ROOM}-poll"
    far = lives[1][0]
    await join(far, room)
    received: list[object] = []
    with ExitStack() as opened_at:
        clients = [
            client
            for each in machines
            for client in opened_at.enter_context(client_of_each(each, token(), 2)).values()
        ]
        path = f"/longpoll?vsn=2.0.0&apikey={token()}"
        opened = json.loads(clients[0].request("GET", path)[1])
        session = f"{path}&token={opened['token']}"
        sent = json.loads(
            clients[2].request("POST", session, ["1", "1", room, "phx_join", OPEN])[1]
        )
        assert sent["status"] == 200, sent
        async with asyncio.timeout(TIMEOUT):
            for turn in range(600):
                await broadcast(far, room, turn)
                client = clients[turn % 4]
                answer = json.loads((await asyncio.to_thread(client.request, "GET", session))[1])
                received += [json.loads(each)[3] for each in answer.get("messages", [])]
                if "broadcast" in received:
                    break
    assert "broadcast" in received
