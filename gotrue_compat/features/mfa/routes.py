"""The routes of second factors."""

from __future__ import annotations

from gotrue_compat.features.mfa import bodies, challenge, enroll, verify
from gotrue_compat.http.route import Guard, Mount, Route, nothing

MOUNTS: tuple[Mount, ...] = (Mount("/factors", Guard.PERSON),)

ROUTES: tuple[Route, ...] = (
    Route("POST", "/factors", Guard.PERSON, nothing, enroll.enroll),
    Route(
        "POST", "/factors/{factor_id}/challenge", Guard.PERSON, bodies.factor,
        challenge.challenge, limits=("factor",),
    ),
    Route(
        "POST", "/factors/{factor_id}/verify", Guard.PERSON, bodies.factor,
        verify.verify_factor, limits=("factor",),
    ),
    Route(
        "DELETE", "/factors/{factor_id}", Guard.PERSON, bodies.factor_id, enroll.unenroll
    ),
)  # fmt: skip
