"""Whose tokens count at this moment, and what is kept of those that were checked."""

from __future__ import annotations

import pytest

from compat_base.values import jwt
from compat_base.values.errors import ApiError
from compat_base.values.world import real_world
from rest_compat.runtime.authenticator import Authenticator
from rest_compat.runtime.snapshot import Snapshot, make_snapshot
from rest_compat.settings import read_settings

OWN, OTHER = "a secret for the tests, long enough", "another issuer's secret, long enough"
TOKEN = jwt.sign({"role": "member"}, jwt.secret_key(OTHER))


class Issuer:
    """Another issuer, whose keys are not known at first."""

    def __init__(self) -> None:
        self.keys: tuple[jwt.Key, ...] = ()

    def miss(self, unpacked: jwt.Unpacked) -> None: ...


def snapshot() -> Snapshot:
    values = {"PGRST_DB_URI": "postgresql://", "PGRST_JWT_SECRET": OWN}
    return make_snapshot(read_settings(values))


def test_another_issuers_tokens_count_while_its_key_does_and_are_not_kept_longer():
    issuer, now = Issuer(), snapshot()
    authenticator = Authenticator(now, real_world().clock, issuer)
    with pytest.raises(ApiError):
        authenticator.identify(TOKEN, now)
    issuer.keys = (jwt.secret_key(OTHER),)
    assert authenticator.identify(TOKEN, now).role == "member"
    issuer.keys = ()
    with pytest.raises(ApiError):
        authenticator.identify(TOKEN, now)


def test_look_ups_of_the_cache_are_said_where_somebody_hears_it():
    now, logged = snapshot(), list[str]()
    authenticator = Authenticator(now, real_world().clock, None)
    token = jwt.sign({"role": "member"}, jwt.secret_key(OWN))
    authenticator.identify(token, now)
    authenticator.debug = logged.append
    authenticator.identify(token, now)
    assert logged == ["Looked up a JWT in JWT cache"]
    assert (authenticator.cache.requests, authenticator.cache.hits) == (2, 1)
