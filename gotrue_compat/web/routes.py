"""The whole surface as one table: method, path, who may call, what is read, done and shown."""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from enum import Enum
from functools import cache
from typing import Any

from compat_base.values.errors import Row
from gotrue_compat import errors
from gotrue_compat.features.admin import audit, factors, invite, links, users
from gotrue_compat.features.custom_providers import flow as custom_providers
from gotrue_compat.features.external import finish as external_finish
from gotrue_compat.features.external import id_token
from gotrue_compat.features.external import start as external_start
from gotrue_compat.features.mfa import challenge, enroll
from gotrue_compat.features.mfa import verify as mfa_verify
from gotrue_compat.features.oauth_server import authorize, clients, token
from gotrue_compat.features.passkeys import flow as passkeys
from gotrue_compat.features.sso import finish as sso_finish
from gotrue_compat.features.sso import providers
from gotrue_compat.features.sso import start as sso
from gotrue_compat.features.web3 import flow as web3
from gotrue_compat.flows import (
    anonymous,
    discovery,
    exchange_code,
    identities,
    otp,
    reauthenticate,
    recover,
    refresh,
    resend,
    sign_in_password,
    sign_out,
    sign_up,
    update_user,
    verify,
)
from gotrue_compat.ports import Deps, Visit
from gotrue_compat.settings import Settings
from gotrue_compat.web import bodies
from gotrue_compat.web.incoming import Incoming


class Guard(Enum):
    """Who may call."""

    PUBLIC = "anybody"
    USER = "a user's token"
    PERSON = "a user's token, and the user is not anonymous"
    MAYBE = "anybody; a user's token counts where the body says so"
    ADMIN = "a token with an admin role"


@dataclass(frozen=True, slots=True)
class Route:
    """One line of the table.

    `grant` picks among routes of one path by `grant_type`; `limits` names rate limits; `feature`
    gives the error's row where settings switch the route off.
    """

    method: str
    path: str
    guard: Guard
    body: Callable[[Incoming], Any]
    flow: Callable[[Deps, Visit, Any], Awaitable[Any]]
    limits: tuple[str, ...] = ()
    captcha: bool = False
    grant: str = ""
    feature: Callable[[Settings], Row | None] | None = None


def _email_on(settings: Settings) -> Row | None:
    return None if settings.email.enabled else errors.RECOVERY_DISABLED


def _linking_on(settings: Settings) -> Row | None:
    return None if settings.security.manual_linking else errors.LINKING_DISABLED


def _wallets_on(settings: Settings) -> Row | None:
    return None if settings.web3.solana or settings.web3.ethereum else errors.WEB3_DISABLED


def _passkeys_on(settings: Settings) -> Row | None:
    return None if settings.webauthn.passkeys else errors.PASSKEY_DISABLED


def _server_on(settings: Settings) -> Row | None:
    return None if settings.oauth_server.enabled else errors.OAUTH_SERVER_DISABLED


def _saml_on(settings: Settings) -> Row | None:
    return None if settings.saml.enabled else errors.SAML_DISABLED


def _custom_on(settings: Settings) -> Row | None:
    return None if settings.external.custom else errors.CUSTOM_PROVIDERS_DISABLED


# Limits whose routes share one budget: each of the others has one of its own
SHARED = frozenset({"verify", "send", "authorize", "callback", "passkey_verify", "oauth_token"})

_SENDS = ("otp", "send")
_P, _U, _A = Guard.PUBLIC, Guard.USER, Guard.ADMIN

ROUTES: tuple[Route, ...] = (
    Route("GET", "/health", _P, bodies.nothing, discovery.health),
    Route("GET", "/settings", _P, bodies.nothing, discovery.settings),
    Route("GET", "/.well-known/jwks.json", _P, bodies.nothing, discovery.key_set),
    Route(
        "GET", "/.well-known/openid-configuration", _P, bodies.nothing,
        discovery.openid_configuration,
    ),
    Route(
        "POST", "/signup", _P, bodies.sign_up, sign_up.sign_up, limits=("sign_up",), captcha=True
    ),
    Route(
        "POST", "/token", _P, bodies.password, sign_in_password.sign_in,
        limits=("token",), captcha=True, grant="password",
    ),
    Route(
        "POST", "/token", _P, bodies.refresh, refresh.refresh, limits=("token",),
        grant="refresh_token",
    ),
    Route(
        "POST", "/token", _P, bodies.pkce, exchange_code.exchange_code, limits=("token",),
        grant="pkce",
    ),
    Route(
        "POST", "/token", Guard.MAYBE, bodies.id_token, id_token.sign_in_with_id_token,
        limits=("token",), grant="id_token",
    ),
    Route(
        "POST", "/token", _P, bodies.wallet, web3.sign_in_with_wallet, limits=("web3",),
        captcha=True, grant="web3", feature=_wallets_on,
    ),
    Route(
        "GET", "/authorize", _P, bodies.start, external_start.authorize, limits=("authorize",)
    ),
    Route(
        "GET", "/callback", _P, bodies.callback, external_finish.finish, limits=("callback",)
    ),
    Route(
        "POST", "/callback", _P, bodies.callback, external_finish.finish, limits=("callback",)
    ),
    Route(
        "GET", "/user/identities/authorize", _U, bodies.start, external_start.authorize_linking,
        limits=("authorize",), feature=_linking_on,
    ),
    Route(
        "DELETE", "/user/identities/{identity_id}", _U, bodies.identity_id, identities.unlink,
        feature=_linking_on,
    ),
    Route(
        "POST", "/recover", _P, bodies.recovery, recover.recover,
        limits=_SENDS, captcha=True, feature=_email_on,
    ),
    Route("POST", "/resend", _P, bodies.resend, resend.resend, limits=_SENDS, captcha=True),
    Route("POST", "/otp", _P, bodies.otp, otp.send_otp, limits=_SENDS, captcha=True),
    Route("POST", "/magiclink", _P, bodies.otp, otp.send_magic_link, limits=_SENDS, captcha=True),
    Route("POST", "/verify", _P, bodies.verification, verify.verify, limits=("verify",)),
    Route("GET", "/verify", _P, bodies.link, verify.follow_link, limits=("verify",)),
    Route("GET", "/user", _U, bodies.nothing, update_user.get_user),
    Route("PUT", "/user", _U, bodies.user_change, update_user.update_user, limits=("otp",)),
    Route("POST", "/logout", _U, bodies.logout_scope, sign_out.sign_out),
    Route(
        "GET", "/reauthenticate", _U, bodies.nothing, reauthenticate.reauthenticate,
        limits=("send",),
    ),
    Route("POST", "/factors", Guard.PERSON, bodies.enrollment, enroll.enroll),
    Route(
        "POST", "/factors/{factor_id}/challenge", Guard.PERSON, bodies.challenge,
        challenge.challenge, limits=("factor",),
    ),
    Route(
        "POST", "/factors/{factor_id}/verify", Guard.PERSON, bodies.factor_proof,
        mfa_verify.verify_factor, limits=("factor",),
    ),
    Route(
        "DELETE", "/factors/{factor_id}", Guard.PERSON, bodies.factor_id, enroll.unenroll
    ),
    Route("POST", "/invite", _A, bodies.invitation, invite.invite),
    Route("GET", "/admin/users", _A, bodies.user_list, users.list_users),
    Route("POST", "/admin/users", _A, bodies.user_record, users.create_user),
    Route("GET", "/admin/users/{user_id}", _A, bodies.user_id, users.get_user),
    Route("PUT", "/admin/users/{user_id}", _A, bodies.user_record_change, users.update_user),
    Route("DELETE", "/admin/users/{user_id}", _A, bodies.user_deletion, users.delete_user),
    Route("GET", "/admin/users/{user_id}/factors", _A, bodies.user_id, factors.list_factors),
    Route(
        "PUT", "/admin/users/{user_id}/factors/{factor_id}", _A, bodies.user_factor,
        factors.update_factor,
    ),
    Route(
        "DELETE", "/admin/users/{user_id}/factors/{factor_id}", _A, bodies.user_factor,
        factors.delete_factor,
    ),
    Route(
        "POST", "/passkeys/registration/options", Guard.PERSON, bodies.nothing,
        passkeys.registration_options, feature=_passkeys_on,
    ),
    Route(
        "POST", "/passkeys/registration/verify", Guard.PERSON, bodies.ceremony,
        passkeys.register, limits=("passkey_verify",), feature=_passkeys_on,
    ),
    Route(
        "POST", "/passkeys/authentication/options", _P, bodies.nothing,
        passkeys.authentication_options, limits=("passkey",), captcha=True, feature=_passkeys_on,
    ),
    Route(
        "POST", "/passkeys/authentication/verify", _P, bodies.ceremony,
        passkeys.authenticate, limits=("passkey_verify",), feature=_passkeys_on,
    ),
    Route("GET", "/passkeys", _U, bodies.nothing, passkeys.list_own, feature=_passkeys_on),
    Route(
        "PATCH", "/passkeys/{passkey_id}", _U, bodies.passkey_name, passkeys.rename,
        feature=_passkeys_on,
    ),
    Route(
        "DELETE", "/passkeys/{passkey_id}", _U, bodies.passkey, passkeys.delete_own,
        feature=_passkeys_on,
    ),
    Route("GET", "/admin/users/{user_id}/passkeys", _A, bodies.user_id, passkeys.admin_list),
    Route(
        "DELETE", "/admin/users/{user_id}/passkeys/{passkey_id}", _A, bodies.user_passkey,
        passkeys.admin_delete,
    ),
    Route(
        "GET", "/.well-known/oauth-authorization-server", _P, bodies.nothing,
        discovery.openid_configuration, feature=_server_on,
    ),
    Route(
        "POST", "/admin/oauth/clients", _A, bodies.oauth_client, clients.create,
        feature=_server_on,
    ),
    Route(
        "GET", "/admin/oauth/clients", _A, bodies.nothing, clients.list_clients,
        feature=_server_on,
    ),
    Route(
        "GET", "/admin/oauth/clients/{client_id}", _A, bodies.oauth_client_id,
        clients.get_client, feature=_server_on,
    ),
    Route(
        "PUT", "/admin/oauth/clients/{client_id}", _A, bodies.oauth_client_change,
        clients.update_client, feature=_server_on,
    ),
    Route(
        "DELETE", "/admin/oauth/clients/{client_id}", _A, bodies.oauth_client_id,
        clients.delete_client, feature=_server_on,
    ),
    Route(
        "POST", "/admin/oauth/clients/{client_id}/regenerate_secret", _A,
        bodies.oauth_client_id, clients.regenerate_secret, feature=_server_on,
    ),
    Route(
        "POST", "/oauth/clients/register", _P, bodies.oauth_client, clients.register,
        limits=("register",), feature=_server_on,
    ),
    Route(
        "GET", "/oauth/authorize", _P, bodies.oauth_authorize, authorize.authorize,
        limits=("authorize",), feature=_server_on,
    ),
    Route(
        "GET", "/oauth/authorizations/{authorization_id}", _U, bodies.authorization_id,
        authorize.details, feature=_server_on,
    ),
    Route(
        "POST", "/oauth/authorizations/{authorization_id}/consent", _U, bodies.consent,
        authorize.decide, feature=_server_on,
    ),
    Route(
        "POST", "/oauth/token", _P, bodies.oauth_token, token.token,
        limits=("oauth_token",), feature=_server_on,
    ),
    Route("GET", "/oauth/userinfo", _U, bodies.nothing, token.user_info, feature=_server_on),
    Route(
        "GET", "/user/oauth/grants", _U, bodies.nothing, authorize.list_grants,
        feature=_server_on,
    ),
    Route(
        "DELETE", "/user/oauth/grants", _U, bodies.granted_client, authorize.revoke_grant,
        feature=_server_on,
    ),
    Route(
        "GET", "/admin/custom-providers", _A, bodies.custom_kind,
        custom_providers.list_providers, feature=_custom_on,
    ),
    Route(
        "POST", "/admin/custom-providers", _A, bodies.custom_provider,
        custom_providers.create_provider, feature=_custom_on,
    ),
    Route(
        "GET", "/admin/custom-providers/{identifier}", _A, bodies.custom_identifier,
        custom_providers.get_provider, feature=_custom_on,
    ),
    Route(
        "PUT", "/admin/custom-providers/{identifier}", _A, bodies.custom_provider_change,
        custom_providers.update_provider, feature=_custom_on,
    ),
    Route(
        "DELETE", "/admin/custom-providers/{identifier}", _A, bodies.custom_identifier,
        custom_providers.delete_provider, feature=_custom_on,
    ),
    Route(
        "POST", "/sso", _P, bodies.sso, sso.start, limits=("sso",), captcha=True, feature=_saml_on
    ),
    Route(
        "GET", "/sso/saml/metadata", _P, bodies.nothing, sso.metadata, limits=("metadata",),
        feature=_saml_on,
    ),
    Route(
        "POST", "/sso/saml/acs", _P, bodies.saml_answer, sso_finish.consume, limits=("assertion",),
        feature=_saml_on,
    ),
    Route(
        "GET", "/admin/sso/providers", _A, bodies.sso_resource, providers.list_providers
    ),
    Route(
        "POST", "/admin/sso/providers", _A, bodies.sso_record, providers.create_provider
    ),
    Route(
        "GET", "/admin/sso/providers/{idp_id}", _A, bodies.sso_name, providers.get_provider
    ),
    Route(
        "PUT", "/admin/sso/providers/{idp_id}", _A, bodies.sso_change,
        providers.update_provider,
    ),
    Route(
        "DELETE", "/admin/sso/providers/{idp_id}", _A, bodies.sso_name,
        providers.delete_provider,
    ),
    Route("POST", "/admin/generate_link", _A, bodies.link_ask, links.generate_link),
    Route("GET", "/admin/audit", _A, bodies.audit, audit.list_entries),
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Matched:
    """Routes of a path by method, and the path's parameters."""

    by_method: dict[str, tuple[Route, ...]]
    parameters: dict[str, str]


def match(path: str) -> Matched | None:
    """The routes of a path; one slash at its end does not count."""
    wanted = path.removesuffix("/") or "/"
    literal = _by_path().get(wanted)
    if literal is not None:
        return Matched(literal, {})
    for pattern, by_method in _patterns():
        found = pattern.fullmatch(wanted)
        if found is not None:
            return Matched(by_method, found.groupdict())
    return None


ByMethod = dict[str, tuple[Route, ...]]


@cache
def _by_path() -> dict[str, ByMethod]:
    by_path: dict[str, ByMethod] = {}
    for route in ROUTES:
        methods = by_path.setdefault(route.path, {})
        methods[route.method] = (*methods.get(route.method, ()), route)
    return by_path


@cache
def _patterns() -> tuple[tuple[re.Pattern[str], ByMethod], ...]:
    return tuple((_pattern(path), methods) for path, methods in _by_path().items() if "{" in path)


def _pattern(path: str) -> re.Pattern[str]:
    escaped = re.escape(path)
    return re.compile(re.sub(r"\\\{(\w+)\\\}", r"(?P<\1>[^/\0]+)", escaped))


ANONYMOUS = Route(
    "POST", "/signup", _P, bodies.sign_up, anonymous.sign_in_anonymously,
    limits=("anonymous",), captcha=True,
)  # fmt: skip
