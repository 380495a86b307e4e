"""Requests for the readers of bodies."""

from __future__ import annotations

from typing import Any
from urllib.parse import urlencode

from compat_base.values import jsontext
from compat_base.values.http import HttpRequest
from gotrue_compat.http.incoming import Incoming

ID = "7d9a1e3c-1111-4222-8333-444455556666"
FORM = "application/x-www-form-urlencoded"


def posted(
    body: Any = None, query: str = "", headers: tuple[tuple[str, str], ...] = (), **path: str
):
    """A request with a JSON body, or without one."""
    data = b"" if body is None else jsontext.encode_bytes(body)
    return Incoming(HttpRequest("POST", "/x", "/x", query, headers, data), path)


def form(fields: dict[str, str], query: str = "") -> Incoming:
    """A request with a form."""
    headers = (("content-type", FORM),)
    return Incoming(HttpRequest("POST", "/x", "/x", query, headers, urlencode(fields).encode()), {})
