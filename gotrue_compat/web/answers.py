"""Results to answers (auth reference 2, 3)."""

from __future__ import annotations

from http import HTTPStatus
from typing import Any, TypeAlias

from compat_base.values import jsontext
from compat_base.values.errors import ApiError
from compat_base.values.http import HttpResponse
from gotrue_compat import errors
from gotrue_compat.core.results import (
    CACHED,
    ConfirmationSent,
    Done,
    HalfConfirmed,
    Json,
    PasswordSignedIn,
    Redirect,
    Sent,
    SignedIn,
    Xml,
)
from gotrue_compat.core.session_tokens import TOKEN_PREFIX
from gotrue_compat.features.codes.verify import HALF_CONFIRMED
from gotrue_compat.model.current import CurrentUser
from gotrue_compat.model.user import User
from gotrue_compat.rules.shapes import user_row_shape, user_shape
from gotrue_compat.urls import links

_JSON = (("Content-Type", "application/json"),)
# The entities of Go, which are not those of html.escape.
_ESCAPES = str.maketrans({"&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&#34;", "'": "&#39;"})

Result: TypeAlias = (
    SignedIn
    | PasswordSignedIn
    | ConfirmationSent
    | HalfConfirmed
    | Sent
    | Redirect
    | Json
    | Xml
    | Done
    | User
    | CurrentUser
)


def answer(result: Result, method: str) -> HttpResponse:
    """The answer that shows a result to a request with this method."""
    match result:
        case SignedIn():
            return _texts(token_shape(result), _token_headers(result))
        case PasswordSignedIn(signed_in, weakness):
            weak = {"message": weakness.text, "reasons": weakness.reasons} if weakness else None
            shape = {**token_shape(signed_in), "weak_password": weak}
            return _texts(shape, _token_headers(signed_in))
        case ConfirmationSent(user):
            return _texts(user_shape(user))
        case HalfConfirmed():
            return _json({"msg": HALF_CONFIRMED, "code": "200"})
        case Sent(message_id):
            return _json({"message_id": message_id} if message_id else {})
        case Redirect(url, status, signed_in):
            named = _token_headers(signed_in) if signed_in else ()
            return _redirect(url, status, method, (*result.headers, *named))
        case Json(value, status, headers, signed_in, kind):
            named = _token_headers(signed_in) if signed_in else ()
            body = jsontext.encode_bytes(value)
            return HttpResponse(status, (("Content-Type", kind), *headers, *named), body)
        case Xml(text, file_name):
            kept = (("Content-Disposition", f'attachment; filename="{file_name}"'),)
            headers = (("Content-Type", "application/xml"), *CACHED, *(kept if file_name else ()))
            return HttpResponse(200, headers, text.encode())
        case Done():
            return HttpResponse(204, content_length=False)
        case User():
            return _texts(user_shape(result))
        case CurrentUser(row):
            return _texts(user_row_shape(row))


def token_shape(signed_in: SignedIn) -> dict[str, Any]:
    """A session as JSON: its tokens, expiry and user."""
    shape: dict[str, Any] = {
        "access_token": signed_in.access_token,
        "token_type": "bearer",
        "expires_in": signed_in.expires_in,
        "expires_at": signed_in.expires_at,
        "refresh_token": signed_in.refresh_token,
        "user": _shown_shape(signed_in.shown),
    }
    if signed_in.provider_token:
        shape["provider_token"] = signed_in.provider_token
    if signed_in.provider_refresh_token:
        shape["provider_refresh_token"] = signed_in.provider_refresh_token
    return shape


def _shown_shape(user: User | CurrentUser) -> dict[str, Any]:
    return user_row_shape(user.row) if isinstance(user, CurrentUser) else user_shape(user)


def _token_headers(signed_in: SignedIn) -> tuple[tuple[str, str], ...]:
    """What names the session and its refresh token for logs: never a whole token."""
    if not signed_in.is_named:
        return ()
    headers = [
        ("Sb-Auth-User-Id", str(signed_in.shown.id)),
        ("Sb-Auth-Session-Id", signed_in.session_id),
    ]
    if signed_in.counter is not None:
        headers.append(("Sb-Auth-Refresh-Token-Counter", str(signed_in.counter)))
    if signed_in.counter is None or signed_in.is_upgraded:
        headers.append(("Sb-Auth-Refresh-Token-Prefix", signed_in.refresh_token[:TOKEN_PREFIX]))
    if signed_in.is_rotated:
        headers.append(("Sb-Auth-Refresh-Token-Reuse", "false"))
    if signed_in.reuse:
        headers.append(("Sb-Auth-Refresh-Token-Reuse-Cause", signed_in.reuse))
    return tuple(headers)


def _texts(value: Any, headers: tuple[tuple[str, str], ...] = ()) -> HttpResponse:
    """An answer whose ids and times are texts already."""
    return HttpResponse(200, (*_JSON, *headers), jsontext.encode_texts(value))


def _json(value: Any) -> HttpResponse:
    return HttpResponse(200, _JSON, jsontext.encode_bytes(value))


def _redirect(
    url: str, status: int, method: str, headers: tuple[tuple[str, str], ...]
) -> HttpResponse:
    """A redirect to the parsed form of an address; the answer to a GET has a link in its body too.

    ApiError for an address that no browser may be sent to.
    """
    url = links.location(url)
    if not url:
        raise ApiError.of(errors.UNEXPECTED)
    location = ("Location", url)
    if method not in {"GET", "HEAD"}:
        return HttpResponse(status, (location, *headers))
    link = f'<a href="{url.translate(_ESCAPES)}">{HTTPStatus(status).phrase}</a>.\n\n'
    kind = ("Content-Type", "text/html; charset=utf-8")
    return HttpResponse(
        status, (location, kind, *headers), link.encode() if method == "GET" else b""
    )
