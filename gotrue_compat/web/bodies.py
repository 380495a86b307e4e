"""Incoming requests to the records that flows take."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import replace
from uuid import UUID

from compat_base.values.errors import ApiError, Row
from gotrue_compat import errors
from gotrue_compat.features.admin.audit import AuditAsk
from gotrue_compat.features.admin.factors import FactorAsk
from gotrue_compat.features.admin.invite import Invitation
from gotrue_compat.features.admin.links import LinkAsk
from gotrue_compat.features.admin.users import ListAsk, UserChangeAsk, UserDeletion, UserRecord
from gotrue_compat.features.custom_providers.flow import ProviderChange, ProviderRecord
from gotrue_compat.features.external.finish import Callback
from gotrue_compat.features.external.id_token import IdTokenAsk
from gotrue_compat.features.external.start import Start
from gotrue_compat.features.mfa.challenge import ChallengeAsk
from gotrue_compat.features.mfa.enroll import Enrollment
from gotrue_compat.features.mfa.verify import FactorProof
from gotrue_compat.features.oauth_server.authorize import AuthorizeAsk, ConsentAsk
from gotrue_compat.features.oauth_server.clients import ClientChange, ClientRecord
from gotrue_compat.features.oauth_server.token import TokenAsk
from gotrue_compat.features.passkeys.flow import AdminPasskeyAsk, CeremonyProof, PasskeyAsk
from gotrue_compat.features.sso.finish import SamlAnswer
from gotrue_compat.features.sso.providers import SsoChange, SsoRecord
from gotrue_compat.features.sso.start import SsoAsk
from gotrue_compat.features.web3.flow import WalletSignIn
from gotrue_compat.flows.exchange_code import CodeExchange
from gotrue_compat.flows.otp import OtpAsk
from gotrue_compat.flows.recover import Recovery
from gotrue_compat.flows.refresh import RefreshAsk
from gotrue_compat.flows.resend import ResendAsk
from gotrue_compat.flows.sign_in_password import PasswordSignIn
from gotrue_compat.flows.sign_up import SignUp
from gotrue_compat.flows.update_user import UserChange
from gotrue_compat.flows.verify import Verification
from gotrue_compat.web.incoming import Incoming, Members


def nothing(_incoming: Incoming) -> None:
    """Calls that take nothing."""


def sign_up(incoming: Incoming) -> SignUp:
    """POST /signup."""
    body = incoming.json
    return SignUp(
        email=body.text("email"),
        phone=body.text("phone"),
        password=body.text("password"),
        data=body.object("data"),
        channel=body.text("channel"),
        code_challenge=body.text("code_challenge"),
        code_challenge_method=body.text("code_challenge_method"),
    )


def password(incoming: Incoming) -> PasswordSignIn:
    """POST /token?grant_type=password."""
    body = incoming.json
    return PasswordSignIn(body.text("email"), body.text("phone"), body.text("password"))


def refresh(incoming: Incoming) -> RefreshAsk:
    """POST /token?grant_type=refresh_token."""
    return RefreshAsk(incoming.json.text("refresh_token"))


def pkce(incoming: Incoming) -> CodeExchange:
    """POST /token?grant_type=pkce."""
    body = incoming.json
    return CodeExchange(body.text("auth_code"), body.text("code_verifier"))


def otp(incoming: Incoming) -> OtpAsk:
    """POST /otp and POST /magiclink."""
    body = incoming.json
    return OtpAsk(
        email=body.text("email"),
        phone=body.text("phone"),
        create_user=body.flag("create_user", default=True),
        data=body.object("data"),
        channel=body.text("channel"),
        code_challenge=body.text("code_challenge"),
        code_challenge_method=body.text("code_challenge_method"),
    )


def recovery(incoming: Incoming) -> Recovery:
    """POST /recover."""
    body = incoming.json
    return Recovery(
        body.text("email"), body.text("code_challenge"), body.text("code_challenge_method")
    )


def resend(incoming: Incoming) -> ResendAsk:
    """POST /resend."""
    body = incoming.json
    return ResendAsk(
        kind=body.text("type"),
        email=body.text("email"),
        phone=body.text("phone"),
        code_challenge=body.text("code_challenge"),
        code_challenge_method=body.text("code_challenge_method"),
    )


def verification(incoming: Incoming) -> Verification:
    """POST /verify."""
    body = incoming.json
    return Verification(
        kind=body.text("type"),
        token=body.text("token"),
        token_hash=body.text("token_hash"),
        email=body.text("email"),
        phone=body.text("phone"),
        redirect_to=body.text("redirect_to"),
    )


def link(incoming: Incoming) -> Verification:
    """GET /verify."""
    query = incoming.query
    return Verification(kind=query.get("type", ""), token=query.get("token", ""))


def user_change(incoming: Incoming) -> UserChange:
    """PUT /user."""
    body = incoming.json
    return UserChange(
        email=body.text("email"),
        phone=body.text("phone"),
        password=body.optional_text("password"),
        current_password=body.text("current_password"),
        nonce=body.text("nonce"),
        data=body.object("data"),
        app_metadata=body.object("app_metadata"),
        channel=body.text("channel"),
        code_challenge=body.text("code_challenge"),
        code_challenge_method=body.text("code_challenge_method"),
    )


def logout_scope(incoming: Incoming) -> str:
    """POST /logout."""
    return incoming.query.get("scope") or "global"


def invitation(incoming: Incoming) -> Invitation:
    """POST /invite."""
    return Invitation(incoming.json.text("email"), incoming.json.object("data"))


def user_list(incoming: Incoming) -> ListAsk:
    """GET /admin/users."""
    query = incoming.query
    return ListAsk(
        page=query.get("page", ""),
        per_page=query.get("per_page", ""),
        filter=query.get("filter", ""),
        sort=query.get("sort", ""),
        limit=query.get("limit", ""),
        cursor=query.get("cursor", ""),
    )


def user_record(incoming: Incoming) -> UserRecord:
    """POST /admin/users."""
    body = incoming.json
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
    return incoming.uuid("user_id", errors.USER_ID_FORM)


def user_record_change(incoming: Incoming) -> UserChangeAsk:
    """PUT /admin/users/{user_id}."""
    return UserChangeAsk(user_id(incoming), user_record(incoming))


def user_deletion(incoming: Incoming) -> UserDeletion:
    """DELETE /admin/users/{user_id}."""
    wanted = user_id(incoming)
    return UserDeletion(wanted, incoming.json_if_any.flag("should_soft_delete"))


def user_factor(incoming: Incoming) -> FactorAsk:
    """PUT and DELETE /admin/users/{user_id}/factors/{factor_id}."""
    user, factor = user_id(incoming), incoming.uuid("factor_id", errors.FACTOR_ID_FORM)
    body = incoming.json_if_any
    return FactorAsk(user, factor, body.text("friendly_name"), body.text("phone"))


def link_ask(incoming: Incoming) -> LinkAsk:
    """POST /admin/generate_link."""
    body = incoming.json
    return LinkAsk(
        kind=body.text("type"),
        email=body.text("email"),
        new_email=body.text("new_email"),
        password=body.text("password"),
        data=body.object("data"),
        redirect_to=body.text("redirect_to"),
    )


def enrollment(incoming: Incoming) -> Enrollment:
    """POST /factors."""
    body = incoming.json
    return Enrollment(
        factor_type=body.text("factor_type"),
        friendly_name=body.text("friendly_name"),
        issuer=body.text("issuer"),
        phone=body.text("phone"),
    )


def factor_id(incoming: Incoming) -> UUID:
    """Paths below /factors/{factor_id}."""
    return incoming.uuid("factor_id", errors.FACTOR_ID_FORM)


def challenge(incoming: Incoming) -> ChallengeAsk:
    """POST /factors/{factor_id}/challenge; the body may be empty."""
    wanted, body = factor_id(incoming), incoming.json_if_any
    party = body.within("webauthn")
    origins = party.list_or_text("rpOrigins") or party.list_or_text("rp_origins")
    return ChallengeAsk(
        wanted, body.text("channel"), party.text("rpId") or party.text("rp_id"), origins
    )


def factor_proof(incoming: Incoming) -> FactorProof:
    """POST /factors/{factor_id}/verify."""
    body = incoming.json
    response = body.within("webauthn")
    return FactorProof(
        factor_id=factor_id(incoming),
        challenge_id=body.text("challenge_id"),
        code=body.text("code"),
        has_webauthn="webauthn" in body,
        webauthn_kind=response.text("type"),
        webauthn_response=response.object_at_last("credential_response"),
    )


def start(incoming: Incoming) -> Start:
    """GET /authorize and GET /user/identities/authorize."""
    query = incoming.query
    return Start(
        provider=query.get("provider", ""),
        scopes=query.get("scopes", ""),
        code_challenge=query.get("code_challenge", ""),
        code_challenge_method=query.get("code_challenge_method", ""),
        invite_token=query.get("invite_token", ""),
        skip_redirect=query.get("skip_http_redirect", "") == "true",
        more=query,
    )


def callback(incoming: Incoming) -> Callback:
    """GET and POST /callback."""
    told = {**incoming.query, **incoming.form}
    return Callback(
        state=told.get("state", ""),
        code=told.get("code", ""),
        error=told.get("error", ""),
        error_description=told.get("error_description", ""),
        oauth_token=told.get("oauth_token", ""),
        oauth_verifier=told.get("oauth_verifier", ""),
        form=incoming.form,
    )


def identity_id(incoming: Incoming) -> UUID:
    """DELETE /user/identities/{identity_id}."""
    return incoming.uuid("identity_id", errors.IDENTITY_ID_FORM)


def id_token(incoming: Incoming) -> IdTokenAsk:
    """POST /token?grant_type=id_token."""
    body = incoming.json
    return IdTokenAsk(
        id_token=body.text("id_token"),
        provider=body.text("provider"),
        client_id=body.text("client_id"),
        issuer=body.text("issuer"),
        access_token=body.text("access_token"),
        nonce=body.text("nonce"),
        link_identity=body.flag("link_identity"),
    )


def ceremony(incoming: Incoming) -> CeremonyProof:
    """POST /passkeys/registration/verify and /passkeys/authentication/verify."""
    body = incoming.json
    return CeremonyProof(body.text("challenge_id"), body.object_at_last("credential"))


def passkey(incoming: Incoming) -> PasskeyAsk:
    """DELETE /passkeys/{passkey_id}."""
    return PasskeyAsk(incoming.uuid("passkey_id", errors.PASSKEY_NOT_FOUND))


def passkey_name(incoming: Incoming) -> PasskeyAsk:
    """PATCH /passkeys/{passkey_id}."""
    return replace(passkey(incoming), friendly_name=incoming.json.text("friendly_name"))


def user_passkey(incoming: Incoming) -> AdminPasskeyAsk:
    """DELETE /admin/users/{user_id}/passkeys/{passkey_id}."""
    wanted = incoming.uuid("passkey_id", errors.PASSKEY_NOT_FOUND)
    return AdminPasskeyAsk(user_id(incoming), wanted)


def oauth_client(incoming: Incoming) -> ClientRecord:
    """POST /admin/oauth/clients and POST /oauth/clients/register."""
    with _worded(errors.OAUTH_BODY):
        return _oauth_client(incoming.json)


def _oauth_client(body: Members) -> ClientRecord:
    return ClientRecord(
        redirect_uris=body.texts("redirect_uris"),
        grant_types=body.texts("grant_types"),
        client_name=body.optional_text("client_name"),
        client_uri=body.optional_text("client_uri"),
        logo_uri=body.optional_text("logo_uri"),
        client_type=body.text("client_type"),
        token_endpoint_auth_method=body.text("token_endpoint_auth_method"),
    )


def oauth_client_id(incoming: Incoming) -> UUID:
    """Paths below /admin/oauth/clients/{client_id}."""
    return incoming.uuid("client_id", errors.OAUTH_CLIENT_ID_FORM)


def oauth_client_change(incoming: Incoming) -> ClientChange:
    """PUT /admin/oauth/clients/{client_id}."""
    return ClientChange(oauth_client_id(incoming), oauth_client(incoming))


def oauth_authorize(incoming: Incoming) -> AuthorizeAsk:
    """GET /oauth/authorize."""
    query = incoming.query
    return AuthorizeAsk(
        client_id=query.get("client_id", ""),
        redirect_uri=query.get("redirect_uri", ""),
        response_type=query.get("response_type", ""),
        scope=query.get("scope", ""),
        state=query.get("state", ""),
        resource=query.get("resource", ""),
        code_challenge=query.get("code_challenge", ""),
        code_challenge_method=query.get("code_challenge_method", ""),
        nonce=query.get("nonce", ""),
    )


def authorization_id(incoming: Incoming) -> str:
    """GET /oauth/authorizations/{authorization_id}."""
    return incoming.path["authorization_id"]


def consent(incoming: Incoming) -> ConsentAsk:
    """POST /oauth/authorizations/{authorization_id}/consent."""
    origin = incoming.request.header("origin") or ""
    with _worded(errors.OAUTH_CONSENT_BODY):
        return ConsentAsk(authorization_id(incoming), origin, incoming.json.text("action"))


def oauth_token(incoming: Incoming) -> TokenAsk:
    """POST /oauth/token, as a form or as JSON."""
    form = incoming.form
    header = incoming.request.header("authorization") or ""
    try:
        body = Members({**incoming.query, **form}) if form else incoming.json
        return TokenAsk(
            grant_type=body.text("grant_type"),
            code=body.text("code"),
            refresh_token=body.text("refresh_token"),
            redirect_uri=body.text("redirect_uri"),
            client_id=body.text("client_id"),
            client_secret=body.text("client_secret"),
            code_verifier=body.text("code_verifier"),
            resource=body.text("resource"),
            authorization=header,
        )
    except ApiError:  # judged once it is known whether the client needs the body to prove itself
        kind = incoming.request.header("content-type") or ""
        is_json = "application/json" in kind
        return TokenAsk(authorization=header, is_readable=False, is_json=is_json)


@contextmanager
def _worded(row: Row) -> Generator[None]:
    """Refuse a body that is not of the right form by this row."""
    try:
        yield
    except ApiError as error:
        raise ApiError.of(row) from error


def granted_client(incoming: Incoming) -> str:
    """DELETE /user/oauth/grants."""
    return incoming.query.get("client_id", "")


def custom_provider(incoming: Incoming) -> ProviderRecord:
    """POST /admin/custom-providers."""
    body = incoming.json
    texts = (
        "name", "client_id", "issuer", "discovery_url", "authorization_url", "token_url",
        "userinfo_url", "jwks_uri",
    )  # fmt: skip
    lists = ("acceptable_client_ids", "scopes", "custom_claims_allowlist")
    flags = ("pkce_enabled", "enabled", "email_optional", "skip_nonce_check")
    objects = ("attribute_mapping", "authorization_params")
    members = {
        **{name: body.text(name) for name in texts if body.text(name)},
        **{name: list(body.texts(name) or ()) for name in lists if name in body},
        **{name: body.flag(name) for name in flags if name in body},
        **{name: body.object(name) for name in objects if name in body},
    }
    return ProviderRecord(
        provider_type=body.text("provider_type"),
        identifier=body.text("identifier"),
        client_secret=body.text("client_secret"),
        members=members,
    )


def custom_identifier(incoming: Incoming) -> str:
    """Paths below /admin/custom-providers/{identifier}."""
    return incoming.path["identifier"]


def custom_provider_change(incoming: Incoming) -> ProviderChange:
    """PUT /admin/custom-providers/{identifier}."""
    return ProviderChange(custom_identifier(incoming), custom_provider(incoming))


def custom_kind(incoming: Incoming) -> str:
    """GET /admin/custom-providers."""
    return incoming.query.get("type", "")


def wallet(incoming: Incoming) -> WalletSignIn:
    """POST /token?grant_type=web3."""
    body = incoming.json
    return WalletSignIn(body.text("chain"), body.text("message"), body.text("signature"))


def sso(incoming: Incoming) -> SsoAsk:
    """POST /sso."""
    body = incoming.json
    return SsoAsk(
        provider_id=_uuid_of(body, "provider_id"),
        domain=body.text("domain"),
        redirect_to=body.text("redirect_to"),
        skip_redirect=body.flag("skip_http_redirect"),
        code_challenge=body.text("code_challenge"),
        code_challenge_method=body.text("code_challenge_method"),
    )


_UUID_LENGTHS = frozenset({32, 34, 36, 38, 41, 45})  # plain, in braces, with hyphens, as URN


def _uuid_of(body: Members, name: str) -> UUID | None:
    """A UUID; None where it is absent or the nil one."""
    text = body.text(name)
    try:
        found = UUID(text) if text else None
    except ValueError as error:
        wrong = "format in" if len(text) in _UUID_LENGTHS else f"length {len(text)} in"
        reason = f'uuid: incorrect UUID {wrong} string "{text}"'
        raise ApiError.of(errors.BAD_JSON, reason=reason) from error
    return found if found and found.int else None


def saml_answer(incoming: Incoming) -> SamlAnswer:
    """POST /sso/saml/acs."""
    form = incoming.form
    names = ("SAMLResponse", "RelayState", "SAMLart")
    return SamlAnswer(*(form.get(name, "") for name in names))


def sso_record(incoming: Incoming) -> SsoRecord:
    """POST /admin/sso/providers."""
    body = incoming.json
    return SsoRecord(
        kind=body.text("type"),
        metadata_url=body.text("metadata_url"),
        metadata_xml=body.text("metadata_xml"),
        resource_id=body.optional_text("resource_id"),
        disabled=body.optional_flag("disabled"),
        domains=body.texts("domains"),
        attribute_mapping=body.object("attribute_mapping"),
        name_id_format=body.optional_text("name_id_format"),
    )


def sso_name(incoming: Incoming) -> str:
    """Paths below /admin/sso/providers/{idp_id}."""
    return incoming.path["idp_id"]


def sso_change(incoming: Incoming) -> SsoChange:
    """PUT /admin/sso/providers/{idp_id}."""
    return SsoChange(sso_name(incoming), sso_record(incoming))


def sso_resource(incoming: Incoming) -> str:
    """GET /admin/sso/providers."""
    return incoming.query.get("resource_id_prefix", "")


def audit(incoming: Incoming) -> AuditAsk:
    """GET /admin/audit."""
    query = incoming.query
    return AuditAsk(query.get("page", ""), query.get("per_page", ""), query.get("query", ""))
