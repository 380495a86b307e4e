"""SSO providers as administrators see and change them (auth reference 7, 9.7)."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from compat_base.postgres.faults import PgFault
from compat_base.values.errors import ApiError, Row
from compat_base.values.urls import parse_url
from gotrue_compat.core.results import Json
from gotrue_compat.core.unit_of_work import UnitOfWork, unit_of_work
from gotrue_compat.errors import with_fault
from gotrue_compat.features.sso import errors as sso_errors
from gotrue_compat.features.sso import saml_metadata, store
from gotrue_compat.features.sso.bodies import SsoChange, SsoFilter, SsoRecord, sso_record
from gotrue_compat.features.sso.saml_xml import EMAIL_ADDRESS, SamlError
from gotrue_compat.http.context import RequestContext
from gotrue_compat.http.dependencies import Dependencies
from gotrue_compat.model.federation import SamlProvider
from gotrue_compat.ports import HttpCall, UnreachableError

_RESOURCE = "resource_"
_OK = 200
_FORMATS = (
    "urn:oasis:names:tc:SAML:2.0:nameid-format:persistent",
    EMAIL_ADDRESS,
    "urn:oasis:names:tc:SAML:2.0:nameid-format:transient",
    "urn:oasis:names:tc:SAML:1.1:nameid-format:unspecified",
)
_XML_WANTED = {"accept": "application/xml;charset=UTF-8", "accept-charset": "UTF-8"}
_NOT_UTF8 = (
    "SAML Metadata XML contains invalid UTF-8 characters, which are not supported at this time"
)


async def list_providers(deps: Dependencies, _context: RequestContext, body: SsoFilter) -> Json:
    """Every provider that the filter leaves, without the metadata."""
    async with deps.database.acquire() as connection:
        found = await store.list_all(connection, body.resource_id, body.resource_id_prefix)
    return Json({"items": [_shape(provider, with_xml=False) for provider in found]})


async def get_provider(deps: Dependencies, _context: RequestContext, name: str) -> Json:
    """One provider."""
    return Json(_shape(await _find(deps, name)))


async def create_provider(deps: Dependencies, context: RequestContext, body: SsoRecord) -> Json:
    """Add a provider by its metadata or where it publishes them."""
    if body.kind != "saml":
        raise _invalid("Only 'saml' supported for SSO provider type")
    _check_source(body)
    if not body.metadata_url and not body.metadata_xml:
        raise _invalid("Either metadata_xml or metadata_url must be set")
    _check_format(body)
    xml, idp = await _metadata(deps, body)
    provider_id = deps.world.entropy.uuid()
    provider = {
        "id": provider_id, "resource_id": body.resource_id or None,
        "disabled": body.disabled, "created_at": context.now, "updated_at": context.now,
    }  # fmt: skip
    saml = {
        "id": deps.world.entropy.uuid(), "entity_id": idp.entity_id, "metadata_xml": xml,
        "metadata_url": body.metadata_url or None,
        "attribute_mapping": body.attribute_mapping or {},
        "name_id_format": body.name_id_format or None, "created_at": context.now,
        "updated_at": context.now,
    }  # fmt: skip
    async with unit_of_work(deps, context) as work:
        if await store.find_by_entity(work.tx, idp.entity_id) is not None:
            raise ApiError.of(sso_errors.SSO_ENTITY_EXISTS, entity=idp.entity_id)
        await store.create(work.tx, provider, saml)
        await _set_domains(work, provider_id, body.domains or (), sso_errors.SSO_DOMAIN_EXISTS)
        made = await store.find(work.tx, provider_id)
    if made is None:
        raise ApiError.of(sso_errors.SSO_PROVIDER_UNKNOWN)
    return Json(_shape(made), 201)


async def update_provider(deps: Dependencies, context: RequestContext, body: SsoChange) -> Json:
    """Change what is given; new metadata must be of the same provider."""
    found = await _find(deps, body.name)
    record = sso_record(body.incoming)
    _check_source(record)
    _check_format(record)
    provider: dict[str, Any] = {}
    saml: dict[str, Any] = {}
    if record.metadata_url or record.metadata_xml:
        xml, idp = await _metadata(deps, record)
        if idp.entity_id != found.entity_id:
            facts = {"expected": found.entity_id, "found": idp.entity_id}
            raise ApiError.of(sso_errors.SAML_ENTITY_MISMATCH, **facts)
        saml = {"metadata_xml": xml}
        saml |= {"metadata_url": record.metadata_url} if record.metadata_url else {}
    if record.attribute_mapping is not None:
        saml["attribute_mapping"] = record.attribute_mapping
    if record.name_id_format is not None:
        saml["name_id_format"] = record.name_id_format or None
    if record.resource_id is not None:
        provider["resource_id"] = record.resource_id or None
    if record.disabled is not None:
        provider["disabled"] = record.disabled
    try:
        async with unit_of_work(deps, context) as work:
            await store.update(work.tx, found, context.now, provider, saml)
            if record.domains is not None:
                await _set_domains(work, found.id, record.domains, sso_errors.SSO_DOMAIN_OF_ANOTHER)
            changed = await store.find(work.tx, found.id)
    except PgFault as error:
        raise ApiError(with_fault(sso_errors.SSO_CONFLICT.problem(), error.fault)) from error
    return Json(_shape(changed or found))


async def delete_provider(deps: Dependencies, _context: RequestContext, name: str) -> Json:
    """Delete a provider and give it back."""
    found = await _find(deps, name)
    async with deps.database.transaction() as tx:
        await store.delete(tx, found.id)
    return Json(_shape(found))


async def _set_domains(
    work: UnitOfWork, provider_id: UUID, domains: tuple[str, ...], taken: Row
) -> None:
    entropy = work.deps.world.entropy
    for domain in domains:
        owner = await store.find_by_domain(work.tx, domain)
        if owner is not None and owner.id != provider_id:
            raise ApiError.of(taken, domain=domain, owner=owner.id)
    rows = [(entropy.uuid(), domain.lower()) for domain in dict.fromkeys(domains)]
    await store.set_domains(work.tx, provider_id, rows, work.now)


async def _find(deps: Dependencies, name: str) -> SamlProvider:
    async with deps.database.acquire() as connection:
        if name.startswith(_RESOURCE):
            resource = name.removeprefix(_RESOURCE)
            found = await store.find_by_resource(connection, resource)
        else:
            try:
                found = await store.find(connection, UUID(name))
            except ValueError:
                found = None
    if found is None:
        raise ApiError.of(sso_errors.SSO_PROVIDER_UNKNOWN)
    return found


async def _metadata(
    deps: Dependencies, body: SsoRecord
) -> tuple[str, saml_metadata.IdentityProvider]:
    xml = body.metadata_xml or await fetched_metadata(deps, body.metadata_url)
    try:
        return xml, saml_metadata.read_metadata(xml)
    except SamlError as error:
        raise _invalid(str(error)) from error


async def fetched_metadata(deps: Dependencies, url: str) -> str:
    """What a provider publishes at an address; ApiError where there is nothing of use."""
    try:
        answer = await deps.guarded_http.send(HttpCall("GET", url, _XML_WANTED, seconds=3))
    except UnreachableError as error:
        raise ApiError.of(sso_errors.SAML_METADATA_FETCH, status="no", url=url) from error
    if answer.status != _OK:
        raise ApiError.of(sso_errors.SAML_METADATA_FETCH, status=answer.status, url=url)
    try:
        return answer.body.decode()
    except UnicodeDecodeError as error:
        raise _invalid(_NOT_UTF8) from error


def _check_source(body: SsoRecord) -> None:
    if body.metadata_url and body.metadata_xml:
        raise _invalid("Only one of metadata_xml or metadata_url needs to be set")
    if not body.metadata_url:
        return
    url = parse_url(body.metadata_url)
    if url is None and body.metadata_url[0] != "/":
        raise _invalid("metadata_url is not a valid URL")
    if url is None or url.scheme != "https":
        raise _invalid("metadata_url is not a HTTPS URL")


def _check_format(body: SsoRecord) -> None:
    if body.name_id_format and body.name_id_format not in _FORMATS:
        raise _invalid(f"name_id_format must be unspecified or one of {', '.join(_FORMATS)}")


def _shape(provider: SamlProvider, *, with_xml: bool = True) -> dict[str, Any]:
    saml: dict[str, Any] = {"entity_id": provider.entity_id}
    saml |= {"metadata_xml": provider.metadata_xml} if with_xml else {}
    saml |= {"metadata_url": provider.metadata_url} if provider.metadata_url else {}
    saml["attribute_mapping"] = {
        name: value for name, value in provider.attribute_mapping.items() if value
    }
    saml |= {"name_id_format": provider.name_id_format} if provider.name_id_format else {}
    return {
        "id": provider.id,
        **({"resource_id": provider.resource_id} if provider.resource_id else {}),
        "disabled": provider.disabled,
        "saml": saml,
        "domains": [{"domain": domain} for domain in provider.domains],
        "created_at": provider.created_at,
        "updated_at": provider.updated_at,
    }


def _invalid(text: str) -> ApiError:
    return ApiError.of(sso_errors.SSO_INVALID, text=text)
