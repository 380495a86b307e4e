"""The routes of sign-up."""

from __future__ import annotations

from compat_base.values.errors import Row
from gotrue_compat.features.sign_up import anonymous, bodies, errors, flow
from gotrue_compat.http.route import Guard, Route
from gotrue_compat.settings import Settings


def _anonymous_on(settings: Settings) -> Row | None:
    return None if settings.anonymous else errors.ANONYMOUS_DISABLED


ROUTES: tuple[Route, ...] = (
    Route(
        "POST", "/signup", Guard.PUBLIC, bodies.sign_up, anonymous.sign_in_anonymously,
        limits=("anonymous",), captcha=True, captcha_first=True, when=bodies.has_no_address,
        feature=_anonymous_on, feature_first=True,
    ),
    Route(
        "POST", "/signup", Guard.PUBLIC, bodies.sign_up, flow.sign_up,
        limits=("sign_up",), captcha=True, captcha_first=True,
    ),
)  # fmt: skip
