"""Messages of schema `recados` are delivered by the stack, each once, and what is due is called.

The names begin with the rows of the planner's design.
"""

from __future__ import annotations

import asyncio
import json
import os
import signal
import subprocess
import sys
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import asyncpg
import pytest

from compat_base.tasks import Supervisor
from compat_base.values.world import real_world
from compat_stack.background import queue as queue_module
from compat_stack.background.listening import work
from compat_stack.services.service import Deployment
from compat_stack.settings import read_settings
from tests.conftest import Server
from tests.harness_push import Browser, PushService, allowance, outgoing, push_service
from tests.harness_sql import Connection
from tests.harness_states import until

SECONDS = 60  # generous: a busy machine is no defect


@pytest.fixture
async def push(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[PushService]:
    """A push service, which whatever this test starts trusts."""
    monkeypatch.setenv("SSL_CERT_FILE", str(tmp_path / "certificate.pem"))
    async with push_service(tmp_path) as service:
        yield service


@pytest.fixture
async def database(server: Server, planner_template: str) -> AsyncIterator[str]:
    """A database of this test's own, with the planner's queue."""
    name = await asyncio.to_thread(server.clone, planner_template)
    yield name
    await asyncio.to_thread(server.drop, name)


@pytest.fixture
async def owner(server: Server, database: str) -> AsyncIterator[Connection]:
    connection = await asyncpg.connect(server.url(database))
    yield connection
    await connection.close()


@asynccontextmanager
async def serving(url: str, folder: Path, **more: str) -> AsyncGenerator[None]:
    """A stack's workers on a database."""
    deployment, settings = (
        Deployment("http://localhost", url, None),
        read_settings(allowance(folder) | more),
    )
    async with Supervisor(lambda _: None) as tasks:
        tasks.start(work(settings, deployment, outgoing(), tasks, real_world()), "workers")
        yield


@dataclass(frozen=True)
class Run:
    """A database with a queue, a connection of its owner, and a push service."""

    url: str
    owner: Connection
    push: PushService
    folder: Path

    def working(self, **more: str) -> AbstractAsyncContextManager[None]:
        """A stack's workers for the length of a block."""
        return serving(self.url, self.folder, **more)


@pytest.fixture
def run(server: Server, database: str, owner: Connection, push: PushService, tmp_path: Path) -> Run:
    return Run(server.url(database), owner, push, tmp_path)


async def queue(db: Connection, target: dict[str, str], content: object = None, **row: Any) -> int:
    """Put a message into the queue; its number."""
    values = {"canal": "push", "destino": target, "carga": content or {"titulo": "Cena"}, **row}
    return await db.fetchval(
        f"insert into recados.cola ({', '.join(values)}) select {', '.join(values)}"
        " from jsonb_populate_record(null::recados.cola, $1) returning id",
        json.dumps(values, default=str),
    )


async def ended(db: Connection, number: int) -> tuple[str, str | None]:
    """How a message ended."""
    row = await until(
        lambda: db.fetchrow(
            "select estado, fallo from recados.cola where id = $1 and estado <> 'espera'", number
        )
    )
    return row["estado"], row["fallo"]


async def postponed(db: Connection, number: int) -> tuple[float, str]:
    """In how many seconds a message is due again, and why."""
    row = await until(
        lambda: db.fetchrow(
            "select extract(epoch from no_antes_de - now())::float as wait, fallo"
            " from recados.cola where id = $1 and tomado_en is null and fallo is not null", number,
        )
    )  # fmt: skip
    return row["wait"], row["fallo"]


async def test_c1_1_a_message_reaches_its_browser_encrypted_and_signed(run: Run):
    browser = run.push.browser()
    async with run.working(VAPID_SUBJECT="mailto:yo@example.com"):
        number = await queue(run.owner, browser.target(topic="cena"), {"titulo": "Luis propone ñ"})
        assert await ended(run.owner, number) == ("hecho", None)
    (message,) = run.push.received
    assert browser.read(message) == {"titulo": "Luis propone ñ"}
    assert b"Luis" not in message.body
    headers = message.headers
    assert (headers["content-encoding"], headers["topic"]) == ("aes128gcm", "cena")
    assert 86_000 < int(headers["ttl"]) <= 86_400
    claims = run.push.claims_of(message)
    assert claims["aud"] == f"https://localhost:{run.push.port}"
    assert claims["sub"] == "mailto:yo@example.com"


async def test_d10_a_commit_wakes_a_service_that_sleeps(run: Run, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(queue_module, "_LONGEST_SLEEP", 3600.0)  # no look of its own comes
    await run.owner.execute("delete from recados.tareas")
    async with run.working():
        for path in ("/first", "/second"):
            number = await queue(run.owner, run.push.browser(path).target())
            assert await ended(run.owner, number) == ("hecho", None)
    assert [message.path for message in run.push.received] == ["/first", "/second"]


async def test_c1_1_what_is_rolled_back_is_not_sent(run: Run):
    async with run.working():
        transaction = run.owner.transaction()
        await transaction.start()
        await queue(run.owner, run.push.browser("/never").target())
        await transaction.rollback()
        number = await queue(run.owner, run.push.browser("/after").target())
        await ended(run.owner, number)
    assert [message.path for message in run.push.received] == ["/after"]


@pytest.mark.parametrize("status", [400, 403, 404, 410, 301])
async def test_c1_4_a_refusal_is_final_and_no_redirect_is_followed(run: Run, status: int):
    run.push.answers["/a"] = (status, f"Location: https://localhost:{run.push.port}/b\r\n")
    async with run.working():
        number = await queue(run.owner, run.push.browser().target())
        assert await ended(run.owner, number) == ("fallido", str(status))
    assert [message.path for message in run.push.received] == ["/a"]


@pytest.mark.parametrize(
    ("status", "more", "least", "most"),
    [(429, "Retry-After: 600\r\n", 590, 601), (500, "", 40, 73), (503, "Retry-After: 1\r\n", 40, 73)],
)  # fmt: skip
async def test_c1_4_a_server_in_trouble_is_tried_again_later(
    run: Run,
    status: int, more: str, least: float, most: float,
):  # fmt: skip
    run.push.answers["/a"] = (status, more)
    async with run.working():
        number = await queue(run.owner, run.push.browser().target())
        wait, reason = await postponed(run.owner, number)
    assert reason == str(status)
    assert least <= wait <= most
    run.push.answers.clear()
    await run.owner.execute("update recados.cola set no_antes_de = now(), intentos = 4")
    async with run.working():
        assert await ended(run.owner, number) == ("hecho", None)
    assert len(run.push.received) == 2


async def test_c1_4_the_fifth_failure_is_the_last(run: Run):
    run.push.answers["/a"] = (500, "")
    number = await queue(run.owner, run.push.browser().target(), intentos=4, **LATER)
    async with run.working():
        assert await ended(run.owner, number) == ("fallido", "500")


async def test_c1_4_a_server_that_never_answers_is_given_up_and_tried_again(
    run: Run, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr("compat_stack.background.push._SECONDS", 0.5)
    number = await queue(run.owner, run.push.browser("/held").target())
    async with run.working():
        wait, reason = await postponed(run.owner, number)
    assert reason == "timeout"
    assert 40 <= wait <= 73
    run.push.held.set()


LATER = {
    "no_antes_de": "2020-01-01", "caduca_en": "2100-01-01", "estado": "espera",
    "creado_en": "2026-01-01",
}  # fmt: skip


@pytest.mark.parametrize(
    ("endpoint", "reason"),
    [
        ("http://localhost:{port}/a", "no push service"),
        ("https://127.0.0.1:{port}/a", "no push service"),
        ("https://10.0.0.1/a", "no push service"),
        ("https://user@localhost:{port}/a", "no push service"),
        ("https://fcm.googleapis.com.example/a", "no push service"),
        ("nonsense", "no push service"),
        ("", "no push service"),
    ],
)
async def test_c1_6_what_is_no_push_service_is_not_called(
    run: Run,
    endpoint: str, reason: str,
):  # fmt: skip
    target = Browser(endpoint.replace("{port}", str(run.push.port))).target()
    async with run.working():
        number = await queue(run.owner, target)
        assert await ended(run.owner, number) == ("fallido", reason)
    assert run.push.received == []


async def test_c1_6_a_push_service_that_is_private_needs_the_operators_word(run: Run):
    async with run.working(GOTRUE_EGRESS_ALLOW_LIST=""):
        number = await queue(run.owner, run.push.browser().target())
        assert await ended(run.owner, number) == ("fallido", "forbidden address")
    assert run.push.received == []


async def test_c1_6_large_messages_and_damaged_keys_are_refused(run: Run):
    good = run.push.browser().target()
    async with run.working():
        large = await queue(run.owner, good, {"titulo": "x" * 10_000})
        broken = await queue(run.owner, good | {"p256dh": "AAAA"})
        bare = await queue(run.owner, {"endpoint": good["endpoint"]})
        assert await ended(run.owner, large) == ("fallido", "too large")
        for number in (broken, bare):
            assert await ended(run.owner, number) == ("fallido", "invalid keys of the subscription")
    assert run.push.received == []


async def test_c1_5_two_services_send_each_of_many_once(run: Run):
    targets = [run.push.browser(f"/{number}").target() for number in range(200)]
    await run.owner.executemany(
        "insert into recados.cola (canal, destino, carga) values ('push', $1, '{}')",
        [(json.dumps(target),) for target in targets],
    )
    async with run.working(), run.working():
        await until(
            lambda: run.owner.fetchval(
                "select count(*) = 200 from recados.cola where estado = 'hecho'"
            )
        )
    assert sorted(message.path for message in run.push.received) == sorted(
        f"/{number}" for number in range(200)
    )


async def test_c1_a_service_that_is_killed_has_sent_nothing_twice(run: Run):
    held = await queue(run.owner, run.push.browser("/held").target())
    environment = os.environ | allowance(run.folder)
    script = (
        "import asyncio\n"
        "from tests.service.stack import test_messages as m\n"
        "from pathlib import Path\n"
        "import sys\n"
        "async def run():\n"
        "    async with m.serving(sys.argv[1], Path(sys.argv[2])): await asyncio.sleep(600)\n"
        "asyncio.run(run())\n"
    )
    process = subprocess.Popen(  # noqa: ASYNC220 — it is killed
        [sys.executable, "-c", script, run.url, str(run.folder)], env=environment
    )
    try:
        async with asyncio.timeout(SECONDS):
            while not run.push.at("/held"):  # noqa: ASYNC110 — another process sends it
                await asyncio.sleep(0.02)
    finally:
        process.send_signal(signal.SIGKILL)
        await asyncio.to_thread(process.wait)
    waiting = await queue(run.owner, run.push.browser("/after").target())
    await run.owner.execute(
        "update recados.cola set tomado_en = now() - interval '6 minutes' where id = $1", held
    )
    async with run.working():
        assert await ended(run.owner, waiting) == ("hecho", None)
        assert await ended(run.owner, held) == ("fallido", "interrupted")
    assert len(run.push.at("/held")) == 1


async def test_c1_what_expired_is_not_sent_and_what_is_not_due_waits(run: Run):
    row = LATER | {"intentos": 0}
    late = await queue(
        run.owner, run.push.browser("/late").target(), **row | {"caduca_en": "2021-01-01"}
    )
    await queue(
        run.owner, run.push.browser("/later").target(), **row | {"no_antes_de": "2090-01-01"}
    )
    async with run.working():
        assert await ended(run.owner, late) == ("fallido", "expired")
        await ended(run.owner, await queue(run.owner, run.push.browser("/now").target()))
    assert [message.path for message in run.push.received] == ["/now"]


async def test_c1_functions_that_are_due_are_called_and_one_that_fails_stops_no_other(run: Run):
    await run.owner.execute("""
        create table public.calls (at timestamptz not null default now());
        create function public.fails() returns void language plpgsql as
          $$ begin raise exception 'no'; end $$;
        create function public.works() returns void language sql as
          $$ insert into public.calls default values $$;
        insert into recados.tareas (nombre, funcion, cada) values
          ('a', 'public.fails()', '1 hour'), ('b', 'public.works()', '1 second');
    """)
    async with run.working(), run.working():
        await until(lambda: run.owner.fetchval("select count(*) >= 2 from public.calls"))
    assert await run.owner.fetchval("select fallo from recados.tareas where nombre = 'a'") == "no"
    closest = await run.owner.fetchval(
        "select min(gap) from (select at - lag(at) over (order by at) as gap from public.calls) as g"
    )
    assert closest.total_seconds() >= 1
