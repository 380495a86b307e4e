"""The dependencies of every flow: settings, the world, and the adapters."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias
from uuid import UUID

from compat_base.batches import Batches
from compat_base.keyed_lock import KeyedLock
from compat_base.postgres.database import Database
from compat_base.values.events import Observer
from compat_base.values.world import World
from gotrue_compat.model.current import CurrentUser, Exchanged
from gotrue_compat.model.session import Exchange, Rotation
from gotrue_compat.ports import (
    Buckets,
    Captcha,
    Hasher,
    Hooks,
    HttpPort,
    IdTokens,
    LeakedPasswords,
    LongWork,
    Mailer,
    SmsSender,
    Templates,
)
from gotrue_compat.settings import Settings

CurrentUsers: TypeAlias = Batches[tuple[UUID, UUID | None], CurrentUser | None]
"""Finds the user with an id and the session with another; None where the user is gone."""

Rotations: TypeAlias = Batches[Rotation, CurrentUser | None]
"""Exchanges an active refresh token: whose it was, None where it must be judged by locks."""


Exchanges: TypeAlias = Batches[Exchange, Exchanged | None]
"""Opens a code's session; None where the code must be judged by its flow."""


@dataclass(frozen=True, slots=True)
class Dependencies:
    """Everything a flow may use besides its request; `sms` None where no provider is set.

    `http` is for the operator's addresses; `guarded_http` and `guarded_id_tokens`, which connect
    to public addresses only, are for those that the API's callers set.
    """

    settings: Settings
    world: World
    observer: Observer
    database: Database
    current_users: CurrentUsers
    rotations: Rotations
    exchanges: Exchanges
    mailer: Mailer
    sms: SmsSender | None
    http: HttpPort
    guarded_http: HttpPort
    hasher: Hasher
    long_work: LongWork
    hooks: Hooks
    captcha: Captcha
    leaked: LeakedPasswords
    templates: Templates
    id_tokens: IdTokens
    guarded_id_tokens: IdTokens
    buckets: Buckets
    locks: KeyedLock
