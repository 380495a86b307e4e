"""Captcha tokens verified by hCaptcha or Turnstile (auth reference 10)."""

from __future__ import annotations

from urllib.parse import urlencode

from compat_base.values import jsontext
from compat_base.values.errors import ApiError
from gotrue_compat import errors
from gotrue_compat.ports import HttpCall, HttpPort, UnreachableError
from gotrue_compat.settings.access import CaptchaSettings

_URLS = {
    "hcaptcha": "https://hcaptcha.com/siteverify",
    "turnstile": "https://challenges.cloudflare.com/turnstile/v0/siteverify",
}


class SiteVerify:
    """Verifies each token by the provider."""

    def __init__(self, settings: CaptchaSettings, http: HttpPort) -> None:
        self._settings = settings
        self._http = http

    async def check(self, token: str, ip: str) -> None:
        """Pass, or raise ApiError: no token, a token the provider refuses, no provider."""
        if not token:
            raise ApiError.of(errors.CAPTCHA, reason="no captcha_token found")
        secret = self._settings.secret.reveal().strip()
        form = {"remoteip": ip, "response": token, "secret": secret}
        call = HttpCall(
            "POST",
            self._settings.url or _URLS[self._settings.provider],
            {"content-type": "application/x-www-form-urlencoded"},
            urlencode(form).encode(),
            self._settings.seconds,
        )
        try:
            body = (await self._http.send(call)).body
            answer = jsontext.decode_object(body) if body.strip() != b"null" else {}
        except (UnreachableError, jsontext.InvalidJsonError) as error:
            raise ApiError.of(errors.CAPTCHA_UNREACHABLE) from error
        if answer.get("success") is not True:
            codes = ", ".join(str(code) for code in answer.get("error-codes") or ())
            raise ApiError.of(errors.CAPTCHA, reason=codes)
