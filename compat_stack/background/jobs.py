"""The jobs of pg_cron: each begun once for a moment, on whichever node is first, as its owner.

A node records the moment for which it begins a job, and later nodes find the record. A job that
still runs is not begun again: its session holds a lock. A run whose session is gone has failed.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import TypeAlias

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
# How far the clock may be set back before the moments that come again count again: as in the
# original, a job with a time of day is not run twice where that was less
_SET_BACK = {True: timedelta(minutes=1), False: timedelta(hours=3)}
_APPLICATION = "pg_cron"
_OURS = owned(("cron", "job"), ("cron", "_last_tick"), ("cron", "job_run_details"))
_PRESENT = Statement(f"select {_OURS} as is_ours")
_JOBS = Statement(
    "select schedule, array_agg(jobid order by jobid) as jobs from cron.job"
    " where active and database = current_database() group by schedule"
)
_CLAIM = """
insert into cron._last_tick as t (jobid, tick)
select jobid, $2 from cron.job where jobid = $1 and active
on conflict (jobid) do update set tick = excluded.tick
where t.tick < excluded.tick or t.tick > excluded.tick + $3::interval
returning jobid
"""
# Checked again with the row that names whom a job runs as: while a due job is queued, the project's
# owner may put other tables in place of these.
_BEGIN = f"""
insert into cron.job_run_details (jobid, database, username, command, status, start_time)
select jobid, database, username, command, 'starting', clock_timestamp()
from cron.job where jobid = $1 and {_OURS} returning runid, jobid, username, command
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


Jobs: TypeAlias = Mapping[str, Sequence[int]]
"""The numbers of the active jobs, by their schedules."""


@dataclass(frozen=True, slots=True)
class Run:
    """A run of a job that was begun."""

    number: int
    job: int
    command: str
    owner: str


@dataclass(frozen=True, slots=True)
class Moment:
    """A moment that a job is begun for, and how far the clock may be set back until it counts."""

    at: datetime
    set_back: timedelta = _SET_BACK[False]


def due(schedules: Iterable[str], since: datetime, now: datetime) -> list[tuple[str, datetime]]:
    """The schedules that came due after `since`, with their last moments of the last minute."""
    found: list[tuple[str, datetime]] = []
    for schedule in schedules:
        moment, last = _next(schedule, max(since, now - _LATEST)), None
        while moment is not None and moment <= now:
            moment, last = _next(schedule, moment), moment
        if last is not None:
            found.append((schedule, last))
    return found


def until_next(schedules: Iterable[str], now: datetime) -> float:
    """Seconds until a schedule is due, a minute at most."""
    moments = [moment for each in schedules if (moment := _next(each, now)) is not None]
    left = ((moment - now).total_seconds() for moment in moments)
    return min((*left, _LONGEST_SLEEP))


def _next(schedule: str, moment: datetime) -> datetime | None:
    try:
        return parse_schedule(schedule).next_after(moment)
    except ScheduleError:  # @reboot
        return None


class JobRunner:
    """Runs due jobs and records their results."""

    def __init__(self, database: Database, logins: Logins, tasks: Supervisor) -> None:
        self._database = database
        self._logins = logins
        self._tasks = tasks
        self._waiting: dict[int, Moment] = {}
        self._running = 0
        self._seen: datetime | None = None

    async def is_needed(self) -> bool:
        """Whether the database has pg_cron's tables, owned as they must be."""
        async with self._database.acquire() as connection:
            row = await fetch_one(connection, _PRESENT)
        return row is not None and bool(row["is_ours"])

    async def run_at_start(self) -> None:
        """Run the jobs of `@reboot`."""
        now, jobs = await self._jobs()
        for schedule in jobs:
            if schedule.strip().lower() == "@reboot":
                self._begin(jobs[schedule], Moment(now))

    async def run_due(self) -> float | None:
        """Begin the due jobs; seconds until the next one, None without any job."""
        now, jobs = await self._jobs()
        for schedule, moment in due(jobs, self._seen or now, now):
            set_back = _SET_BACK[parse_schedule(schedule).is_frequent]
            self._begin(jobs[schedule], Moment(moment, set_back))
        self._seen = now
        return until_next(jobs, now) if jobs else None

    def _begin(self, jobs: Sequence[int], moment: Moment) -> None:
        """Run jobs as places become free; one that waits already waits for its last moment."""
        self._waiting |= dict.fromkeys(jobs, moment)
        for _ in range(min(MOST_AT_ONCE - self._running, len(self._waiting))):
            self._running += 1
            self._tasks.start(self._run_waiting(), "pg_cron jobs")

    async def _run_waiting(self) -> None:
        try:
            while self._waiting:
                job = next(iter(self._waiting))
                await self._run(job, self._waiting.pop(job))
        finally:
            self._running -= 1

    async def sweep(self) -> None:
        """Fail the runs whose session is gone, and delete those older than a week."""
        async with self._database.acquire() as connection:
            await fetch(connection, _SWEEP)

    async def _jobs(self) -> tuple[datetime, Jobs]:
        """The active jobs, and the time by the database's clock, which all nodes share."""
        is_needed = await self.is_needed()  # else dropped, and made anew by somebody else
        async with self._database.acquire() as connection:
            rows: Sequence[Record] = await fetch(connection, _JOBS) if is_needed else ()
            now: datetime = await connection.fetchval("select clock_timestamp()")
        return now, {row["schedule"]: row["jobs"] for row in rows}

    async def _run(self, job: int, moment: Moment) -> None:
        async with self._database.acquire() as connection:
            if await connection.fetchval(_CLAIM, job, moment.at, moment.set_back) is None:
                return  # another node was first, or the job is gone
            row = await connection.fetchrow(_BEGIN, job)
        if row is None:
            return
        run = Run(row["runid"], row["jobid"], row["command"], row["username"])
        status, message = await self._outcome(run)
        async with self._database.acquire() as connection:
            await connection.execute(_END, run.number, status, message)

    async def _outcome(self, run: Run) -> tuple[str, str]:
        try:
            url, role = await self._logins.url_of(run.owner)
            async with connect(url, application_name=_APPLICATION) as connection:
                if not await connection.fetchval(_LOCK, run.job % (1 << 31)):
                    return "failed", "the job still runs since its last moment"
                async with self._database.acquire() as own:
                    await own.execute(_RUNNING, run.number, connection.get_server_pid())
                return "succeeded", await _execute(connection, run.command, role)
        except PgFault as fault:
            self._logins.forget(run.owner)
            return "failed", f"ERROR: {fault.fault.message}"
        except (Unavailable, OSError) as error:
            raise_if_cancelled()
            return "failed", f"connection failed: {error}"


async def _execute(connection: Connection, command: str, role: str | None) -> str:
    if role is not None:
        await connection.execute(compile_sql(raw("set role ") + ident(role)).text)
    return await connection.execute(command)
