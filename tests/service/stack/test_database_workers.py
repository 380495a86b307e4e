"""What pg_net and pg_cron leave to the stack: requests are sent, jobs are run, each once."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from functools import partial
from typing import Any

import asyncpg
import pytest

from compat_base.tasks import Supervisor
from compat_base.values.events import Observation
from compat_base.values.world import SystemClock, real_world
from compat_stack.background.listening import work
from compat_stack.services.service import Deployment
from compat_stack.settings import read_settings
from tests.conftest import Server
from tests.harness_push import outgoing
from tests.harness_sql import Connection
from tests.harness_states import until

LOOPBACK = {"GOTRUE_EGRESS_ALLOW_LIST": "127.0.0.1"}


@dataclass
class Recipient:
    """An HTTP server that keeps what it is sent, and answers as its path says."""

    port: int = 0
    received: list[bytes] = field(default_factory=list)
    held: asyncio.Event = field(default_factory=asyncio.Event)

    async def answer(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head = await reader.readuntil(b"\r\n\r\n")
        length = next(
            (
                int(line[15:])
                for line in head.split(b"\r\n")
                if line.lower().startswith(b"content-length")
            ),
            0,
        )
        self.received.append(head + await reader.readexactly(length))
        path = head.split()[1]
        if path == b"/held":
            await self.held.wait()
        body = b"x" * 1_048_577 if path == b"/huge" else b'{"a": "\xc3\xb1"}'
        writer.write(
            b"HTTP/1.1 201 Created\r\nContent-Type: application/json\r\nConnection: close\r\n"
            b"Content-Length: %d\r\n\r\n%s" % (len(body), body)
        )
        await writer.drain()
        writer.close()

    def url(self, path: str = "/") -> str:
        return f"http://127.0.0.1:{self.port}{path}"


@pytest.fixture
async def recipient() -> AsyncIterator[Recipient]:
    made = Recipient()
    server = await asyncio.start_server(made.answer, "127.0.0.1", 0)
    made.port = server.sockets[0].getsockname()[1]
    yield made
    made.held.set()
    server.close()


@pytest.fixture
async def database(server: Server, services_template: str) -> AsyncIterator[str]:
    """A database of this test's own, with jobs."""
    name = await asyncio.to_thread(server.clone, services_template)
    db = await asyncpg.connect(server.url(name, "postgres"))
    await db.execute(
        "create extension pg_cron; create table public.runs (who name, at timestamptz)"
    )
    await db.close()
    yield name
    await asyncio.to_thread(server.drop, name)


@pytest.fixture
async def owner(server: Server, database: str) -> AsyncIterator[Connection]:
    connection = await asyncpg.connect(server.url(database, "postgres"))
    yield connection
    await connection.close()


@asynccontextmanager
async def working(
    server: Server,
    database: str,
    environment: dict[str, str] = LOOPBACK,
    passwords: bytes | None = None,
) -> AsyncIterator[list[Observation]]:
    """A stack's workers on a database, with what they observe."""
    observed: list[Observation] = []
    deployment = Deployment("http://localhost", server.url(database), passwords)
    async with Supervisor(observed.append) as tasks:
        tasks.start(
            work(read_settings(environment), deployment, outgoing(), tasks, real_world()), "workers"
        )
        yield observed


async def answer_of(owner: Connection, request: int) -> tuple[Any, ...]:
    row = await until(
        lambda: owner.fetchrow(
            "select status_code, content_type, content, timed_out, error_msg"
            " from net._http_response where id = $1", request,
        )
    )  # fmt: skip
    return tuple(row)


# ── requests ───────────────────────────────────────────────────────────────────────────────────


async def test_a_request_is_sent_after_its_transaction_and_its_answer_kept(
    server: Server, database: str, owner: Connection, recipient: Recipient
) -> None:
    async with working(server, database):
        async with owner.transaction():
            made = await owner.fetchval(
                """select net.http_post($1, '{"b": 1}', '{"q": "x"}', '{"X-Key": "k"}')""",
                recipient.url("/hook"),
            )
            assert recipient.received == []
        found = await answer_of(owner, made)
    assert found == (201, "application/json", '{"a": "ñ"}', False, None)
    [sent] = recipient.received
    assert sent.startswith(b"POST /hook?q=x HTTP/1.1\r\n")
    assert b"x-key: k\r\n" in sent.lower()
    assert b"content-type: application/json\r\n" in sent.lower()
    assert sent.endswith(b'\r\n\r\n{"b": 1}')
    assert await owner.fetchval("select count(*) from net.http_request_queue") == 0


async def test_a_request_that_is_rolled_back_is_not_sent(
    server: Server, database: str, owner: Connection, recipient: Recipient
) -> None:
    async with working(server, database):
        transaction = owner.transaction()
        await transaction.start()
        await owner.execute("select net.http_get($1)", recipient.url("/undone"))
        await transaction.rollback()
        await answer_of(owner, await owner.fetchval("select net.http_get($1)", recipient.url("/")))
    assert [sent.split()[1] for sent in recipient.received] == [b"/"]


async def test_what_waited_before_the_start_is_sent(
    server: Server, database: str, owner: Connection, recipient: Recipient
) -> None:
    made = await owner.fetchval("select net.http_get($1)", recipient.url())
    async with working(server, database):
        assert (await answer_of(owner, made))[0] == 201


@pytest.mark.parametrize(
    ("path", "error"),
    [("/held", "Timeout of 300 ms reached"), ("/huge", "the answer is larger than 1048576 bytes")],
)
async def test_an_answer_that_is_late_or_huge_is_an_error(  # noqa: PLR0917 — fixtures
    server: Server, database: str, owner: Connection, recipient: Recipient, path: str, error: str
) -> None:
    milliseconds = 300 if path == "/held" else 20_000
    async with working(server, database):
        made = await owner.fetchval(
            "select net.http_get($1, timeout_milliseconds => $2)", recipient.url(path), milliseconds
        )
        assert await answer_of(owner, made) == (None, None, None, path == "/held", error)


@pytest.mark.parametrize(
    "url",
    ["http://127.0.0.1:1/", "http://localhost/", "http://10.0.0.1/", "http://169.254.169.254/",
     "http://[::1]/", "http://user@example.com/", "http://2130706433/"],
)  # fmt: skip
async def test_addresses_that_are_not_public_are_not_called(
    server: Server, database: str, owner: Connection, url: str
) -> None:
    async with working(server, database, {}):
        made = await owner.fetchval("select net.http_get($1)", url)
        status, *_, error = await answer_of(owner, made)
    assert status is None
    assert error in {"the address is not public", "the address cannot be called"}


async def test_slow_recipients_do_not_hold_up_the_others(
    server: Server, database: str, owner: Connection, recipient: Recipient
) -> None:
    async with working(server, database):
        await owner.execute(
            "select net.http_get($1, timeout_milliseconds => 60000) from generate_series(1, 8)",
            recipient.url("/held"),
        )
        made = await owner.fetchval("select net.http_get($1)", recipient.url("/"))
        assert (await answer_of(owner, made))[0] == 201


async def test_two_nodes_send_each_request_once(
    server: Server, database: str, owner: Connection, recipient: Recipient
) -> None:
    async with working(server, database), working(server, database):
        await owner.execute(
            "select net.http_get($1 || n) from generate_series(1, 60) as n", recipient.url("/")
        )
        await until(lambda: owner.fetchval("select count(*) = 60 from net._http_response"))
    assert sorted(int(sent.split()[1][1:]) for sent in recipient.received) == list(range(1, 61))


async def test_a_request_that_a_killed_worker_had_taken_is_not_sent_again(
    server: Server, database: str, owner: Connection, recipient: Recipient
) -> None:
    made = await owner.fetchval("select net.http_get($1)", recipient.url())
    await owner.execute(
        "update net.http_request_queue set taken = now() - interval '2 minutes' where id = $1", made
    )
    async with working(server, database):
        *_, error = await answer_of(owner, made)
    assert "may have arrived" in error
    assert recipient.received == []


async def test_a_killed_process_sends_nothing_twice(
    server: Server, database: str, owner: Connection, recipient: Recipient
) -> None:
    program = (
        "import asyncio, sys\n"
        "from tests.service.stack.test_database_workers import run_workers\n"
        "asyncio.run(run_workers(sys.argv[1]))\n"
    )
    process = subprocess.Popen(  # noqa: ASYNC220 — it is killed here
        [sys.executable, "-c", program, server.url(database)]
    )
    try:
        await owner.execute("select net.http_get($1)", recipient.url("/held"))

        async def is_sent() -> bool:
            return bool(recipient.received)

        await until(is_sent)
    finally:
        os.kill(process.pid, signal.SIGKILL)
        process.wait()
    async with working(server, database):
        made = await owner.fetchval("select net.http_get($1)", recipient.url("/next"))
        await answer_of(owner, made)
    assert [sent.split()[1] for sent in recipient.received] == [b"/held", b"/next"]


async def run_workers(url: str) -> None:
    """The workers alone, as a process that can be killed."""
    deployment = Deployment("http://localhost", url, None)
    async with Supervisor(print) as tasks:
        await work(read_settings(LOOPBACK), deployment, outgoing(), tasks, real_world())


# ── jobs ───────────────────────────────────────────────────────────────────────────────────────


async def test_a_job_runs_as_whoever_made_it_and_its_run_is_recorded(
    server: Server, database: str, owner: Connection
) -> None:
    async with working(server, database):
        await owner.execute(
            "select cron.schedule('a', '1 seconds', 'insert into runs values (session_user, now())')"
        )
        row = await until(
            lambda: owner.fetchrow(
                "select status, return_message, username, database, job_pid > 0 as has_pid,"
                " end_time >= start_time as has_times from cron.job_run_details"
                " where end_time is not null"
            )
        )
    assert tuple(row) == ("succeeded", "INSERT 0 1", "postgres", database, True, True)
    assert await owner.fetchval("select who from runs limit 1") == "postgres"


async def test_a_job_that_fails_is_recorded_with_its_error_and_comes_again(
    server: Server, database: str, owner: Connection
) -> None:
    async with working(server, database) as observed:
        await owner.execute("select cron.schedule('1 seconds', 'select 1/0')")
        failed = "select count(*) > 1 from cron.job_run_details where status = 'failed'"
        await until(lambda: owner.fetchval(failed))
    message = await owner.fetchval("select return_message from cron.job_run_details limit 1")
    assert message == "ERROR: division by zero"
    assert observed == []


async def test_a_job_becomes_nobody_else(server: Server, database: str, owner: Connection) -> None:
    async with working(server, database):
        await owner.execute(
            "select cron.schedule('1 seconds', 'set session authorization supabase_admin')"
        )
        message = await until(
            lambda: owner.fetchval("select return_message from cron.job_run_details limit 1")
        )
    assert "permission denied" in message


@pytest.mark.parametrize("passwords", [None, b"secret"], ids=["socket", "passwords"])
@pytest.mark.parametrize("owner_of_job", ["postgres", "supabase_storage_admin"])
async def test_a_job_that_leaves_its_role_has_no_other_rights(
    server: Server, database: str, owner: Connection, passwords: bytes | None, owner_of_job: str
) -> None:
    """What a job reaches by `reset role` is its owner again, or a role that may become it alone."""
    await owner.execute("create table public.reached (roles text)")
    await owner.execute(
        "grant all on public.reached to public; grant usage on schema cron to public"
    )
    script = """
        do $$ begin reset role; execute %s; insert into public.reached values ('escaped');
        exception when insufficient_privilege then null; end $$
    """
    tries = [
        "'set role supabase_admin'", "'set role compat_background'", "'set role supabase_auth_admin'",
        "'select count(*) from auth.users'", "'select count(*) from net.http_request_queue'",
        "'select compat.job_login(''supabase_admin'', ''x'')'", "'create role intruder'",
    ]  # fmt: skip
    if owner_of_job == "postgres":
        tries = tries[:2] + tries[5:6]  # the owner may do the others itself
    async with working(server, database, passwords=passwords):
        await owner.execute(
            "select cron.schedule_in_database('a', '1 seconds', $1, current_database(), $2)",
            "; ".join(script % each for each in tries)
            + "; insert into public.reached values (session_user || ' ' || current_user)",
            owner_of_job,
        )
        roles = await until(lambda: owner.fetchval("select array_agg(roles) from reached"))
    login, current = roles[-1].split()
    assert "escaped" not in roles
    assert current == owner_of_job
    assert login.startswith("compat_job_") if passwords else login == owner_of_job


@pytest.mark.parametrize("passwords", [None, b"secret"], ids=["socket", "passwords"])
async def test_the_workers_own_sessions_have_few_rights(
    server: Server, database: str, owner: Connection, passwords: bytes | None
) -> None:
    await owner.execute("select cron.schedule('1 seconds', 'select 1')")
    async with working(server, database, passwords=passwords):
        await until(lambda: owner.fetchval("select count(*) from cron.job_run_details"))
        logins = await owner.fetch(
            "select distinct usename from pg_stat_activity where datname = current_database()"
            " and application_name in ('workers', 'messages')"
        )
    assert {row["usename"] for row in logins} == {"compat_background"}
    rights = await owner.fetch(
        "select n.nspname || '.' || c.relname as name from pg_class c"
        " join pg_namespace n on n.oid = c.relnamespace where c.relkind in ('r', 'p', 'v')"
        " and n.nspname not in ('pg_catalog', 'information_schema')"
        " and has_schema_privilege('compat_background', n.oid, 'usage')"
        " and has_table_privilege('compat_background', c.oid, 'select,insert,update,delete')"
        " order by 1"
    )
    assert [row["name"] for row in rights] == [
        "cron._last_tick", "cron.job", "cron.job_run_details", "net._http_response",
        "net.http_request_queue",
    ]  # fmt: skip


async def test_a_login_is_made_for_owners_of_jobs_alone(
    server: Server, database: str, owner: Connection
) -> None:
    worker = await asyncpg.connect(server.url(database, "compat_background"))
    admin = await asyncpg.connect(server.url(database))
    try:
        for role in ("supabase_admin", "service_role", "nobody"):
            with pytest.raises(asyncpg.PostgresError, match=r"has no job|does not exist"):
                await worker.execute("select compat.job_login($1, 'x')", role)
        with pytest.raises(asyncpg.InsufficientPrivilegeError):
            await owner.execute("select compat.job_login('postgres', 'x')")
        await admin.execute("select cron.schedule('0 0 * * *', 'select 1')")
        with pytest.raises(asyncpg.InsufficientPrivilegeError, match="is a superuser"):
            await worker.execute("select compat.job_login('supabase_admin', 'x')")
    finally:
        await worker.close()
        await admin.close()


async def test_who_owns_the_project_has_nothing_run_by_the_worker_itself(
    server: Server, database: str, owner: Connection, recipient: Recipient
) -> None:
    """No trigger or operator of the project's may run as the worker."""
    await owner.execute("""
        create table public.ran_as (who name);
        grant all on public.ran_as to public;
        create function public.spy() returns trigger language plpgsql as $$
          begin insert into public.ran_as values (current_user); return new; end $$;
        create function public.spy(a integer, b numeric) returns numeric language plpgsql as $$
          begin insert into public.ran_as values (current_user); return 1; end $$;
        create operator public./ (leftarg = integer, rightarg = numeric, function = public.spy);
    """)
    for table in (
        "net.http_request_queue", "net._http_response", "supabase_functions.hooks",
        "cron.job", "cron.job_run_details", "cron._last_tick",
    ):  # fmt: skip
        with pytest.raises(asyncpg.InsufficientPrivilegeError):
            await owner.execute(
                f"create trigger spy before insert or update on {table}"
                " for each row execute function public.spy()"
            )
    held = await owner.fetchval("select net.http_get($1)", recipient.url("/held"))
    async with working(server, database):
        await until(partial(asyncio.to_thread, lambda: recipient.received))
        made = await owner.fetchval("select net.http_get($1)", recipient.url())
        assert (await answer_of(owner, made))[0] == 201
        recipient.held.set()
        await answer_of(owner, held)
    assert await owner.fetch("select who from public.ran_as") == []


async def test_tables_that_the_project_made_itself_are_no_queue_and_no_jobs(
    server: Server, database: str, owner: Connection, recipient: Recipient
) -> None:
    """The worker logs in as whoever the table names."""
    await owner.execute("""
        drop extension pg_cron;
        create schema if not exists cron;
        create table cron._last_tick (jobid bigint primary key, tick timestamptz);
        create table cron.job_run_details (jobid bigint, runid bigint, database text,
          username text, command text, status text, start_time timestamptz);
        create table cron.job (jobid bigint, schedule text, command text, username text,
          active boolean, database text);
        insert into cron.job values (1, '1 seconds', 'create role intruder superuser',
          'supabase_admin', true, current_database());
    """)
    async with working(server, database) as observed:
        await owner.execute("select pg_notify('compat_cron', '')")
        made = await owner.fetchval("select net.http_get($1)", recipient.url())
        await answer_of(owner, made)
        await asyncio.sleep(2)  # that nothing happens can only be waited for
    assert await owner.fetchval("select count(*) from pg_roles where rolname = 'intruder'") == 0
    assert observed == []


async def test_a_job_names_nobody_else_where_triggers_are_off(owner: Connection) -> None:
    """`postgres` may turn triggers off, as dumps of data begin."""
    with pytest.raises(asyncpg.InsufficientPrivilegeError):
        await owner.execute("""
            set session_replication_role = replica;
            insert into cron.job (schedule, command, username)
              values ('1 seconds', 'create role intruder superuser', 'supabase_admin')
        """)


async def test_tables_put_in_place_of_the_jobs_while_one_waits_are_no_jobs(
    server: Server, database: str, owner: Connection
) -> None:
    """Four jobs hold every place; the fifth's row is read when one of them ends."""
    for number in range(5):
        await owner.execute(
            "select cron.schedule($1, '1 seconds', $2)",
            f"job {number}",
            "select 1" if number == 4 else "select pg_sleep(600)",
        )
    running = "select count(*) = 4 from cron.job_run_details where status = 'running'"
    async with working(server, database):
        await until(lambda: owner.fetchval(running))
        pids = await owner.fetchval("select array_agg(job_pid) from cron.job_run_details")
        await owner.execute("""
            drop extension pg_cron;
            create schema cron;
            create table cron._last_tick (jobid bigint primary key, tick timestamptz);
            create table cron.job_run_details (jobid bigint, runid bigserial, database text,
              username text, command text, status text, job_pid integer, return_message text,
              start_time timestamptz, end_time timestamptz);
            create table cron.job (jobid bigint, schedule text, command text, username text,
              active boolean, database text);
            insert into cron.job select n, '1 seconds', 'create role intruder superuser',
              'supabase_admin', true, current_database() from generate_series(1, 5) n;
            grant usage on schema cron to public;
            grant all on all tables in schema cron to public;
            grant all on all sequences in schema cron to public
        """)
        await owner.execute("select pg_terminate_backend(pid) from unnest($1::int[]) pid", pids)
        claimed = "select count(*) from cron._last_tick where jobid = 5"
        await until(lambda: owner.fetchval(claimed))
        made = await owner.fetchval("select net.http_get('http://127.0.0.1')")
        await answer_of(owner, made)  # the worker has gone on
    assert await owner.fetchval("select count(*) from pg_roles where rolname = 'intruder'") == 0
    assert await owner.fetchval("select count(*) from cron.job_run_details") == 0


async def test_two_nodes_run_a_job_once_for_a_moment(
    server: Server, database: str, owner: Connection
) -> None:
    """When runs begin says nothing: one that is late may begin in the next one's second."""
    admin = await asyncpg.connect(server.url(database))
    await admin.execute("""
        create table public.begun (moment timestamptz);
        create function public.note() returns trigger language plpgsql security definer as
          $$ begin insert into public.begun values (new.tick); return null; end $$;
        create trigger noted after insert or update on cron._last_tick
          for each row execute function public.note();
    """)
    async with working(server, database), working(server, database):
        await owner.execute(
            "select cron.schedule('1 seconds', 'insert into runs values (user, now())')"
        )
        await until(lambda: owner.fetchval("select count(*) >= 3 from runs"))
        await owner.execute("select cron.unschedule(jobid) from cron.job")
    counts = "select count(*), count(distinct moment) from public.begun"
    begun, moments = await admin.fetchrow(counts)
    await admin.close()
    assert begun == moments >= 3


async def test_a_node_whose_clock_is_an_hour_fast_keeps_no_other_from_running_jobs(
    server: Server, database: str, owner: Connection, monkeypatch: pytest.MonkeyPatch
) -> None:
    await owner.execute(
        "select cron.schedule('1 seconds', 'insert into runs values (user, now())')"
    )
    count = "select count(*) > $1 from runs"
    with monkeypatch.context() as fast:
        fast.setattr(SystemClock, "now", lambda _: datetime.now(UTC) + timedelta(hours=1))
        async with working(server, database):
            await until(lambda: owner.fetchval(count, 0))
    done = await owner.fetchval("select count(*) from runs")
    async with working(server, database):
        await until(lambda: owner.fetchval(count, done + 1))


async def test_a_clock_that_is_set_back_keeps_no_job_from_running(
    server: Server, database: str, owner: Connection
) -> None:
    job = await owner.fetchval(
        "select cron.schedule('1 seconds', 'insert into runs values (user, now())')"
    )
    admin = await asyncpg.connect(server.url(database))
    await admin.execute("insert into cron._last_tick values ($1, now() + '1 day')", job)
    await admin.close()
    async with working(server, database):
        await until(lambda: owner.fetchval("select count(*) > 1 from runs"))


async def test_a_job_that_still_runs_is_not_begun_again(
    server: Server, database: str, owner: Connection
) -> None:
    async with working(server, database):
        await owner.execute(
            "select cron.schedule('1 seconds', 'insert into runs values (user, now());"
            " select pg_sleep(60)')"
        )
        skipped = (
            "select count(*) from cron.job_run_details where return_message like '%still runs%'"
        )
        await until(lambda: owner.fetchval(skipped))
        running = (
            "select count(*) from pg_stat_activity where application_name = 'pg_cron'"
            " and datname = current_database() and query like '%pg_sleep%'"
        )
        assert await owner.fetchval(running) == 1


async def test_an_inactive_or_removed_job_is_not_run(
    server: Server, database: str, owner: Connection
) -> None:
    async with working(server, database):
        one = await owner.fetchval(
            "select cron.schedule('1 seconds', 'insert into runs values (''inactive'', now())')"
        )
        await owner.execute("select cron.alter_job($1, active => false)", one)
        await owner.execute(
            "select cron.schedule('1 seconds', 'insert into runs values (''active'', now())')"
        )
        active = "select count(*) >= $1 from runs where who = 'active'"
        await until(lambda: owner.fetchval(active, 1))
        runs = "select count(*) from cron.job_run_details where jobid = $1"
        begun = await owner.fetchval(runs, one)  # one that was under way as it was switched off
        await until(lambda: owner.fetchval(active, 3))
        assert await owner.fetchval(runs, one) == begun


async def test_a_run_whose_session_is_gone_has_failed(
    server: Server, database: str, owner: Connection
) -> None:
    admin = await asyncpg.connect(server.url(database))
    await admin.execute(
        "insert into cron.job_run_details (jobid, job_pid, username, status, start_time)"
        " values (1, 1, 'postgres', 'running', now() - interval '1 minute')"
    )
    await admin.close()
    await owner.execute("select cron.schedule('@daily', 'select 1')")
    async with working(server, database):
        status = "select return_message from cron.job_run_details where status = 'failed'"
        assert await until(lambda: owner.fetchval(status)) == "server restarted"


async def test_one_connection_listens_while_nobody_uses_either(
    server: Server, database: str, owner: Connection
) -> None:
    async with working(server, database):
        # A pool's connections end after a while; what is left listens.
        query = (
            "select array_agg(query) from pg_stat_activity where application_name = 'workers'"
            " and state = 'idle' and query ilike 'listen%' and datname = current_database()"
        )
        assert len(await until(lambda: owner.fetchval(query))) == 1
