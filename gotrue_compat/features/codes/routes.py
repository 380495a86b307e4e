"""The routes of requests to send and to verify one-time codes."""

from __future__ import annotations

from compat_base.values.errors import Row
from gotrue_compat.features.codes import bodies, otp, reauthenticate, recover, resend, verify
from gotrue_compat.features.codes import errors as codes_errors
from gotrue_compat.http.route import Guard, Mount, Route, nothing
from gotrue_compat.settings import Settings


def _email_on(settings: Settings) -> Row | None:
    return None if settings.email.enabled else codes_errors.RECOVERY_DISABLED


MOUNTS: tuple[Mount, ...] = (Mount("/reauthenticate", Guard.USER),)

ROUTES: tuple[Route, ...] = (
    Route(
        "POST", "/recover", Guard.PUBLIC, bodies.recovery, recover.recover,
        limits=("otp", "send"), captcha=True, feature=_email_on,
    ),
    Route(
        "POST", "/resend", Guard.PUBLIC, bodies.resend, resend.resend, limits=("otp", "send"),
        captcha=True,
    ),
    Route(
        "POST", "/otp", Guard.PUBLIC, bodies.otp, otp.send_otp, limits=("otp", "send"),
        captcha=True,
    ),
    Route(
        "POST", "/magiclink", Guard.PUBLIC, bodies.magic_link, otp.send_magic_link,
        limits=("otp", "send"), captcha=True, feature=otp.magic_link_refusal,
    ),
    Route("POST", "/verify", Guard.PUBLIC, bodies.verification, verify.verify, limits=("verify",)),
    Route("GET", "/verify", Guard.PUBLIC, bodies.link, verify.follow_link, limits=("verify",)),
    Route(
        "GET", "/reauthenticate", Guard.USER, nothing, reauthenticate.reauthenticate,
        limits=("send",),
    ),
)  # fmt: skip
