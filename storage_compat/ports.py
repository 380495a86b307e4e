"""The dependencies of flows, and the context of a request."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime

from compat_base.tasks import Supervisor
from compat_base.values.events import Observer
from compat_base.values.world import World
from storage_compat.files.images import Renderer
from storage_compat.files.port import ByteStore
from storage_compat.model.caller import Caller, Facts
from storage_compat.settings import Settings
from storage_compat.store.sessions import Sessions


@dataclass(frozen=True, slots=True)
class Dependencies:
    """The service's open parts; `wake` wakes the garbage collector."""

    settings: Settings
    world: World
    observer: Observer
    sessions: Sessions
    files: ByteStore
    images: Renderer
    tasks: Supervisor
    wake: Callable[[], None]


@dataclass(frozen=True, slots=True)
class RequestContext:
    """Caller and time of a request, and what policies read about it."""

    caller: Caller
    facts: Facts
    now: datetime
