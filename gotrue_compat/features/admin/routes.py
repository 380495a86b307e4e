"""The routes of users, lists, links, factors of administrators."""

from __future__ import annotations

from gotrue_compat.features.admin import audit, bodies, factors, invite, links, user_list, users
from gotrue_compat.http.route import Guard, Mount, Resource, Route

MOUNTS: tuple[Mount, ...] = (Mount("/admin", Guard.ADMIN),)

RESOURCES: tuple[Resource, ...] = (
    Resource("/admin/users/{user_id}", bodies.user_id, users.get_user),
    Resource("/admin/users/{user_id}/factors/{factor_id}", bodies.user_factor, factors.find_factor),
)

ROUTES: tuple[Route, ...] = (
    Route("POST", "/invite", Guard.ADMIN, bodies.invitation, invite.invite),
    Route("GET", "/admin/users", Guard.ADMIN, bodies.user_list, user_list.list_users),
    Route("POST", "/admin/users", Guard.ADMIN, bodies.user_record, users.create_user),
    Route("GET", "/admin/users/{user_id}", Guard.ADMIN, bodies.user_id, users.get_user),
    Route(
        "PUT", "/admin/users/{user_id}", Guard.ADMIN, bodies.user_record_change,
        users.update_user,
    ),
    Route("DELETE", "/admin/users/{user_id}", Guard.ADMIN, bodies.user_deletion, users.delete_user),
    Route(
        "GET", "/admin/users/{user_id}/factors", Guard.ADMIN, bodies.user_id,
        factors.list_factors,
    ),
    Route(
        "PUT", "/admin/users/{user_id}/factors/{factor_id}", Guard.ADMIN, bodies.user_factor,
        factors.update_factor,
    ),
    Route(
        "DELETE", "/admin/users/{user_id}/factors/{factor_id}", Guard.ADMIN, bodies.user_factor,
        factors.delete_factor,
    ),
    Route("POST", "/admin/generate_link", Guard.ADMIN, bodies.link_request, links.generate_link),
    Route("GET", "/admin/audit", Guard.ADMIN, bodies.audit, audit.list_entries),
)  # fmt: skip
