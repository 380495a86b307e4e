"""The routes of sign-up."""

from __future__ import annotations

from gotrue_compat.features.sign_up import anonymous, bodies, flow
from gotrue_compat.http.route import Guard, Route

ROUTES: tuple[Route, ...] = (
    Route(
        "POST", "/signup", Guard.PUBLIC, bodies.sign_up, anonymous.sign_in_anonymously,
        limits=("anonymous",), captcha=True, captcha_first=True, when=bodies.has_no_address,
    ),
    Route(
        "POST", "/signup", Guard.PUBLIC, bodies.sign_up, flow.sign_up,
        limits=("sign_up",), captcha=True, captcha_first=True,
    ),
)  # fmt: skip
