"""The user and session of a token; records are made on demand."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from typing import Any

from gotrue_compat.model.session import Session
from gotrue_compat.model.user import User


@dataclass(frozen=True)
class CurrentUser:
    """The user of a token and the session it names: a row of `find_current`."""

    row: Any

    @cached_property
    def user(self) -> User:
        """The user's record."""
        return User.from_row(self.row)

    @cached_property
    def session(self) -> Session | None:
        """The session's record; None where the token names none that the user has."""
        session_row = self.row["session_row"]
        if session_row is None:
            return None
        return Session.from_row({**session_row, "amr_rows": self.row["amr_rows"]})

    @property
    def has_session(self) -> bool:
        """Whether the session that the token names is there."""
        return self.row["session_row"] is not None

    def is_banned(self, now: datetime) -> bool:
        """Whether the user's ban still runs."""
        until = self.row["banned_until"]
        return until is not None and now < until
