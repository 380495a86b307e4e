"""The assertion consumer service of SAML (auth reference 9.7)."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from uuid import UUID

from compat_base.values.errors import ApiError
from compat_base.values.events import Observation, Severity
from compat_base.values.urls import parse_url
from gotrue_compat.core import hooks, session_tokens
from gotrue_compat.core.rate_limits import is_replayed
from gotrue_compat.core.results import Redirect
from gotrue_compat.core.session_tokens import session_redirect
from gotrue_compat.core.unit_of_work import UnitOfWork, unit_of_work
from gotrue_compat.features.external import errors as external_errors
from gotrue_compat.features.external.accounts import (
    Account,
    ExternalLogin,
    check_user_creation,
    resolve_account,
    retry_on_conflict,
    with_email,
)
from gotrue_compat.features.sso import errors as sso_errors
from gotrue_compat.features.sso import saml_metadata, saml_response, store
from gotrue_compat.features.sso.bodies import SamlResponse
from gotrue_compat.features.sso.providers import fetched_metadata
from gotrue_compat.features.sso.saml_claims import (
    Assertion,
    email_of,
    identity_data,
    subject_of,
)
from gotrue_compat.features.sso.saml_xml import SamlError
from gotrue_compat.features.sso.start import own_provider
from gotrue_compat.http.context import RequestContext
from gotrue_compat.http.dependencies import Dependencies
from gotrue_compat.model.external_identity import ExternalEmail, ExternalIdentity
from gotrue_compat.model.federation import SamlProvider
from gotrue_compat.model.user import User
from gotrue_compat.rules.otp import is_expired
from gotrue_compat.store import tokens as token_store
from gotrue_compat.urls import links, redirects

_METHOD = "sso/saml"


@dataclass(frozen=True, slots=True)
class _SignInRequest:
    """The sign-in that a response answers: provider, return address, our request and its flow.

    A provider may begin one itself: then there is neither request nor flow.
    """

    provider: SamlProvider
    target: str
    request_id: str | None = None
    flow_id: UUID | None = None


async def consume(deps: Dependencies, context: RequestContext, body: SamlResponse) -> Redirect:
    """Verify a provider's assertion and redirect back; every failure is a redirect too."""
    try:
        return await _consumed(deps, context, body)
    except ApiError as error:
        values = links.callback_values(error.problem)
        url = links.with_query(deps.settings.site_url, values)
        return Redirect(url, headers=error.problem.headers)


async def _consumed(deps: Dependencies, context: RequestContext, body: SamlResponse) -> Redirect:
    request = await _answered_request(deps, context, body)
    provider = request.provider
    try:
        idp = await _current_metadata(deps, context, provider)
        own = own_provider(deps, context)
        reading = partial(  # a large one takes a tenth of a second
            saml_response.read_response, body.response, own, idp, context.now, request.request_id
        )
        assertion = await deps.long_work.run(context.incoming.request.caller, reading)
    except SamlError as error:
        facts = {"provider": str(provider.id), "error": str(error)}
        deps.observer(Observation("saml_refused", Severity.WARNING, facts))
        raise ApiError.of(sso_errors.SAML_ASSERTION) from error
    login = with_email(_login(provider, assertion))
    await check_user_creation(deps, context, login)
    await _check_replay(deps, context, provider, assertion)

    async def attempt() -> tuple[Account, Redirect]:
        async with unit_of_work(deps, context) as work:
            account = await resolve_account(work, login)
            if account.problem is not None:
                raise ApiError(account.problem)
            return account, await _redirect_back(work, account.user, request, assertion)

    account, redirect = await retry_on_conflict(attempt)
    if account.is_new:
        user = redirect.signed_in.user if redirect.signed_in else account.user
        await hooks.after_user_created(deps, context, account.shown(user))
    return redirect


async def _check_replay(
    deps: Dependencies, context: RequestContext, provider: SamlProvider, assertion: Assertion
) -> None:
    """Refuse an assertion that was shown before (SAML 2.0 Profiles, section 4.1.4.5)."""
    life = (assertion.expires - context.now + saml_response.SKEW).total_seconds()
    if await is_replayed(deps, "assertion", (str(provider.id), assertion.id), life):
        facts = {"provider": str(provider.id), "error": "the assertion was shown before"}
        deps.observer(Observation("saml_refused", Severity.WARNING, facts))
        raise ApiError.of(sso_errors.SAML_ASSERTION)


async def _answered_request(
    deps: Dependencies, context: RequestContext, body: SamlResponse
) -> _SignInRequest:
    """The flow of a relay state, used once; without one the provider initiated it."""
    relay_id = _uuid(body.relay_state)
    if relay_id is not None:
        return await _requested_by_us(deps, context, relay_id)
    is_url = body.relay_state.startswith("/") or parse_url(body.relay_state) is not None
    if body.relay_state and not is_url:
        raise ApiError.of(
            sso_errors.SAML_REFUSED, text="SAML RelayState is not a valid UUID or URL"
        )
    if body.artifact:
        text = "SAML Artifact response can only be used with SP initiated flow"
        raise ApiError.of(sso_errors.SAML_REFUSED, text=text)
    if not body.response:
        raise ApiError.of(sso_errors.SAML_REFUSED, text="SAMLResponse is missing")
    find_issuer = partial(saml_response.issuer_of, body.response)
    entity_id = await deps.long_work.run(context.incoming.request.caller, find_issuer)
    async with deps.database.acquire() as connection:
        provider = await store.find_by_entity(connection, entity_id)
    if provider is None:
        raise ApiError.of(sso_errors.SAML_IDP_NOT_FOUND)
    settings = deps.settings
    target = redirects.choose((body.relay_state,), settings.site_url, settings.allow_list)
    return _SignInRequest(_enabled(provider), target)


async def _requested_by_us(
    deps: Dependencies, context: RequestContext, relay_id: UUID
) -> _SignInRequest:
    async with deps.database.acquire() as connection:
        relay = await store.take_relay(connection, relay_id)
        provider = await store.find(connection, relay["sso_provider_id"]) if relay else None
    if relay is None or provider is None:
        raise ApiError.of(sso_errors.SAML_RELAY_NOT_FOUND)
    settings = deps.settings
    if is_expired(relay["created_at"], settings.saml.relay_seconds, context.now):
        raise ApiError.of(sso_errors.SAML_RELAY_EXPIRED)
    return_url = relay["redirect_to"] or ""
    target = redirects.choose((return_url,), settings.site_url, settings.allow_list)
    return _SignInRequest(_enabled(provider), target, relay["request_id"], relay["flow_state_id"])


def _enabled(provider: SamlProvider) -> SamlProvider:
    if provider.disabled:
        raise ApiError.of(sso_errors.SAML_PROVIDER_OFF)
    return provider


def _uuid(text: str) -> UUID | None:
    """A UUID other than the nil one."""
    try:
        found = UUID(text)
    except ValueError:
        return None
    return found if found.int else None


async def _current_metadata(
    deps: Dependencies, context: RequestContext, provider: SamlProvider
) -> saml_metadata.IdentityProvider:
    """The provider's metadata, fetched again where they are stale and published somewhere.

    What cannot be fetched, or is of another provider, leaves the known ones in force.
    """
    known = saml_metadata.read_metadata(provider.metadata_xml)
    fetched_at = provider.metadata_updated_at
    if (
        not provider.metadata_url
        or fetched_at is None
        or not known.is_stale(context.now, fetched_at)
    ):
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
    async with unit_of_work(deps, context) as work:
        await store.update(work.tx, provider, context.now, {}, {"metadata_xml": xml})
    return fresh


def _login(provider: SamlProvider, assertion: Assertion) -> ExternalLogin:
    subject = subject_of(assertion)
    if not subject:
        raise ApiError.of(sso_errors.SAML_NO_USER_ID)
    email = email_of(assertion, provider.attribute_mapping)
    if not email:
        raise ApiError.of(sso_errors.SAML_NO_EMAIL)
    data = identity_data(assertion, subject, provider.attribute_mapping)
    emails = (ExternalEmail(email, verified=True, primary=True),)
    return ExternalLogin(f"sso:{provider.id}", ExternalIdentity(subject, emails, data))


async def _redirect_back(
    work: UnitOfWork, user: User, request: _SignInRequest, assertion: Assertion
) -> Redirect:
    flow = await token_store.lock_flow(work.tx, request.flow_id) if request.flow_id else None
    if request.flow_id is not None and (flow is None or flow.user_id is not None):
        raise ApiError.of(external_errors.STATE_USED)
    if flow is not None and flow.is_pkce:
        await token_store.update_flow(
            work.tx, flow.id, work.now, user_id=user.id, auth_code_issued_at=work.now
        )
        return Redirect(links.with_query(request.target, {"code": flow.auth_code or ""}), 302)
    grant = session_tokens.SessionOptions(not_after=assertion.not_after)
    try:
        signed_in = await session_tokens.open_session(work, user, _METHOD, grant)
    except ApiError as error:
        refused = sso_errors.SAML_NO_TOKEN.problem()
        raise ApiError(replace(refused, headers=error.problem.headers)) from error
    return Redirect(session_redirect(request.target, signed_in), 302, signed_in)
