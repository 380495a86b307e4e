"""The facts of an answered request, and their line in the access log (rest reference 16.11)."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from compat_base.values import jsontext
from compat_base.values.http import HttpRequest, HttpResponse
from rest_compat.settings import LogLevel

_LEAST_STATUS = {LogLevel.ERROR: 500, LogLevel.WARN: 400, LogLevel.INFO: 0, LogLevel.DEBUG: 0}


def is_logged(status: int, level: LogLevel) -> bool:
    """Whether a level shows what belongs to a request that was answered with a status."""
    least = _LEAST_STATUS.get(level)
    return least is not None and status >= least


def answered_facts(request: HttpRequest, role: str | None, answer: HttpResponse) -> dict[str, Any]:
    """The fields of the access log; `role` None: authentication failed."""
    return {
        "client": request.client,
        "role": role,
        "method": request.method,
        "target": target_of(request),
        "status": answer.status,
        "size": _size(answer),
        "referer": request.header("referer"),
        "agent": request.header("user-agent"),
    }


def _size(answer: HttpResponse) -> str | None:
    """The length that the answer gives for its body, if any."""
    if answer.content_length:
        return str(len(answer.body))
    return next((value for name, value in answer.headers if name == "Content-Length"), None)


def target_of(request: HttpRequest) -> str:
    """The path and query as they came."""
    return f"{request.raw_path}?{request.query}" if request.query else request.raw_path


def access_line(facts: Mapping[str, Any], moment: datetime) -> str:
    """The line in the form of Apache's combined log; the user is the role."""
    when = moment.strftime("%d/%b/%Y:%H:%M:%S %z")
    size = "-" if facts["size"] is None else facts["size"]
    request = f"{facts['method']} {facts['target']} HTTP/1.1"
    return (
        f"{facts['client'] or '-'} - {facts['role'] or '-'} [{when}]"
        f" {_quoted(request)} {facts['status']} {size}"
        f" {_quoted(facts['referer'] or '')} {_quoted(facts['agent'] or '')}"
    )


def _quoted(text: str) -> str:
    """A field between quotes, in which no client can end it or the line (Apache escapes alike)."""
    return jsontext.encode_line(text)
