"""Single sign-on by SAML (auth reference 9.7)."""

from __future__ import annotations

from dataclasses import dataclass
from uuid import UUID

from compat_base.values.errors import ApiError
from gotrue_compat import errors
from gotrue_compat.features.sso import saml as rules
from gotrue_compat.features.sso import saml_metadata, store
from gotrue_compat.flows.results import Json, Redirect, Xml
from gotrue_compat.flows.transaction import Work, working
from gotrue_compat.model.federation import SamlProvider
from gotrue_compat.ports import Deps, Visit
from gotrue_compat.rules import redirects
from gotrue_compat.rules.pkce import Challenge, challenge_from
from gotrue_compat.store import tokens as token_store

_METHOD = "sso/saml"


@dataclass(frozen=True, slots=True)
class SsoAsk:
    """What a client sends; `skip_redirect` None means as the original: redirect."""

    provider_id: UUID | None = None
    domain: str = ""
    redirect_to: str = ""
    skip_redirect: bool = False
    code_challenge: str = ""
    code_challenge_method: str = ""


async def start(deps: Deps, visit: Visit, ask: SsoAsk) -> Json | Redirect:
    """Send the browser to the provider of a domain, or give its address."""
    if ask.provider_id and ask.domain:
        raise ApiError.of(errors.SSO_BOTH)
    if not ask.provider_id and not ask.domain:
        raise ApiError.of(errors.SSO_PARAMETERS)
    provider = await _provider_of(deps, ask)
    if provider.disabled:
        raise ApiError.of(errors.SSO_PROVIDER_OFF)
    challenge = challenge_from(ask.code_challenge, ask.code_challenge_method)
    settings = deps.settings
    target = redirects.choose(
        (ask.redirect_to, visit.redirect), settings.site_url, settings.allow_list
    )
    relay_id, own = deps.world.entropy.uuid(), own_provider(deps, visit)
    request_id = f"id-{deps.world.entropy.bytes(20).hex()}"
    idp = saml_metadata.read_metadata(provider.metadata_xml)
    asked = rules.Asked(request_id, str(relay_id), provider.name_id_format or rules.PERSISTENT)
    request = rules.authn_request(own, idp, asked, visit.now)
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
        if ask.provider_id is None:
            found = await store.find_by_domain(connection, ask.domain)
        else:
            found = await store.find(connection, ask.provider_id)
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
