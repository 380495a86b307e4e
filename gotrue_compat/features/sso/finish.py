"""Coming back from a SAML provider (auth reference 9.7)."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta
from typing import Any
from uuid import UUID

from compat_base.values.errors import ApiError
from compat_base.values.events import Observation, Severity
from compat_base.values.urls import parse_url
from gotrue_compat import errors
from gotrue_compat.features.external.accounts import (
    Arrival,
    ask_before,
    settle,
    settled,
    with_email,
)
from gotrue_compat.features.sso import saml as rules
from gotrue_compat.features.sso import saml_metadata, store
from gotrue_compat.features.sso.providers import fetched_metadata
from gotrue_compat.features.sso.saml_xml import SamlError
from gotrue_compat.features.sso.start import own_provider
from gotrue_compat.flows import hooks, session_tokens
from gotrue_compat.flows.results import Redirect
from gotrue_compat.flows.transaction import Work, working
from gotrue_compat.flows.verify import session_redirect
from gotrue_compat.model.federation import SamlProvider
from gotrue_compat.model.user import User
from gotrue_compat.ports import Deps, Visit
from gotrue_compat.rules import redirects, urls
from gotrue_compat.rules.identities import ExternalEmail, ExternalIdentity
from gotrue_compat.store import tokens as token_store

_METHOD = "sso/saml"


@dataclass(frozen=True, slots=True)
class SamlAnswer:
    """What a provider posts."""

    response: str = ""
    relay_state: str = ""
    artifact: str = ""


@dataclass(frozen=True, slots=True)
class _Begun:
    """Whose answer it is and where it leads; a request of ours has an id, and maybe a flow."""

    provider: SamlProvider
    target: str
    request_id: str | None = None
    flow_id: UUID | None = None


async def consume(deps: Deps, visit: Visit, ask: SamlAnswer) -> Redirect:
    """Take a provider's assertion and send the browser back; every failure is a redirect too."""
    try:
        return Redirect(await _consumed(deps, visit, ask))
    except ApiError as error:
        values = urls.callback_values(error.problem)
        return Redirect(urls.with_query(deps.settings.site_url, values))


async def _consumed(deps: Deps, visit: Visit, ask: SamlAnswer) -> str:
    begun = await _begun(deps, visit, ask)
    provider = begun.provider
    try:
        idp = await _current_metadata(deps, visit, provider)
        own = own_provider(deps, visit)
        assertion = rules.read_response(ask.response, own, idp, visit.now, begun.request_id)
    except SamlError as error:
        facts = {"provider": str(provider.id), "error": str(error)}
        deps.observer(Observation("saml_refused", Severity.WARNING, facts))
        raise ApiError.of(errors.SAML_ASSERTION) from error
    arrival = with_email(_arrival(provider, assertion))
    await ask_before(deps, visit, arrival)

    async def attempt() -> tuple[User, bool, str]:
        async with working(deps, visit) as work:
            user, problem, is_new = await settle(work, arrival)
            if problem is not None:
                raise ApiError(problem)
            return user, is_new, await _leave(work, user, begun, assertion)

    user, is_new, url = await settled(attempt)
    if is_new:
        await hooks.after_user(deps, visit, user)
    return url


async def _begun(deps: Deps, visit: Visit, ask: SamlAnswer) -> _Begun:
    """What a relay state tells, which is used once; without one a provider began this."""
    relay_id = _uuid(ask.relay_state)
    if relay_id is not None:
        return await _begun_by_us(deps, visit, relay_id)
    is_url = ask.relay_state.startswith("/") or parse_url(ask.relay_state) is not None
    if ask.relay_state and not is_url:
        raise ApiError.of(errors.SAML_REFUSED, text="SAML RelayState is not a valid UUID or URL")
    if ask.artifact:
        text = "SAML Artifact response can only be used with SP initiated flow"
        raise ApiError.of(errors.SAML_REFUSED, text=text)
    if not ask.response:
        raise ApiError.of(errors.SAML_REFUSED, text="SAMLResponse is missing")
    entity_id = rules.issuer_of(ask.response)
    async with deps.database.acquire() as connection:
        provider = await store.find_by_entity(connection, entity_id)
    if provider is None:
        raise ApiError.of(errors.SAML_IDP_NOT_FOUND)
    settings = deps.settings
    target = redirects.choose((ask.relay_state,), settings.site_url, settings.allow_list)
    return _Begun(_enabled(provider), target)


async def _begun_by_us(deps: Deps, visit: Visit, relay_id: UUID) -> _Begun:
    async with deps.database.acquire() as connection:
        relay = await store.take_relay(connection, relay_id)
        provider = await store.find(connection, relay["sso_provider_id"]) if relay else None
    if relay is None or provider is None:
        raise ApiError.of(errors.SAML_RELAY_NOT_FOUND)
    settings = deps.settings
    if visit.now >= relay["created_at"] + timedelta(seconds=settings.saml.relay_seconds):
        raise ApiError.of(errors.SAML_RELAY_EXPIRED)
    told = relay["redirect_to"] or ""
    target = redirects.choose((told,), settings.site_url, settings.allow_list)
    return _Begun(_enabled(provider), target, relay["request_id"], relay["flow_state_id"])


def _enabled(provider: SamlProvider) -> SamlProvider:
    if provider.disabled:
        raise ApiError.of(errors.SAML_PROVIDER_OFF)
    return provider


def _uuid(text: str) -> UUID | None:
    """A UUID other than the nil one."""
    try:
        found = UUID(text)
    except ValueError:
        return None
    return found if found.int else None


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


async def _leave(work: Work, user: User, begun: _Begun, assertion: rules.Assertion) -> str:
    if begun.flow_id is not None:
        flow = await token_store.lock_flow(work.tx, begun.flow_id)
        if flow is None or flow.user_id is not None:
            raise ApiError.of(errors.STATE_USED)
        await token_store.update_flow(
            work.tx, flow.id, work.now, user_id=user.id, auth_code_issued_at=work.now
        )
        return urls.with_query(begun.target, {"code": flow.auth_code or ""})
    grant = session_tokens.Grant(not_after=assertion.not_after)
    signed_in = await session_tokens.open_session(work, user, _METHOD, grant)
    return session_redirect(begun.target, signed_in)
