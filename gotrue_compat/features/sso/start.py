"""Single sign-on by SAML (auth reference 9.7)."""

from __future__ import annotations

from uuid import UUID

from compat_base.values.errors import ApiError
from gotrue_compat.core.results import Json, Redirect, Xml
from gotrue_compat.core.unit_of_work import UnitOfWork, unit_of_work
from gotrue_compat.features.sso import errors as sso_errors
from gotrue_compat.features.sso import saml_metadata, saml_request, store
from gotrue_compat.features.sso.bodies import SsoRequest
from gotrue_compat.http.context import RequestContext
from gotrue_compat.http.dependencies import Dependencies
from gotrue_compat.model.federation import SamlProvider
from gotrue_compat.rules.pkce import CodeChallenge, challenge_from
from gotrue_compat.store import tokens as token_store
from gotrue_compat.urls import redirects

_METHOD = "sso/saml"


async def start(deps: Dependencies, context: RequestContext, body: SsoRequest) -> Json | Redirect:
    """Redirect to the provider of a domain, or give its URL."""
    if body.provider_id and body.domain:
        raise ApiError.of(sso_errors.SSO_BOTH)
    if not body.provider_id and not body.domain:
        raise ApiError.of(sso_errors.SSO_PARAMETERS)
    provider = await _provider_of(deps, body)
    if provider.disabled:
        raise ApiError.of(sso_errors.SSO_PROVIDER_OFF)
    challenge = challenge_from(body.code_challenge, body.code_challenge_method)
    settings = deps.settings
    target = redirects.choose((body.redirect_to,), settings.site_url, settings.allow_list)
    relay_id, own = deps.world.entropy.uuid(), own_provider(deps, context)
    request_id = f"id-{deps.world.entropy.bytes(20).hex()}"
    idp = saml_metadata.read_metadata(provider.metadata_xml)
    contents = saml_request.AuthnRequest(
        request_id, str(relay_id), provider.name_id_format or saml_metadata.PERSISTENT
    )
    request = saml_request.authn_request(own, idp, contents, context.now)
    async with unit_of_work(deps, context) as work:
        flow_id = await _begin_flow(work, challenge, body.redirect_to)
        values = {
            "id": relay_id, "sso_provider_id": provider.id, "request_id": request.id,
            "redirect_to": target, "flow_state_id": flow_id, "created_at": context.now,
            "updated_at": context.now,
        }  # fmt: skip
        await store.create_relay(work.tx, values)
    return Json({"url": request.url}) if body.skip_redirect else Redirect(request.url)


async def metadata(deps: Dependencies, context: RequestContext, _body: None) -> Xml:
    """Our metadata for providers, as a file where `download=true` asks for one."""
    text = saml_metadata.own_metadata(own_provider(deps, context), context.now)
    is_file = context.incoming.query.get("download") == "true"
    return Xml(text, "metadata.xml" if is_file else "")


def own_provider(deps: Dependencies, context: RequestContext) -> saml_metadata.ServiceProvider:
    """Ourselves in SAML's terms."""
    saml = deps.settings.saml
    base = (saml.external_url or context.external_url).rstrip("/")
    key = saml_metadata.load_key(saml.private_key.reveal())
    following = saml.next_private_key.reveal()
    return saml_metadata.ServiceProvider(
        f"{base}/sso/saml/metadata", f"{base}/sso/saml/acs", key,
        takes_encrypted=saml.encrypted_assertions,
        next_key=saml_metadata.load_key(following) if following else None,
    )  # fmt: skip


async def _provider_of(deps: Dependencies, body: SsoRequest) -> SamlProvider:
    async with deps.database.acquire() as connection:
        if body.provider_id is None:
            found = await store.find_by_domain(connection, body.domain)
        else:
            found = await store.find(connection, body.provider_id)
    if found is None:
        is_domain = bool(body.domain)
        row = sso_errors.SSO_PROVIDER_NOT_FOUND if is_domain else sso_errors.SSO_NO_SUCH_PROVIDER
        raise ApiError.of(row)
    return found


async def _begin_flow(work: UnitOfWork, challenge: CodeChallenge | None, referrer: str) -> UUID:
    entropy = work.deps.world.entropy
    flow = await token_store.create_flow(
        work.tx,
        {
            "id": entropy.uuid(), "auth_code": str(entropy.uuid()) if challenge else None,
            "code_challenge": challenge.value if challenge else None,
            "code_challenge_method": challenge.method if challenge else None,
            "provider_type": _METHOD, "authentication_method": _METHOD,
            "referrer": referrer or None,
            "provider_access_token": "", "provider_refresh_token": "",
            "created_at": work.now, "updated_at": work.now,
        },
    )  # fmt: skip
    return flow.id
