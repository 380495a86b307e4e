"""The jobs of pg_cron: each begun once for a moment, on whichever node is first, as its owner.

A node records the moment for which it begins a job, and later nodes find the record. A job that
still runs is not begun again: its session holds a lock. A run whose session is gone has failed.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from compat_base.postgres.database import Connection, Database, Record, connect, fetch, fetch_one
from compat_base.postgres.faults import PgFault, Unavailable
from compat_base.tasks import Supervisor, raise_if_cancelled
from compat_base.values.sqltext import Statement, compile_sql, ident, raw
from compat_stack.background.logins import Logins
from compat_stack.background.ownership import owned
from compat_stack.background.schedule import ScheduleError, parse_schedule

MOST_AT_ONCE = 4  # jobs of one node
_LONGEST_SLEEP = 60.0  # seconds; a clock that is set anew is noticed then
_LATEST = timedelta(seconds=60)  # a moment that passed longer ago is passed over
_APPLICATION = "pg_cron"
_OURS = owned(("cron", "job"), ("cron", "_last_tick"), ("cron", "job_run_details"))
_PRESENT = Statement(f"select {_OURS} as is_ours")
_JOBS = Statement(
    "select jobid, schedule, command, username from cron.job"
    " where active and database = current_database() order by jobid"
)
_CLAIM = """
insert into cron._last_tick as t (jobid, tick)
select jobid, $2 from cron.job where jobid = $1 and active
on conflict (jobid) do update set tick = excluded.tick where t.tick < excluded.tick
returning jobid
"""
_BEGIN = """
insert into cron.job_run_details (jobid, database, username, command, status, start_time)
values ($1, current_database(), $2, $3, 'starting', clock_timestamp()) returning runid
"""
_RUNNING = "update cron.job_run_details set status = 'running', job_pid = $2 where runid = $1"
_END = """
update cron.job_run_details
set status = $2, return_message = $3, end_time = clock_timestamp() where runid = $1
"""
_SWEEP = Statement("""
with old as (
  delete from cron.job_run_details where start_time < now() - interval '7 days'
)
update cron.job_run_details as d
set status = 'failed', return_message = 'server restarted', end_time = clock_timestamp()
where d.status in ('starting', 'running') and d.start_time < now() - interval '10 seconds'
  and not exists (
    select from pg_catalog.pg_locks as l  -- of foreign sessions pg_stat_activity says nothing
    where l.locktype = 'advisory' and l.pid = d.job_pid and l.objsubid = 2
      and l.classid = (hashtext('cron.job')::bigint & 4294967295)::oid
  )
""")
_LOCK = "select pg_try_advisory_lock(hashtext('cron.job'), $1::bigint::integer)"


@dataclass(frozen=True, slots=True)
class Job:
    """A job that is active."""

    number: int
    schedule: str
    command: str
    owner: str


def due(jobs: Sequence[Job], since: datetime, now: datetime) -> list[tuple[Job, datetime]]:
    """The jobs that came due after `since`, each with its last moment; no later than a minute."""
    found: list[tuple[Job, datetime]] = []
    for job in jobs:
        moment, last = _next(job, max(since, now - _LATEST)), None
        while moment is not None and moment <= now:
            moment, last = _next(job, moment), moment
        if last is not None:
            found.append((job, last))
    return found


def until_next(jobs: Sequence[Job], now: datetime) -> float:
    """Seconds until a job is due, a minute at most."""
    moments = [moment for job in jobs if (moment := _next(job, now)) is not None]
    left = ((moment - now).total_seconds() for moment in moments)
    return min((*left, _LONGEST_SLEEP))


def _next(job: Job, moment: datetime) -> datetime | None:
    try:
        return parse_schedule(job.schedule).next_after(moment)
    except ScheduleError:  # @reboot
        return None


class JobRunner:
    """Runs due jobs and records their results."""

    def __init__(self, database: Database, logins: Logins, tasks: Supervisor) -> None:
        self._database = database
        self._logins = logins
        self._tasks = tasks
        self._places = asyncio.Semaphore(MOST_AT_ONCE)
        self._seen: datetime | None = None

    async def is_needed(self) -> bool:
        """Whether the database has pg_cron's tables, owned as they must be."""
        async with self._database.acquire() as connection:
            row = await fetch_one(connection, _PRESENT)
        return row is not None and bool(row["is_ours"])

    async def run_at_start(self) -> None:
        """Run the jobs of `@reboot`."""
        now, jobs = await self._jobs()
        for job in jobs:
            if job.schedule.strip().lower() == "@reboot":
                self._tasks.start(self._run(job, now), f"pg_cron job {job.number}")

    async def run_due(self) -> float | None:
        """Begin the due jobs; seconds until the next one, None without any job."""
        now, jobs = await self._jobs()
        for job, moment in due(jobs, self._seen or now, now):
            self._tasks.start(self._run(job, moment), f"pg_cron job {job.number}")
        self._seen = now
        return until_next(jobs, now) if jobs else None

    async def sweep(self) -> None:
        """Fail the runs whose session is gone, and delete those older than a week."""
        async with self._database.acquire() as connection:
            await fetch(connection, _SWEEP)

    async def _jobs(self) -> tuple[datetime, list[Job]]:
        """The active jobs, and the database's clock, which all nodes share."""
        is_needed = await self.is_needed()  # else dropped, and made anew by somebody else
        async with self._database.acquire() as connection:
            rows: Sequence[Record] = await fetch(connection, _JOBS) if is_needed else ()
            now: datetime = await connection.fetchval("select clock_timestamp()")
        return now, [
            Job(row["jobid"], row["schedule"], row["command"], row["username"]) for row in rows
        ]

    async def _run(self, job: Job, moment: datetime) -> None:
        async with self._places:
            async with self._database.acquire() as connection:
                if await connection.fetchval(_CLAIM, job.number, moment) is None:
                    return  # another node was first, or the job is gone
                run = await connection.fetchval(_BEGIN, job.number, job.owner, job.command)
            status, message = await self._outcome(job, run)
            async with self._database.acquire() as connection:
                await connection.execute(_END, run, status, message)

    async def _outcome(self, job: Job, run: int) -> tuple[str, str]:
        try:
            url, role = await self._logins.url_of(job.owner)
            async with connect(url, application_name=_APPLICATION) as connection:
                if not await connection.fetchval(_LOCK, job.number % (1 << 31)):
                    return "failed", "the job still runs since its last moment"
                async with self._database.acquire() as own:
                    await own.execute(_RUNNING, run, connection.get_server_pid())
                return "succeeded", await _execute(connection, job.command, role)
        except PgFault as fault:
            self._logins.forget(job.owner)
            return "failed", f"ERROR: {fault.fault.message}"
        except (Unavailable, OSError) as error:
            raise_if_cancelled()
            return "failed", f"connection failed: {error}"


async def _execute(connection: Connection, command: str, role: str | None) -> str:
    if role is not None:
        await connection.execute(compile_sql(raw("set role ") + ident(role)).text)
    return await connection.execute(command)
