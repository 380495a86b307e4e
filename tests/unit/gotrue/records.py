"""Rows of the auth schema as tests write them: NULL in every column that is not given."""

from __future__ import annotations

from dataclasses import fields
from datetime import UTC, datetime
from typing import Any, TypeVar
from uuid import UUID

from gotrue_compat.model.current import CurrentUser
from gotrue_compat.model.session import Session
from gotrue_compat.model.user import Factor, User

NOW = datetime(2026, 11, 22, 12, tzinfo=UTC)
ID = UUID("7d9a1e3c-1111-4222-8333-444455556666")
T = TypeVar("T")


def row(cls: type[Any], **given: Any) -> dict[str, Any]:
    """A row that has a column for every field of a record."""
    return {field.name: None for field in fields(cls)} | given


def user(**given: Any) -> User:
    """A user as read from a row."""
    of_row = {"id": ID, "is_sso_user": False, "is_anonymous": False, "created_at": NOW}
    rows = {"identity_rows": (), "factor_rows": ()}
    return User.from_row(row(User, **(of_row | rows | given)))


def session(**given: Any) -> Session:
    """A session as read from a row."""
    of_row = {"id": ID, "user_id": ID, "created_at": NOW, "updated_at": NOW, "amr_rows": ()}
    return Session.from_row(row(Session, **(of_row | given)))


def current(**given: Any) -> CurrentUser:
    """The user and session of a token as found by it."""
    session_row = row(Session, id=ID, user_id=ID, created_at=NOW, updated_at=NOW)
    found = {"id": ID, "is_sso_user": False, "is_anonymous": False, "created_at": NOW}
    rows = {"identity_rows": (), "factor_rows": (), "amr_rows": (), "session_row": session_row}
    return CurrentUser(row(User, **(found | rows | given)))


def factor(**given: Any) -> dict[str, Any]:
    """The row of a factor."""
    return row(Factor, id=ID, user_id=ID, status="unverified", factor_type="totp") | given
