"""The parts of the service, joined."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass

from compat_base.tasks import Supervisor
from compat_base.values.events import Observer
from compat_base.values.world import World
from realtime_compat.access.catalog import Catalog
from realtime_compat.access.revocation import Live, Revocation
from realtime_compat.app.pools import Pools
from realtime_compat.dispatch.database_broadcasts import StoredMessages
from realtime_compat.dispatch.fanout import FanOut
from realtime_compat.dispatch.follower import Replication
from realtime_compat.dispatch.router import Router
from realtime_compat.dispatch.slow_callers import SlowCallers
from realtime_compat.dispatch.visibility import VisibilityChecker
from realtime_compat.hub import Hub
from realtime_compat.protocol.limits import Rate
from realtime_compat.protocol.rules import Rates, Rules
from realtime_compat.settings import Limits, Settings
from realtime_compat.subscriptions import Parts, Subscriptions
from realtime_compat.transports.service import Service

MESSAGES_PUBLICATION = "supabase_realtime_messages_publication"


@dataclass(frozen=True, slots=True)
class Dependencies:
    """What the parts are made from."""

    settings: Settings
    pools: Pools
    world: World
    observer: Observer
    supervisor: Supervisor
    has_siblings: bool = False  # this process is one of several workers or nodes


def compose(dependencies: Dependencies) -> Service:
    """Make the parts of the service and connect them."""
    settings, world, observer = dependencies.settings, dependencies.world, dependencies.observer
    limits, topics = settings.limits, dependencies.pools.topics
    rates = _rates(limits)
    call_later = asyncio.get_running_loop().call_later
    hub = Hub(world.entropy.bytes(8).hex(), world.clock, call_later, rates.events)
    rules = Rules(
        settings.keys,
        limits,
        rates,
        hub.presence_size,
        settings.private_only,
        has_siblings=dependencies.has_siblings,
    )
    subscriptions = Subscriptions(
        Parts(
            topics,
            dependencies.pools.visibility,
            settings.publication,
            hub,
            world,
            observer,
            dependencies.supervisor,
        )
    )
    router = _router(dependencies, hub, rules, subscriptions)
    sockets: set[Live] = set()
    revoked = rules.revoked
    return Service(
        rules,
        hub,
        subscriptions,
        _replication(dependencies, hub, router, subscriptions),
        topics,
        dependencies.supervisor,
        world,
        observer,
        Revocation(
            settings.database_url, hub.node, topics, sockets, revoked, world.clock, observer
        ),
        sockets=sockets,
        long_work=subscriptions.parts.long_work,
    )


def _router(
    dependencies: Dependencies, hub: Hub, rules: Rules, subscriptions: Subscriptions
) -> Router:
    pools, clock, observer = dependencies.pools, dependencies.world.clock, dependencies.observer
    catalog = Catalog(pools.topics)
    fanout = FanOut(hub, catalog, clock)
    events, payload_bytes = rules.rates.events, dependencies.settings.limits.payload_bytes
    slow_visibility = VisibilityChecker(pools.slow_callers, observer)
    return Router(
        database=pools.visibility,
        catalog=catalog,
        subscriptions=subscriptions,
        messages=StoredMessages(hub, payload_bytes, events, clock, observer),
        visibility=VisibilityChecker(pools.visibility, observer),
        slow_callers=SlowCallers(slow_visibility, fanout, dependencies.supervisor, clock, observer),
        fanout=fanout,
        clock=clock,
        observer=observer,
    )


def _replication(
    dependencies: Dependencies, hub: Hub, router: Router, subscriptions: Subscriptions
) -> Replication:
    return Replication(
        router=router,
        subscriptions=subscriptions,
        hub=hub,
        database=dependencies.pools.topics,
        supervisor=dependencies.supervisor,
        observer=dependencies.observer,
        publications=(dependencies.settings.publication, MESSAGES_PUBLICATION),
        wait_seconds=dependencies.settings.limits.replication_wait,
        clock=dependencies.world.clock,
    )


def _rates(limits: Limits) -> Rates:
    return Rates(
        Rate(limits.events_per_second),
        Rate(limits.presence_per_second),
        Rate(limits.joins_per_second),
    )
