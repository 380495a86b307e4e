"""Request bodies and queries of administration: records, and how they are read."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any
from uuid import UUID

from gotrue_compat import errors
from gotrue_compat.features.admin import errors as admin_errors
from gotrue_compat.http.go_struct import go_struct
from gotrue_compat.http.incoming import Incoming

_INVITE = go_struct("InviteParams", "email", objects="data")
_USER = go_struct(
    "AdminUserParams", "id aud role email phone password password_hash ban_duration",
    flags="email_confirm phone_confirm", objects="user_metadata app_metadata",
)  # fmt: skip
_DELETION = go_struct("adminUserDeleteParams", "", flags="should_soft_delete")
_LINK = go_struct("GenerateLinkParams", "type email new_email password redirect_to", objects="data")
FACTOR = go_struct("adminUserUpdateFactorParams", "friendly_name phone")


@dataclass(frozen=True, slots=True)
class AuditQuery:
    """The query of the list: `author|action|type:text`."""

    page: str = ""
    per_page: str = ""
    query: str = ""


@dataclass(frozen=True, slots=True)
class FactorChange:
    """One user's factor, and what to change of it, read once it is known that there is one."""

    user_id: UUID
    incoming: Incoming

    def factor_id(self) -> UUID:
        """The factor that the path names; read after the user was found, as by the original."""
        return self.incoming.uuid("factor_id", errors.FACTOR_ID_FORM)


@dataclass(frozen=True, slots=True)
class Invitation:
    """The body of an invitation."""

    email: str = ""
    data: dict[str, Any] | None = None


@dataclass(frozen=True, slots=True)
class LinkRequest:
    """The body of generate_link."""

    kind: str = ""
    email: str = ""
    new_email: str = ""
    password: str = ""
    data: dict[str, Any] | None = None
    redirect_to: str = ""


@dataclass(frozen=True, slots=True)
class UserListQuery:
    """The query of a list."""

    page: str = ""
    per_page: str = ""
    filter: str = ""
    limit: str = ""
    cursor: str = ""


@dataclass(frozen=True, slots=True)
class UserUpdate:
    """A change of one user, read once it is known that there is one."""

    user_id: UUID
    incoming: Incoming


@dataclass(frozen=True, slots=True)
class UserDeletion:
    """The deletion of one user, read once it is known that there is one."""

    user_id: UUID
    incoming: Incoming

    @property
    def should_soft_delete(self) -> bool:
        """Whether an anonymised row stays; ApiError for a body that is no JSON object."""
        incoming = self.incoming
        is_empty = not incoming.request.body
        return not is_empty and incoming.json_of(_DELETION).flag("should_soft_delete")


@dataclass(frozen=True, slots=True)
class UserRecord:
    """The body of a user; None means not given."""

    id: str = ""
    aud: str = ""
    role: str = ""
    email: str = ""
    phone: str = ""
    password: str | None = None
    password_hash: str = ""
    email_confirm: bool = False
    phone_confirm: bool = False
    user_metadata: dict[str, Any] | None = None
    app_metadata: dict[str, Any] | None = None
    ban_duration: str = ""


def invitation(incoming: Incoming) -> Invitation:
    """POST /invite."""
    body = incoming.json_of(_INVITE)
    return Invitation(body.text("email"), body.object("data"))


def user_list(incoming: Incoming) -> UserListQuery:
    """GET /admin/users."""
    query = incoming.query
    return UserListQuery(
        page=query.get("page", ""),
        per_page=query.get("per_page", ""),
        filter=query.get("filter", ""),
        limit=query.get("limit", ""),
        cursor=query.get("cursor", ""),
    )


def user_record(incoming: Incoming) -> UserRecord:
    """POST /admin/users."""
    body = incoming.json_of(_USER)
    return UserRecord(
        id=body.text("id"),
        aud=body.text("aud"),
        role=body.text("role"),
        email=body.text("email"),
        phone=body.text("phone"),
        password=body.optional_text("password"),
        password_hash=body.text("password_hash"),
        email_confirm=body.flag("email_confirm"),
        phone_confirm=body.flag("phone_confirm"),
        user_metadata=body.object("user_metadata"),
        app_metadata=body.object("app_metadata"),
        ban_duration=body.text("ban_duration"),
    )


def user_id(incoming: Incoming) -> UUID:
    """Paths below /admin/users/{user_id}."""
    return incoming.uuid("user_id", admin_errors.USER_ID_FORM)


def user_record_change(incoming: Incoming) -> UserUpdate:
    """PUT /admin/users/{user_id}."""
    return UserUpdate(user_id(incoming), incoming)


def user_deletion(incoming: Incoming) -> UserDeletion:
    """DELETE /admin/users/{user_id}."""
    return UserDeletion(user_id(incoming), incoming)


def user_factor(incoming: Incoming) -> FactorChange:
    """PUT and DELETE /admin/users/{user_id}/factors/{factor_id}."""
    return FactorChange(user_id(incoming), incoming)


def link_request(incoming: Incoming) -> LinkRequest:
    """POST /admin/generate_link."""
    body = incoming.json_of(_LINK)
    return LinkRequest(
        kind=body.text("type"),
        email=body.text("email"),
        new_email=body.text("new_email"),
        password=body.text("password"),
        data=body.object("data"),
        redirect_to=body.text("redirect_to"),
    )


def audit(incoming: Incoming) -> AuditQuery:
    """GET /admin/audit."""
    query = incoming.query
    return AuditQuery(query.get("page", ""), query.get("per_page", ""), query.get("query", ""))
