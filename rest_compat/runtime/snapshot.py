"""Settings and schema cache as one value, swapped on reload."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from rest_compat.auth.authenticate import AuthRules
from rest_compat.catalog.model import SchemaCache
from rest_compat.plan.read import PlanRules
from rest_compat.query.prepared import Rules
from rest_compat.query.session import SessionRules
from rest_compat.request.target import Exposure
from rest_compat.runtime.plan_cache import PlanCache, PlanCacheRules, RoleSettings
from rest_compat.settings import OpenApiMode, Settings


@dataclass(frozen=True, slots=True)
class Snapshot:
    """Settings, schema cache (None before the first load) and the plans made from them."""

    settings: Settings
    exposure: Exposure
    auth_rules: AuthRules
    rules: Rules
    plans: PlanCache
    cache: SchemaCache | None = None
    roles: Mapping[str, RoleSettings] = field(default_factory=dict[str, RoleSettings])


def make_snapshot(
    settings: Settings,
    cache: SchemaCache | None = None,
    roles: Mapping[str, RoleSettings] | None = None,
) -> Snapshot:
    """A snapshot of these settings, with an empty plan cache."""
    exposure = Exposure(
        schemas=settings.schemas,
        root_disabled=settings.openapi_mode is OpenApiMode.DISABLED,
        root_function=settings.root_spec,
    )
    rules = Rules(
        PlanRules(
            max_rows=settings.max_rows,
            aggregates=settings.aggregates,
            old_names=settings.old_names,
            plans=settings.plan_enabled,
            tx_rollback=settings.tx_rollback,
            allow_transaction=settings.tx_override,
        ),
        SessionRules(settings.extra_schemas, settings.app_settings, settings.pre_request),
    )
    return Snapshot(
        settings=settings,
        exposure=exposure,
        auth_rules=AuthRules(
            settings.jwt_keys, settings.jwt_aud, settings.role_claim_path, settings.anon_role
        ),
        rules=rules,
        plans=PlanCache(PlanCacheRules(exposure, rules, roles or {}, settings.anon_role)),
        cache=cache,
        roles=roles or {},
    )
