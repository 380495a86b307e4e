"""Single sign-on by SAML (auth reference 9.7)."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta
from typing import Any
from urllib.parse import urlsplit
from uuid import UUID

from compat_base.errors import ApiError
from compat_base.events import Observation, Severity
from gotrue_compat import errors
from gotrue_compat.flows import calling, issuing
from gotrue_compat.flows.external_accounts import Arrival, settle, settled, with_email
from gotrue_compat.flows.results import Json, Redirect, Xml
from gotrue_compat.flows.sso_admin import fetched_metadata
from gotrue_compat.flows.verify import session_redirect
from gotrue_compat.flows.work import Work, working
from gotrue_compat.model.federation import SamlProvider
from gotrue_compat.model.user import User
from gotrue_compat.ports import Deps, Visit
from gotrue_compat.rules import redirects, saml_metadata, urls
from gotrue_compat.rules import saml as rules
from gotrue_compat.rules.identities import ExternalEmail, ExternalIdentity
from gotrue_compat.rules.pkce import Challenge, challenge_from
from gotrue_compat.rules.samlxml import SamlError
from gotrue_compat.store import sso as store
from gotrue_compat.store import tokens as token_store

_METHOD = "sso/saml"


@dataclass(frozen=True, slots=True)
class SsoAsk:
    """What a client sends; `skip_redirect` None means as the original: redirect."""

    provider_id: str = ""
    domain: str = ""
    redirect_to: str = ""
    skip_redirect: bool = False
    code_challenge: str = ""
    code_challenge_method: str = ""


@dataclass(frozen=True, slots=True)
class SamlAnswer:
    """What a provider posts."""

    response: str = ""
    relay_state: str = ""


async def start(deps: Deps, visit: Visit, ask: SsoAsk) -> Json | Redirect:
    """Send the browser to the provider of a domain, or give its address."""
    if not ask.provider_id and not ask.domain:
        raise ApiError.of(errors.SSO_PARAMETERS)
    if ask.provider_id and ask.domain:
        raise ApiError.of(errors.SSO_BOTH)
    challenge = challenge_from(ask.code_challenge, ask.code_challenge_method)
    provider = await _provider_of(deps, ask)
    if provider.disabled:
        raise ApiError.of(errors.SSO_PROVIDER_OFF)
    settings = deps.settings
    target = redirects.choose(
        (ask.redirect_to, visit.redirect), settings.site_url, settings.allow_list
    )
    relay_id, own = deps.world.entropy.uuid(), own_provider(deps, visit)
    request_id = f"id-{deps.world.entropy.bytes(20).hex()}"
    idp = saml_metadata.read_metadata(provider.metadata_xml)
    request = rules.authn_request(own, idp, request_id, str(relay_id), visit.now)
    async with working(deps, visit) as work:
        flow_id = await _begin_flow(work, provider, challenge)
        values = {
            "id": relay_id, "sso_provider_id": provider.id, "request_id": request.id,
            "redirect_to": target, "flow_state_id": flow_id, "created_at": visit.now,
            "updated_at": visit.now,
        }  # fmt: skip
        await store.create_relay(work.tx, values)
    return Json({"url": request.url}) if ask.skip_redirect else Redirect(request.url)


async def metadata(deps: Deps, visit: Visit, _ask: None) -> Xml:
    """Our metadata for providers."""
    return Xml(saml_metadata.own_metadata(own_provider(deps, visit), visit.now))


async def consume(deps: Deps, visit: Visit, ask: SamlAnswer) -> Redirect:
    """Take a provider's assertion and send the browser back with a session or a code."""
    own = own_provider(deps, visit)
    provider = await _issuer(deps, ask)
    try:
        idp = await _current_metadata(deps, visit, provider)
        assertion = rules.read_response(ask.response, own, idp, visit.now)
    except SamlError as error:
        facts = {"provider": str(provider.id), "error": str(error)}
        deps.observer(Observation("saml_refused", Severity.WARNING, facts))
        raise ApiError.of(errors.SAML_ASSERTION) from error
    arrival = with_email(_arrival(provider, assertion))

    async def attempt() -> tuple[User, bool, str]:
        async with working(deps, visit) as work:
            target, flow_id = await _relay(work, ask.relay_state, provider, assertion)
            user, problem, is_new = await settle(work, arrival)
            if problem is not None:
                raise ApiError(problem)
            return user, is_new, await _leave(work, user, target, flow_id, assertion)

    user, is_new, url = await settled(attempt)
    if is_new:
        await calling.after_user(deps, visit, user)
    return Redirect(url)


async def _current_metadata(
    deps: Deps, visit: Visit, provider: SamlProvider
) -> saml_metadata.IdentityProvider:
    """The provider's metadata, fetched again where they are stale and published somewhere.

    What cannot be fetched, or is of another provider, leaves the known ones in force.
    """
    known = saml_metadata.read_metadata(provider.metadata_xml)
    fetched_at = provider.metadata_updated_at
    if not provider.metadata_url or fetched_at is None or not known.is_stale(visit.now, fetched_at):
        return known
    try:
        xml = await fetched_metadata(deps, provider.metadata_url)
        fresh = saml_metadata.read_metadata(xml)
    except (ApiError, SamlError) as error:
        facts = {"provider": str(provider.id), "error": str(error)}
        deps.observer(Observation("saml_metadata_stale", Severity.WARNING, facts))
        return known
    if fresh.entity_id != known.entity_id:
        return known
    async with working(deps, visit) as work:
        await store.update(work.tx, provider, visit.now, {}, {"metadata_xml": xml})
    return fresh


def own_provider(deps: Deps, visit: Visit) -> saml_metadata.ServiceProvider:
    """Ourselves in SAML's terms."""
    saml = deps.settings.saml
    base = (saml.external_url or visit.external_url).rstrip("/")
    key = saml_metadata.load_key(saml.private_key.reveal())
    following = saml.next_private_key.reveal()
    return saml_metadata.ServiceProvider(
        f"{base}/sso/saml/metadata", f"{base}/sso/saml/acs", key,
        takes_encrypted=saml.encrypted_assertions,
        next_key=saml_metadata.load_key(following) if following else None,
    )  # fmt: skip


async def _provider_of(deps: Deps, ask: SsoAsk) -> SamlProvider:
    async with deps.database.acquire() as connection:
        if ask.domain:
            found = await store.find_by_domain(connection, ask.domain)
        else:
            try:
                found = await store.find(connection, UUID(ask.provider_id))
            except ValueError as error:
                raise ApiError.of(errors.SSO_NO_SUCH_PROVIDER) from error
    if found is None:
        is_domain = bool(ask.domain)
        row = errors.SSO_PROVIDER_NOT_FOUND if is_domain else errors.SSO_NO_SUCH_PROVIDER
        raise ApiError.of(row)
    return found


async def _begin_flow(
    work: Work, provider: SamlProvider, challenge: Challenge | None
) -> UUID | None:
    if challenge is None:
        return None
    entropy = work.deps.world.entropy
    flow = await token_store.create_flow(
        work.tx,
        {
            "id": entropy.uuid(), "auth_code": str(entropy.uuid()),
            "code_challenge": challenge.value, "code_challenge_method": challenge.method,
            "provider_type": f"sso:{provider.id}", "authentication_method": _METHOD,
            "provider_access_token": "", "provider_refresh_token": "",
            "created_at": work.now, "updated_at": work.now,
        },
    )  # fmt: skip
    return flow.id


async def _issuer(deps: Deps, ask: SamlAnswer) -> SamlProvider:
    try:
        entity_id = rules.issuer_of(ask.response)
    except SamlError as error:
        raise ApiError.of(errors.SAML_ASSERTION) from error
    async with deps.database.acquire() as connection:
        provider = await store.find_by_entity(connection, entity_id)
    if provider is None:
        raise ApiError.of(errors.SAML_IDP_NOT_FOUND)
    if provider.disabled:
        raise ApiError.of(errors.SSO_PROVIDER_OFF)
    return provider


def _arrival(provider: SamlProvider, assertion: rules.Assertion) -> Arrival:
    subject = rules.subject_of(assertion)
    if not subject:
        raise ApiError.of(errors.SAML_NO_USER_ID)
    email = rules.email_of(assertion, provider.attribute_mapping)
    if not email:
        raise ApiError.of(errors.SAML_NO_EMAIL)
    data: dict[str, Any] = {"iss": assertion.issuer, "sub": subject}
    custom = rules.mapped_claims(assertion, provider.attribute_mapping)
    if custom:
        data["custom_claims"] = custom
    emails = (ExternalEmail(email, verified=True, primary=True),)
    return Arrival(f"sso:{provider.id}", ExternalIdentity(subject, emails, data))


async def _relay(
    work: Work, relay_state: str, provider: SamlProvider, assertion: rules.Assertion
) -> tuple[str, UUID | None]:
    """Where to go back to: a request of ours is answered once, else a provider began this."""
    settings = work.deps.settings
    try:
        relay_id = UUID(relay_state)
    except ValueError:
        candidate = relay_state if urlsplit(relay_state).scheme else ""
        target = redirects.choose((candidate,), settings.site_url, settings.allow_list)
        return target, None
    row = await store.take_relay(work.tx, relay_id)
    if row is None or row["sso_provider_id"] != provider.id:
        raise ApiError.of(errors.SAML_RELAY_NOT_FOUND)
    if work.now > row["created_at"] + timedelta(seconds=settings.saml.relay_seconds):
        raise ApiError.of(errors.SAML_RELAY_EXPIRED)
    if assertion.in_response_to != row["request_id"]:
        raise ApiError.of(errors.SAML_ASSERTION)
    return row["redirect_to"] or settings.site_url, row["flow_state_id"]


async def _leave(
    work: Work, user: User, target: str, flow_id: UUID | None, assertion: rules.Assertion
) -> str:
    if flow_id is not None:
        flow = await token_store.lock_flow(work.tx, flow_id)
        if flow is None:
            raise ApiError.of(errors.SAML_RELAY_NOT_FOUND)
        await token_store.update_flow(
            work.tx, flow.id, work.now, user_id=user.id, auth_code_issued_at=work.now
        )
        return urls.with_query(target, {"code": flow.auth_code or ""})
    grant = issuing.Grant(not_after=assertion.not_after)
    signed_in = await issuing.open_session(work, user, _METHOD, grant)
    return session_redirect(target, signed_in)
