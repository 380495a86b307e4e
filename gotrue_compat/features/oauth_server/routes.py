"""The routes of OAuth clients, authorizations, tokens."""

from __future__ import annotations

from compat_base.values.errors import Row
from gotrue_compat.features.discovery import flow as discovery
from gotrue_compat.features.oauth_server import authorize, bodies, clients, token
from gotrue_compat.features.oauth_server import errors as oauth_server_errors
from gotrue_compat.http.route import Guard, Mount, Resource, Route, nothing
from gotrue_compat.settings import Settings


def _server_on(settings: Settings) -> Row | None:
    return None if settings.oauth_server.enabled else oauth_server_errors.OAUTH_SERVER_DISABLED


MOUNTS: tuple[Mount, ...] = (
    Mount("/user/oauth/grants", feature=_server_on),
    Mount("/admin/oauth", feature=_server_on),
    Mount("/oauth", feature=_server_on),
)

RESOURCES: tuple[Resource, ...] = (
    Resource("/admin/oauth/clients/{client_id}", bodies.oauth_client_id, clients.get_client),
)

ROUTES: tuple[Route, ...] = (
    Route(
        "GET", "/.well-known/oauth-authorization-server", Guard.PUBLIC, nothing,
        discovery.openid_configuration, feature=_server_on,
    ),
    Route(
        "POST", "/admin/oauth/clients", Guard.ADMIN, bodies.oauth_client, clients.create,
    ),
    Route(
        "GET", "/admin/oauth/clients", Guard.ADMIN, nothing, clients.list_clients,
    ),
    Route(
        "GET", "/admin/oauth/clients/{client_id}", Guard.ADMIN, bodies.oauth_client_id,
        clients.get_client,
    ),
    Route(
        "PUT", "/admin/oauth/clients/{client_id}", Guard.ADMIN, bodies.oauth_client_change,
        clients.update_client,
    ),
    Route(
        "DELETE", "/admin/oauth/clients/{client_id}", Guard.ADMIN, bodies.oauth_client_id,
        clients.delete_client,
    ),
    Route(
        "POST", "/admin/oauth/clients/{client_id}/regenerate_secret", Guard.ADMIN,
        bodies.oauth_client_id, clients.regenerate_secret,
    ),
    Route(
        "POST", "/oauth/clients/register", Guard.PUBLIC, bodies.oauth_client, clients.register,
        limits=("register",),
    ),
    Route(
        "GET", "/oauth/authorize", Guard.PUBLIC, bodies.oauth_authorize, authorize.authorize,
        limits=("authorize",),
    ),
    Route(
        "GET", "/oauth/authorizations/{authorization_id}", Guard.USER, bodies.authorization,
        authorize.details,
    ),
    Route(
        "POST", "/oauth/authorizations/{authorization_id}/consent", Guard.USER,
        bodies.authorization, authorize.decide,
    ),
    Route(
        "POST", "/oauth/token", Guard.PUBLIC, bodies.oauth_token, token.token,
        limits=("oauth_token",),
    ),
    Route("GET", "/oauth/userinfo", Guard.USER, nothing, token.user_info, for_clients=True),
    Route(
        "GET", "/user/oauth/grants", Guard.USER, nothing, authorize.list_grants,
    ),
    Route(
        "DELETE", "/user/oauth/grants", Guard.USER, bodies.granted_client, authorize.revoke_grant,
    ),
)  # fmt: skip
