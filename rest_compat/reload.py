"""Loads settings and schema cache, listens for NOTIFY, and swaps the snapshot (I/O)."""

from __future__ import annotations

import asyncio
import contextlib
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from compat_base.database import Connection, connect, fetch, run_script
from compat_base.events import Observation, Observer, Severity
from compat_base.faults import PgFault, Unavailable
from compat_base.settings import SettingsError
from compat_base.sqltext import Statement, compile_sql, ident, raw
from compat_base.world import Clock
from rest_compat.catalog.load import QUERIES, CatalogScope, load_schema_cache
from rest_compat.connection import APPLICATION_NAME, as_url
from rest_compat.settings import DATABASE_KEYS, FIXED_AT_START, Settings, with_database
from rest_compat.snapshot import RoleSettings, Snapshot, make_snapshot

_LONGEST_DELAY = 32.0  # seconds
_DEBOUNCE = 0.1  # seconds: a burst of notifications is one reload
_OLDEST_POSTGRESQL = 14
_LOGIN_REFUSED = "28P01"
_ISOLATION = "default_transaction_isolation"


class Keeper:
    """Holds the present snapshot and keeps it up to date."""

    def __init__(self, settings: Settings, clock: Clock, observer: Observer) -> None:
        self.snapshot = make_snapshot(settings)
        self.loading = True
        self.hopeless = asyncio.Event()
        self.retry_after = 0
        self.loads = {"SUCCESS": 0, "FAIL": 0}
        self.load_seconds = 0.0
        self._start_settings = settings
        self._dsn = as_url(settings.db_uri.reveal())
        self._clock = clock
        self._observer = observer
        self._generation = 0
        self._wanted: set[str] = set()
        self._wake = asyncio.Event()
        self.first_attempt = asyncio.Event()
        self.loaded = asyncio.Event()

    # ── asking for reloads ─────────────────────────────────────────────────────────────────────

    def reload_schema(self) -> None:
        """Ask for settings and schema cache to be read again."""
        self._ask("schema")

    def reload_config(self, settings: Settings | None = None) -> None:
        """Ask for the settings to be read again, over these where a file was read anew."""
        if settings is not None:
            self._start_settings = _keeping_fixed(self._start_settings, settings)
        self._ask("config")

    def _ask(self, what: str) -> None:
        self._wanted.add(what)
        self._wake.set()

    # ── the two tasks ──────────────────────────────────────────────────────────────────────────

    async def keep_loaded(self) -> None:
        """Load at the start and whenever asked, retrying with growing delays."""
        self._ask("schema")
        delay = 1.0
        while True:
            await self._wake.wait()
            if self.first_attempt.is_set() and delay == 1.0:
                await asyncio.sleep(_DEBOUNCE)
            self._wake.clear()
            wanted, self._wanted = self._wanted, set()
            succeeded = await self._try_load(wanted)
            self.first_attempt.set()
            if succeeded:
                delay, self.retry_after = 1.0, 0
                continue
            self._wanted |= wanted
            self.retry_after = int(delay)
            facts = {"text": f"Attempting to reconnect to the database in {int(delay)} seconds..."}
            self._observer(Observation("reconnecting", Severity.ERROR, facts))
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(self._wake.wait(), delay)
            delay = min(delay * 2, _LONGEST_DELAY)
            self._wake.set()

    async def listen(self) -> None:
        """Listen on the channel; after a lost connection listen again and reload."""
        channel = self._start_settings.channel
        delay, lost = 1.0, False
        while True:
            try:
                async with connect(self._dsn, application_name=APPLICATION_NAME) as connection:
                    closed = await self._listen_on(connection, channel)
                    self._say("listener_connected", _listening(connection, channel))
                    if lost:
                        self.reload_schema()
                    delay = 1.0
                    await closed.wait()
                    lost = True
                    raise Unavailable("connection to server lost")  # noqa: TRY301 — as if refused
            except (PgFault, Unavailable) as error:
                lost = True
                text = f'Failed listening for database notifications on the "{channel}" channel.'
                self._say("listener_failed", f"{text} {_one_line(error)}")
                self._say(
                    "listener_retrying",
                    f"Retrying listening for database notifications in {int(delay)} seconds...",
                )
                await asyncio.sleep(delay)
                delay = min(delay * 2, _LONGEST_DELAY)

    async def _listen_on(self, connection: Connection, channel: str) -> asyncio.Event:
        closed = asyncio.Event()

        def heard(_connection: Any, _pid: int, _channel: str, payload: object) -> None:
            self._heard(str(payload), channel)

        connection.add_termination_listener(lambda _connection: closed.set())
        await connection.add_listener(channel, heard)
        await run_script(connection, compile_sql(raw("LISTEN ") + ident(channel)).text)
        return closed

    def _heard(self, payload: str, channel: str) -> None:
        if payload in {"", "reload schema"}:
            self._say(
                "schema_notified",
                f'Received a schema cache reload message on the "{channel}" channel',
            )
            self.reload_schema()
        elif payload == "reload config":
            self._say(
                "config_notified", f'Received a config reload message on the "{channel}" channel'
            )
            self.reload_config()

    # ── loading ────────────────────────────────────────────────────────────────────────────────

    async def _try_load(self, wanted: set[str]) -> bool:
        self.loading = True
        try:
            async with connect(self._dsn, application_name=APPLICATION_NAME) as connection:
                self._greet(connection)
                snapshot = await self._configured(connection)
                if "schema" in wanted:
                    snapshot = await self._with_cache(connection, snapshot)
        except (PgFault, Unavailable) as error:
            self._end_if_hopeless(error)
            self.loads["FAIL"] += "schema" in wanted
            facts = {"text": self._failure(error)}
            self._observer(Observation("schema_cache_failed", Severity.ERROR, facts))
            return False
        finally:
            self.loading = False
        self.snapshot = snapshot
        if snapshot.cache is not None:
            self.loaded.set()
        return True

    def _greet(self, connection: Connection) -> None:
        """Tell the server's version; one that is too old ends the service that runs alone."""
        version = connection.get_server_version()
        text = f"PostgreSQL {version.major}.{version.minor}"
        if not self.first_attempt.is_set():
            self._say("connected", f"Successfully connected to {text}")
        if version.major < _OLDEST_POSTGRESQL:
            self._say("hopeless", f"Cannot run in this PostgreSQL version ({text}).")
            self.hopeless.set()

    def _end_if_hopeless(self, error: PgFault | Unavailable) -> None:
        """A refused password does not get better by waiting; nor anything, if so configured."""
        is_refused = isinstance(error, PgFault) and error.fault.sqlstate == _LOGIN_REFUSED
        if is_refused or not self._start_settings.pool_recovery:
            self._say("hopeless", f"Failed to establish a connection. {_one_line(error)}")
            if not self._start_settings.pool_recovery:
                self._say("hopeless", "Automatic recovery disabled, exiting.")
            self.hopeless.set()

    def _failure(self, error: PgFault | Unavailable) -> str:
        settings = self.snapshot.settings
        return (
            f"Failed to load the schema cache using db-schemas={','.join(settings.schemas)}"
            f" and db-extra-search-path={','.join(settings.extra_schemas)}. {_one_line(error)}"
        )

    async def _configured(self, connection: Connection) -> Snapshot:
        """The present snapshot with settings and role settings read anew."""
        settings, roles = self._start_settings, dict[str, RoleSettings]()
        if settings.db_config:
            try:
                found = await _database_settings(connection, settings)
                settings = _keeping_fixed(settings, with_database(settings, found))
            except SettingsError as error:
                self._say("config_failed", f"Failed reloading config: {error}")
                settings = self.snapshot.settings
            roles = await _role_settings(connection)
        if self.first_attempt.is_set():
            self._say("config_loaded", "Config reloaded")
        return make_snapshot(settings, self.snapshot.cache, roles)

    async def _with_cache(self, connection: Connection, snapshot: Snapshot) -> Snapshot:
        settings = snapshot.settings
        scope = CatalogScope(
            settings.schemas,
            settings.extra_schemas,
            settings.hoisted,
            settings.sleep_first,
            settings.sleep_last,
        )
        began = self._clock.monotonic()
        self._generation += 1
        cache = await load_schema_cache(connection, scope, self._generation)
        self.load_seconds = self._clock.monotonic() - began
        self.loads["SUCCESS"] += 1
        self._say(
            "schema_cache_queried",
            f"Schema cache queried in {self.load_seconds * 1000:.1f} milliseconds",
        )
        counts = (
            f"{len(cache.tables)} Relations, {len(cache.relationships)} Relationships,"
            f" {len(cache.routines)} RPCs, {len(cache.representations)} Domain Representations,"
            f" {len(cache.handlers)} Media Type Handlers"
        )
        self._say("schema_cache_loaded", f"Schema cache loaded {counts}")
        return make_snapshot(settings, cache, snapshot.roles)

    def _say(self, name: str, text: str) -> None:
        self._observer(Observation(name, Severity.INFO, {"text": text}))


async def _database_settings(connection: Connection, settings: Settings) -> Mapping[str, str]:
    """What the database says: the pre-config function's values under those of the role."""
    names = [f"pgrst.{key.replace('-', '_')}" for key in DATABASE_KEYS]
    found: dict[str, str] = {}
    if settings.pre_config is not None:
        await run_script(connection, "begin read only")
        try:
            call = raw("select ") + settings.pre_config.sql() + raw("()")
            await run_script(connection, compile_sql(call).text)
            rows = await fetch(
                connection,
                Statement(
                    "select substr(x, 7) as name, current_setting(x, true) as value"
                    " from unnest($1::text[]) x",
                    (names,),
                ),
            )
        finally:
            await run_script(connection, "rollback")
        found.update((row["name"], row["value"]) for row in rows if row["value"] is not None)
    rows = await fetch(connection, Statement(QUERIES["database_settings"], (names,)))
    return found | {row["name"]: row["value"] for row in rows}


async def _role_settings(connection: Connection) -> dict[str, RoleSettings]:
    rows = await fetch(connection, Statement(QUERIES["role_settings"]))
    by_role: defaultdict[str, list[tuple[str, str]]] = defaultdict(list)
    for row in rows:
        by_role[row["role"]].append((row["name"], row["value"]))
    return {
        role: RoleSettings(
            tuple(pair for pair in pairs if pair[0] != _ISOLATION), dict(pairs).get(_ISOLATION)
        )
        for role, pairs in by_role.items()
    }


def _keeping_fixed(start: Settings, changed: Settings) -> Settings:
    """The changed settings with those that only a restart changes."""
    return replace(changed, **{name: getattr(start, name) for name in FIXED_AT_START})


def _listening(connection: Connection, channel: str) -> str:
    version = connection.get_server_version()
    return (
        f"Listener connected to PostgreSQL {version.major}.{version.minor}"
        f' and listening for database notifications on the "{channel}" channel'
    )


def _one_line(error: Exception) -> str:
    return " ".join(str(error).split())
