"""The database of the settings: a server's, or the embedded one, started and stopped."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import replace

from compat_base.postgres.faults import PgFault, Unavailable
from compat_base.process import DATABASE_SECONDS, Shutdown
from compat_stack.embedded import postgres
from compat_stack.embedded.loopback import usable_port
from compat_stack.embedded.supervisor import EmbeddedDatabase
from compat_stack.embedded.vault_key import lend_vault_key
from compat_stack.process.output import say
from compat_stack.settings import Settings


@contextmanager
def running_database(
    settings: Settings, ending: Shutdown, *, is_watched: bool = True
) -> Generator[str]:
    """The URL of the database for the length of the block; the embedded one stops after it.

    `is_watched`: a thread restarts the embedded one when it dies. Raises PostgresError, OSError.
    """
    if settings.database_url is not None:
        yield settings.database_url
        return
    cluster = _cluster(settings)
    database = EmbeddedDatabase(cluster)
    ending.stop_database = database.stop
    try:
        if not cluster.data.exists():
            say("  making the database")
        lend_vault_key(settings.data_dir, cluster)
        database.start(is_watched=is_watched)
        yield cluster.url()
    except (PgFault, Unavailable) as error:
        if postgres.is_disk_full(cluster):
            message = f"the disk of {settings.data_dir} is full: make room and start again"
            raise postgres.PostgresError(message) from error
        raise
    finally:
        database.stop(DATABASE_SECONDS if ending.is_begun() else postgres.STOP_SECONDS)


def _cluster(settings: Settings) -> postgres.Cluster:
    folder = settings.data_dir / "postgres"
    found = postgres.embedded_cluster(folder, settings.programs, workers=settings.workers)
    wanted = settings.database_port
    if wanted is None:
        return replace(found, port=postgres.DEFAULT_PORT, has_tcp=False)
    is_ours = found.port == wanted and postgres.running_pid(found) is not None
    port = wanted if is_ours else usable_port(wanted)
    if wanted and port != wanted:
        say(f"  port {wanted} is taken: the database is at {port}")
    return replace(found, port=port, has_tcp=True)
