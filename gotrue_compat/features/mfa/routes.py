"""The routes of second factors."""

from __future__ import annotations

from functools import partial

from gotrue_compat.features.mfa import bodies
from gotrue_compat.http.named_flow import NamedFlow
from gotrue_compat.http.route import Guard, Mount, Resource, Route, nothing

_challenge = partial(NamedFlow, "gotrue_compat.features.mfa.challenge")
_enroll = partial(NamedFlow, "gotrue_compat.features.mfa.enroll")
_verify = partial(NamedFlow, "gotrue_compat.features.mfa.verify")

MOUNTS: tuple[Mount, ...] = (Mount("/factors", Guard.PERSON),)

RESOURCES: tuple[Resource, ...] = (
    Resource("/factors/{factor_id}", bodies.factor_id, _enroll("find_own")),
)

ROUTES: tuple[Route, ...] = (
    Route("POST", "/factors", Guard.PERSON, nothing, _enroll("enroll")),
    Route(
        "POST", "/factors/{factor_id}/challenge", Guard.PERSON, bodies.factor,
        _challenge("challenge"), limits=("factor",),
    ),
    Route(
        "POST", "/factors/{factor_id}/verify", Guard.PERSON, bodies.factor,
        _verify("verify_factor"), limits=("factor",),
    ),
    Route(
        "DELETE", "/factors/{factor_id}", Guard.PERSON, bodies.factor_id, _enroll("unenroll")
    ),
)  # fmt: skip
