"""The routes of grants and sign-out."""

from __future__ import annotations

from gotrue_compat.features.sign_in import bodies, exchange_code, password, refresh, sign_out
from gotrue_compat.http.route import Guard, Route

ROUTES: tuple[Route, ...] = (
    Route(
        "POST", "/token", Guard.PUBLIC, bodies.password, password.sign_in,
        limits=("token",), captcha=True, captcha_first=True, grant="password",
    ),
    Route(
        "POST", "/token", Guard.PUBLIC, bodies.refresh, refresh.refresh, limits=("token",),
        captcha_first=True, grant="refresh_token",
    ),
    Route(
        "POST", "/token", Guard.PUBLIC, bodies.pkce, exchange_code.exchange_code, limits=("token",),
        grant="pkce",
    ),
    Route(
        "POST", "/logout", Guard.USER, bodies.logout_scope, sign_out.sign_out, for_clients=True,
    ),
)  # fmt: skip
