"""Shared state of every socket and endpoint of this process."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from dataclasses import dataclass, field

from compat_base.postgres.database import Database
from compat_base.server.round_robin import RoundRobin
from compat_base.tasks import Supervisor
from compat_base.values.events import Observer
from compat_base.values.world import World
from realtime_compat.access.revocation import Live, Revocation
from realtime_compat.cluster.bus import Bus
from realtime_compat.cluster.machine import MachineBus
from realtime_compat.dispatch.follower import Replication
from realtime_compat.hub import Hub
from realtime_compat.protocol.rules import Rules
from realtime_compat.subscriptions import Subscriptions
from realtime_compat.transports.addresses import AddressLimits
from realtime_compat.transports.frame_writer import SharedFrames


@dataclass(slots=True)
class Service:
    """Shared state of every socket and endpoint of this process."""

    rules: Rules
    hub: Hub
    subscriptions: Subscriptions
    replication: Replication
    database: Database
    supervisor: Supervisor
    world: World
    observer: Observer
    revocation: Revocation
    bus: Bus | MachineBus | None = None
    addresses: AddressLimits = field(init=False)
    sockets: set[Live] = field(default_factory=set[Live])
    sockets_elsewhere: int = 0  # at other workers
    long_work: RoundRobin = field(default_factory=RoundRobin)  # of all sockets
    frames: SharedFrames = field(default_factory=SharedFrames)
    number: Callable[[], int] = field(default_factory=lambda: itertools.count(1).__next__)

    def __post_init__(self) -> None:
        limits = self.rules.limits
        self.addresses = AddressLimits(limits.sockets_per_address, limits.new_sockets_per_address)
