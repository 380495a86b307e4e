"""Request bodies and queries of SAML sign-ins and providers: records, and how they are read."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any
from uuid import UUID

from gotrue_compat.http.go_struct import ID, TEXTS, TEXTS_POINTER, GoStruct, go_struct
from gotrue_compat.http.incoming import Incoming, Members

_SIGN_ON = go_struct(
    "SingleSignOnParams", "domain redirect_to code_challenge code_challenge_method",
    flags="skip_http_redirect", provider_id=ID,
)  # fmt: skip
_PROVIDER = go_struct(
    "CreateSSOProviderParams", "type metadata_url metadata_xml name_id_format resource_id",
    flags="disabled", domains=TEXTS, attribute_mapping="models.SAMLAttributeMapping",
)  # fmt: skip
_MAPPING = go_struct(
    "CreateSSOProviderParams.attribute_mapping", "", keys="map[string]models.SAMLAttribute"
)
_ATTRIBUTE = {"name": "string", "names": TEXTS_POINTER, "array": "bool"}


@dataclass(frozen=True, slots=True)
class SamlResponse:
    """What a provider posts."""

    response: str = ""
    relay_state: str = ""
    artifact: str = ""


@dataclass(frozen=True, slots=True)
class SsoChange:
    """A change of one provider, named by id or `resource_…`, read once there is one."""

    name: str
    incoming: Incoming


@dataclass(frozen=True, slots=True)
class SsoFilter:
    """Which providers are listed: those of a resource, else those whose resource begins so."""

    resource_id: str = ""
    resource_id_prefix: str = ""


@dataclass(frozen=True, slots=True)
class SsoRecord:
    """What is sent of a provider; None means not given."""

    kind: str = ""
    metadata_url: str = ""
    metadata_xml: str = ""
    resource_id: str | None = None
    disabled: bool | None = None
    domains: tuple[str, ...] | None = None
    attribute_mapping: dict[str, Any] | None = None
    name_id_format: str | None = None


@dataclass(frozen=True, slots=True)
class SsoRequest:
    """What a client sends; `skip_redirect` None means as the original: redirect."""

    provider_id: UUID | None = None
    domain: str = ""
    redirect_to: str = ""
    skip_redirect: bool = False
    code_challenge: str = ""
    code_challenge_method: str = ""


def sso(incoming: Incoming) -> SsoRequest:
    """POST /sso."""
    body = incoming.json_of(_SIGN_ON)
    return SsoRequest(
        provider_id=body.uuid("provider_id"),
        domain=body.text("domain"),
        redirect_to=body.text("redirect_to"),
        skip_redirect=body.flag("skip_http_redirect"),
        code_challenge=body.text("code_challenge"),
        code_challenge_method=body.text("code_challenge_method"),
    )


def saml_answer(incoming: Incoming) -> SamlResponse:
    """POST /sso/saml/acs."""
    names = ("SAMLResponse", "RelayState", "SAMLart")
    return SamlResponse(*map(incoming.value, names))


def sso_record(incoming: Incoming) -> SsoRecord:
    """POST /admin/sso/providers."""
    body = incoming.json_of(_PROVIDER)
    return SsoRecord(
        kind=body.text("type"),
        metadata_url=body.text("metadata_url"),
        metadata_xml=body.text("metadata_xml"),
        resource_id=body.optional_text("resource_id"),
        disabled=body.optional_flag("disabled"),
        domains=body.texts("domains"),
        attribute_mapping=_mapping(body.within("attribute_mapping").checked(_MAPPING)),
        name_id_format=body.optional_text("name_id_format"),
    )


def _mapping(mapping: Members) -> dict[str, Any] | None:
    """The mapping as the original stores it, without what is empty; None where it has no keys."""
    keys = mapping.object("keys")
    if keys is None:
        return None
    place = f"{_MAPPING.name}.keys"
    Members(keys).checked(GoStruct(place, dict.fromkeys(keys, "models.SAMLAttribute")))
    rules = {
        name: _rule(Members(rule or {}).checked(GoStruct(f"{place}.{name}", _ATTRIBUTE)))
        for name, rule in keys.items()
    }
    return {"keys": rules} if rules else {}


def _rule(attribute: Members) -> dict[str, Any]:
    texts = {"name": attribute.text("name"), "names": list(attribute.texts("names") or ())}
    rule = {name: value for name, value in texts.items() if value}
    if attribute.value("default") is not None:
        rule["default"] = attribute.value("default")
    return rule | ({"array": True} if attribute.flag("array") else {})


def sso_name(incoming: Incoming) -> str:
    """Paths below /admin/sso/providers/{idp_id}."""
    return incoming.path["idp_id"]


def sso_change(incoming: Incoming) -> SsoChange:
    """PUT /admin/sso/providers/{idp_id}."""
    return SsoChange(sso_name(incoming), incoming)


def sso_filter(incoming: Incoming) -> SsoFilter:
    """GET /admin/sso/providers."""
    query = incoming.query
    return SsoFilter(query.get("resource_id", ""), query.get("resource_id_prefix", ""))
