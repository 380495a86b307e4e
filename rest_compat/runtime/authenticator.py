"""Bearer tokens verified with the keys of the settings and of another issuer; cached."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from compat_base.values import jwt
from compat_base.values.world import Clock
from rest_compat.auth.authenticate import AuthRules, Identity, TokenCache, authenticate
from rest_compat.runtime.snapshot import Snapshot
from rest_compat.settings import Settings


class Authenticator:
    """Authenticates requests; `debug`, if given, is called with lookups of the token cache."""

    def __init__(self, snapshot: Snapshot, clock: Clock, remote: jwt.RemoteKeys | None) -> None:
        self.cache = TokenCache(snapshot.settings.jwt_cache)
        self.debug: Callable[[str], None] | None = None
        self._clock = clock
        self._remote = remote
        self._own_rules: AuthRules = snapshot.auth_rules
        self._rules: AuthRules = self._own_rules
        self._remote_keys: tuple[jwt.Key, ...] = ()

    def adopt(self, settings: Settings) -> None:
        """Take over the bound of the cache."""
        self.cache.resize(settings.jwt_cache)

    def identify(self, token: str | None, snapshot: Snapshot) -> Identity:
        """The role and claims of a token, or of none; ApiError where it does not count."""
        rules = self._current_rules(snapshot)
        now = self._clock.now().timestamp()
        lookups, evictions = self.cache.requests, self.cache.evictions
        try:
            return authenticate(token, rules, self.cache, now)
        finally:
            if self.debug is not None:
                if self.cache.requests > lookups:
                    self.debug("Looked up a JWT in JWT cache")
                if self.cache.evictions > evictions:
                    self.debug("Evicted entry from JWT cache")

    def _current_rules(self, snapshot: Snapshot) -> AuthRules:
        """The current rules; tokens that another issuer's keys accept are not cached."""
        own, remote = snapshot.auth_rules, () if self._remote is None else self._remote.keys
        if own is not self._own_rules or remote is not self._remote_keys:
            rules = replace(own, keys=(*(own.keys or ()), *remote)) if remote else own
            if rules != self._rules:
                self.cache = TokenCache(snapshot.settings.jwt_cache)
            self._rules, self._own_rules, self._remote_keys = rules, own, remote
        return self._rules
