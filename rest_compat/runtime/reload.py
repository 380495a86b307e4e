"""Loads settings and schema cache, and swaps the snapshot (I/O; rest reference 13.8 and 16.6)."""

from __future__ import annotations

import asyncio
import contextlib
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace

from compat_base.postgres.faults import PgFault, Unavailable
from compat_base.postgres.pipeline import PipelineSession
from compat_base.values.events import Observation, Observer, Severity
from compat_base.values.settings import SettingsError
from compat_base.values.world import Clock
from rest_compat.catalog.assemble import assemble
from rest_compat.catalog.load import CatalogScope, read_catalog
from rest_compat.execute.faults import error_line
from rest_compat.runtime.backoff import Backoff
from rest_compat.runtime.connection import connected, server_version
from rest_compat.runtime.database_settings import stored_roles, stored_settings
from rest_compat.runtime.listener import Listener, ListenerHooks
from rest_compat.runtime.plan_cache import RoleSettings
from rest_compat.runtime.snapshot import make_snapshot
from rest_compat.settings import LogLevel, Settings, fixed_at_start, with_database

_DEBOUNCE = 0.1  # seconds: a burst of notifications is one reload
_OLDEST_POSTGRESQL = 14_00_00
_LOGIN_REFUSED = ("FATAL:  password authentication failed", "no password supplied")
_QUERY_FAILED = "Failed to query database settings for the config parameters."


@dataclass(frozen=True, slots=True)
class _Stored:
    """What the database keeps of the settings, and of the roles."""

    settings: Mapping[str, str] = field(default_factory=dict[str, str])
    roles: Mapping[str, RoleSettings] = field(default_factory=dict[str, RoleSettings])


@dataclass(frozen=True, slots=True)
class ReloadHooks:
    """The sources of a manager's settings, and its callbacks.

    `adopt`: there is a new snapshot. `flush`: connections made before have an old catalog and old
    settings of their role.
    """

    reread: Callable[[], Settings]
    adopt: Callable[[], None]
    flush: Callable[[], None]


class SchemaCacheManager:
    """Holds the present snapshot and keeps it up to date.

    `pending`: there is no cache, or the last load of it failed. `loading`: a load is under way, or
    failed and will be tried again, so that a request that failed need not ask for one.
    """

    def __init__(self, settings: Settings, clock: Clock, observer: Observer) -> None:
        self.snapshot = make_snapshot(settings)
        self.pending = True
        self.loading = True
        self.unrecoverable = asyncio.Event()
        self.retry_after = 0
        self.loads: Counter[str] = Counter()
        self.load_seconds = 0.0
        self.hooks = ReloadHooks(lambda: settings, lambda: None, lambda: None)
        self._start_settings = settings
        self._is_configured = False
        self._clock = clock
        self._observer = observer
        self._wanted: set[str] = set()
        self._wake = asyncio.Event()
        self.first_attempt = asyncio.Event()
        self.loaded = asyncio.Event()
        self.listener = Listener(
            settings.listen_uri.reveal(),
            settings.channel,
            ListenerHooks(
                self._notified, self.reload_schema, self._end_without_recovery, self._log
            ),
        )
        self.listener.want(wanted=settings.channel_enabled)

    # ── requesting reloads ─────────────────────────────────────────────────────────────────────

    def reload_schema(self) -> None:
        """Request that settings and schema cache are read again."""
        self._request("schema")

    def reload_config(self) -> None:
        """Request that the settings are read again."""
        self._request("config")

    def _request(self, what: str) -> None:
        self._wanted.add(what)
        self._wake.set()

    def _notified(self, payload: str) -> None:
        channel = self._start_settings.channel
        if payload in {"", "reload schema"}:
            self._log(f'Received a schema cache reload message on the "{channel}" channel')
            self.reload_schema()
        elif payload == "reload config":
            self._log(f'Received a config reload message on the "{channel}" channel')
            self.reload_config()

    # ── the task ───────────────────────────────────────────────────────────────────────────────

    async def keep_loaded(self) -> None:
        """Load at the start and at each request, retrying with backoff."""
        self._warn_of_old_path(self._start_settings)
        self._request("schema")
        delay = Backoff()
        while True:
            await self._wake.wait()
            if self.first_attempt.is_set() and delay.is_first:
                await asyncio.sleep(_DEBOUNCE)
            self._wake.clear()
            wanted, self._wanted = self._wanted, set()
            succeeded = await self._try_load(wanted)
            self.first_attempt.set()
            if succeeded or not self._start_settings.pool_recovery:
                self.loading = False
                delay.reset()
                self.retry_after = 0
                continue
            self._wanted |= wanted
            self.retry_after = int(delay.seconds)
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(self._wake.wait(), delay.seconds)
            self._log(f"Attempting to reconnect to the database in {self.retry_after} seconds...")
            delay.grow()
            self._wake.set()

    async def _try_load(self, wanted: set[str]) -> bool:
        if "schema" not in wanted:
            await self._reconfigure()
            return True
        self.loading = True
        try:
            async with connected(self._start_settings) as session:
                return await self._check_version(session) and await self._load(session)
        except (PgFault, Unavailable) as error:
            return self._not_connected(error)

    async def _load(self, session: PipelineSession) -> bool:
        try:
            if self._start_settings.db_config:
                self._adopt(await self._stored(session))
            await self._load_cache(session)
        except (PgFault, Unavailable) as error:
            self.pending = True
            self.loads["FAIL"] += 1
            self._log(self._failure(error))
            return False
        return True

    async def _check_version(self, session: PipelineSession) -> bool:
        """Log the server's version; an unsupported one ends a service that runs alone."""
        number, name = await server_version(session)
        if number < _OLDEST_POSTGRESQL:
            self._log(f"Cannot run in this PostgreSQL version ({name}).")
            self.unrecoverable.set()
            return False
        size = self._start_settings.pool_size
        self._log(f"Successfully connected to {name}")
        self._log(f"Connection Pool initialized with a maximum size of {size} connections")
        return True

    def _not_connected(self, error: PgFault | Unavailable) -> bool:
        if any(words in str(error) for words in _LOGIN_REFUSED):
            self._log(f"Failed to establish a connection. {error_line(error)}")
            self.unrecoverable.set()
        self._log(f"Failed to query the PostgreSQL version. {error_line(error)}")
        self._end_without_recovery()
        return False

    def _end_without_recovery(self) -> None:
        if not self._start_settings.pool_recovery:
            self._log("Automatic recovery disabled, exiting.")
            self.unrecoverable.set()

    def _failure(self, error: PgFault | Unavailable) -> str:
        settings = self.snapshot.settings
        return (
            f"Failed to load the schema cache using db-schemas={','.join(settings.schemas)}"
            f" and db-extra-search-path={','.join(settings.extra_schemas)}. {error_line(error)}"
        )

    # ── settings ───────────────────────────────────────────────────────────────────────────────

    async def _reconfigure(self) -> None:
        """Read the settings alone; without the database, those kept in it are left out."""
        found = _Stored()
        if self.snapshot.settings.db_config:
            try:
                async with connected(self._start_settings) as session:
                    found = await self._stored(session)
            except Unavailable as error:
                self._log(f"{_QUERY_FAILED}{error_line(error)}")
        self._adopt(found)

    async def _stored(self, session: PipelineSession) -> _Stored:
        """The database's settings and roles; failures are logged, and they are left out."""
        stored: Mapping[str, str] = {}
        try:
            stored = await stored_settings(session, self.snapshot.settings)
        except PgFault as error:
            self._log(f"{_QUERY_FAILED}{error_line(error)}")
        try:
            return _Stored(stored, await stored_roles(session))
        except PgFault as error:
            self._log(f"{_QUERY_FAILED}{error_line(error)}")
            return _Stored(stored)

    def _adopt(self, found: _Stored) -> None:
        """Take the settings anew, where they are kept; those of the database on top.

        The first time is part of the start, so it takes also what later ones leave as it was.
        """
        before = self.snapshot.settings
        try:
            settings = with_database(self.hooks.reread(), found.settings)
        except SettingsError as error:
            self._log(f"Failed reloading config: Error in config {error}")
            return
        if self._is_configured:
            settings = _keeping_fixed(before, settings)
        self._is_configured = True
        self.snapshot = make_snapshot(settings, self.snapshot.cache, found.roles)
        self.hooks.adopt()
        self._warn_of_old_path(settings)
        if settings.channel_enabled != before.channel_enabled:
            self.listener.want(wanted=settings.channel_enabled)
        self._log("Config reloaded")

    def _warn_of_old_path(self, settings: Settings) -> None:
        if settings.role_claim_path.is_old:
            key = f"`jwt-role-claim-key={settings.role_claim_path.text}`"
            self._log(f"WARNING: The config {key} is using the deprecated JSPath syntax.")
            self._log(
                f"Update {key} to the new JSONPath syntax as support for JSPath will be removed in"
                " a future release. See the migration guide on how to update: "
                "https://github.com/PostgREST/postgrest/blob/main/CHANGELOG.md#migration-to-v16"
            )

    # ── the schema cache ───────────────────────────────────────────────────────────────────────

    async def _load_cache(self, session: PipelineSession) -> None:
        settings = self.snapshot.settings
        scope = CatalogScope(
            settings.schemas,
            settings.extra_schemas,
            settings.hoisted,
            settings.sleep_first,
            settings.sleep_last,
        )
        began = self._clock.monotonic()
        rows, times = await read_catalog(session, scope, self._clock)
        self.load_seconds = self._clock.monotonic() - began
        cache = await asyncio.to_thread(assemble, rows, scope.schemas)
        assembled = self._clock.monotonic() - began - self.load_seconds
        self.snapshot = make_snapshot(settings, cache, self.snapshot.roles)
        self.hooks.adopt()
        self.hooks.flush()
        self.pending = False
        self.loaded.set()
        self.loads["SUCCESS"] += 1
        self._log(f"Schema cache queried in {self.load_seconds * 1000:.1f} milliseconds ")
        if settings.log_level is LogLevel.DEBUG:
            self._log(", ".join(f"{name}: {spent * 1000:.1f} ms" for name, spent in times.items()))
        counts = (
            f"{len(cache.tables)} Relations, {len(cache.relationships)} Relationships,"
            f" {len(cache.routines)} RPCs, {len(cache.representations)} Domain Representations,"
            f" {len(cache.handlers)} Media Type Handlers"
        )
        self._log(f"Schema cache loaded {counts}")
        self._log(f"Schema cache loaded in {assembled * 1000:.1f} milliseconds")

    def _log(self, text: str) -> None:
        self._observer(Observation("manager", Severity.INFO, {"text": text}))


def _keeping_fixed(before: Settings, changed: Settings) -> Settings:
    """The changed settings with those that only a restart changes."""
    return replace(
        changed, **{name: getattr(before, name) for name in fixed_at_start(type(before))}
    )
