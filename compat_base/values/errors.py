"""The one exception of every service, and the rows that describe each answer it can give.

`OperatorError` is no answer: it ends a program.

A service lists its errors as `Row` constants in its own `errors` module; code anywhere raises
`ApiError` with such a row, and the service's renderer turns the `Problem` into its wire shape.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True, slots=True)
class Row:
    """One line of a service's error table: templates take the keyword arguments of `problem`."""

    code: str
    status: int
    message: str
    details: str | None = None
    hint: str | None = None

    def problem(
        self,
        *,
        details: Any = None,
        hint: str | None = None,
        headers: tuple[tuple[str, str], ...] = (),
        **facts: object,
    ) -> Problem:
        """Fill the templates; explicit details or hint win over the row's own."""
        return Problem(
            code=self.code,
            status=self.status,
            message=_fill(self.message, facts) or "",
            details=_fill(self.details, facts) if details is None else details,
            hint=_fill(self.hint, facts) if hint is None else hint,
            headers=headers,
        )


@dataclass(frozen=True, slots=True)
class Problem:
    """A filled-in error: status, code and message; `details` is text or JSON, as on the wire."""

    code: str
    status: int
    message: str
    details: Any = None
    hint: str | None = None
    headers: tuple[tuple[str, str], ...] = ()
    reason: str | None = None
    extra: dict[str, Any] = field(default_factory=dict[str, Any])


class ApiError(Exception):
    """Carries a Problem to the renderer.

    A plain class, because a frozen dataclass used as an exception breaks in `with` blocks:
    contextlib assigns `__traceback__`.
    """

    def __init__(self, problem: Problem) -> None:
        super().__init__(f"{problem.code}: {problem.message}")
        self.problem = problem

    @classmethod
    def of(cls, row: Row, /, **facts: Any) -> ApiError:
        """Make the error of a table row: `raise ApiError.of(TABLE_NOT_FOUND, name="api.t")`."""
        return cls(row.problem(**facts))


class OperatorError(Exception):
    """A failure shown to the operator: one sentence, with the remedy where there is one."""


def _fill(template: str | None, facts: dict[str, object]) -> str | None:
    return template.format_map(facts) if template is not None and facts else template
