"""Access log, error log and query log of requests, and the warnings of deprecated embed names."""

from __future__ import annotations

from collections.abc import Iterable

from compat_base.values.errors import Problem
from compat_base.values.events import Observation, Observer, Severity
from compat_base.values.http import HttpRequest, HttpResponse
from rest_compat.auth.authenticate import Identity
from rest_compat.errors import (
    CONNECTION,
    GUC_HEADERS,
    GUC_STATUS,
    NO_SECRET,
    POOL_TIMEOUT,
    error_body,
)
from rest_compat.observe.access_log import answered_facts, is_logged, target_of
from rest_compat.observe.debounce import Debounce
from rest_compat.plan.model import StatementPlan
from rest_compat.settings import LogLevel

_TIMEOUT_COOLDOWN = 5.0  # seconds
# Failures with a log line of their own, or with none besides the access log.
_SILENT = frozenset({CONNECTION.code, GUC_HEADERS.code, GUC_STATUS.code, NO_SECRET.code})


class Reporter:
    """Reports to an observer, and counts the time-outs of the pool."""

    def __init__(self, observer: Observer) -> None:
        self.pool_timeouts = 0
        self._observer = observer
        self._report_timeout = Debounce(_TIMEOUT_COOLDOWN, self._fail)

    def debug(self, text: str) -> None:
        """Log a sentence at the level debug."""
        self._observer(Observation("debug", Severity.DEBUG, {"text": text}))

    def answered(
        self,
        request: HttpRequest,
        level: LogLevel,
        identity: Identity | None,
        answer: HttpResponse,
    ) -> None:
        """Log a response, at the levels that show it; no identity: the token was refused."""
        if is_logged(answer.status, level):
            role = None if identity is None else identity.role
            facts = answered_facts(request, role, answer)
            self._observer(Observation("answered", Severity.DEBUG, facts))

    def failed(self, problem: Problem) -> None:
        """Log the database's failures; pool time-outs are debounced."""
        if problem.code == POOL_TIMEOUT.code:
            self.pool_timeouts += 1
            self._report_timeout(problem)
        elif problem.status >= 500 and problem.code not in _SILENT:  # noqa: PLR2004 — the server's own failures
            self._fail(problem)

    def _fail(self, problem: Problem) -> None:
        facts = {"error": error_body(problem).decode()}
        self._observer(Observation("failed", Severity.ERROR, facts))

    def queried(self, statements: Iterable[str], status: int) -> None:
        """Log the statements of a request, one observation each."""
        for text in statements:
            facts = {"text": " ".join(text.splitlines()), "status": status}
            self._observer(Observation("query", Severity.INFO, facts))

    def old_names(self, plan: StatementPlan, request: HttpRequest) -> None:
        """Log the embeds that were requested by a deprecated name."""
        if plan.reply.warnings:
            facts = {
                "renames": plan.reply.warnings,
                "method": request.method,
                "target": target_of(request),
            }
            self._observer(Observation("old_embed_name", Severity.WARNING, facts))
