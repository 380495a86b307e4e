"""SAML 2.0, as far as a service provider with redirect and POST bindings needs it.

XML signatures are signxml's. Whatever is believed is read from the element that a signature
covers, never from the document around it: that is what signature wrapping would exploit.
"""

from __future__ import annotations

import base64
import binascii
import re
import zlib
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any
from urllib.parse import urlencode
from xml.sax.saxutils import escape, quoteattr

from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import padding, rsa
from cryptography.hazmat.primitives.serialization import Encoding, load_der_private_key
from lxml import etree as _untyped  # pyright: ignore[reportAttributeAccessIssue, reportUnknownVariableType] — lxml carries no types
from signxml.exceptions import SignXMLException
from signxml.verifier import SignatureConfiguration, XMLVerifier

from compat_base.jsontext import time_text
from gotrue_compat.rules import xmlenc

etree: Any = _untyped  # pyright: ignore[reportUnknownVariableType] — as above

_NS = {
    "md": "urn:oasis:names:tc:SAML:2.0:metadata",
    "ds": "http://www.w3.org/2000/09/xmldsig#",
    "saml": "urn:oasis:names:tc:SAML:2.0:assertion",
    "samlp": "urn:oasis:names:tc:SAML:2.0:protocol",
}
_REDIRECT = "urn:oasis:names:tc:SAML:2.0:bindings:HTTP-Redirect"
_POST = "urn:oasis:names:tc:SAML:2.0:bindings:HTTP-POST"
_BEARER = "urn:oasis:names:tc:SAML:2.0:cm:bearer"
_SUCCESS = "urn:oasis:names:tc:SAML:2.0:status:Success"
_PERSISTENT = "urn:oasis:names:tc:SAML:2.0:nameid-format:persistent"
_SUBJECT_ID = "urn:oasis:names:tc:SAML:attribute:subject-id"
_RSA_SHA256 = "http://www.w3.org/2001/04/xmldsig-more#rsa-sha256"
_EMAILS = (
    "urn:oid:0.9.2342.19200300.100.1.3", "mail", "Mail", "email", "Email",
    "http://schemas.xmlsoap.org/ws/2005/05/identity/claims/emailaddress",
)  # fmt: skip
_SKEW = timedelta(seconds=90)
_DAY_SECONDS = 24 * 60 * 60
# XML Schema's durations, as far as they have one length: days to seconds
_DURATION = re.compile(r"P(?:(\d+)D)?(?:T(?:(\d+)H)?(?:(\d+)M)?(?:(\d+(?:\.\d+)?)S)?)?", re.ASCII)


class SamlError(ValueError):
    """The XML is not what it should be; the text says why."""


@dataclass(frozen=True, slots=True)
class IdentityProvider:
    """What a provider's metadata tells: its name, where to send users, its certificates."""

    entity_id: str
    redirect_url: str
    certificates: tuple[str, ...]
    valid_until: datetime | None = None
    cache_seconds: float | None = None

    def is_stale(self, now: datetime, fetched_at: datetime) -> bool:
        """Whether metadata fetched then must be again: once a day where they do not tell."""
        if self.valid_until is not None and now > self.valid_until:
            return True
        life = self.cache_seconds
        if life is None and self.valid_until is None:
            life = _DAY_SECONDS
        return life is not None and now > fetched_at + timedelta(seconds=life)


@dataclass(frozen=True, slots=True)
class ServiceProvider:
    """Ourselves: the name is the address of our metadata."""

    entity_id: str
    acs_url: str
    key: rsa.RSAPrivateKey
    takes_encrypted: bool = False


@dataclass(frozen=True, slots=True)
class Assertion:
    """What a verified response says of a user."""

    issuer: str
    name_id: str
    name_id_format: str
    attributes: Mapping[str, tuple[str, ...]]
    in_response_to: str
    not_after: datetime | None


@dataclass(frozen=True, slots=True)
class Request:
    """One request for authentication: its id and the address that carries it."""

    id: str
    url: str


def load_key(text: str) -> rsa.RSAPrivateKey:
    """The service provider's key: base64 of PKCS#1 or PKCS#8 DER; SamlError for others."""
    try:
        key = load_der_private_key(base64.b64decode(text), None)
    except (ValueError, TypeError, binascii.Error) as error:
        raise SamlError("the SAML private key cannot be read") from error
    if not isinstance(key, rsa.RSAPrivateKey):
        raise SamlError("the SAML private key is not RSA")
    return key


def read_metadata(text: str) -> IdentityProvider:
    """Read a provider's metadata; SamlError where something needed is missing."""
    root = _parsed(text.encode())
    entity = root if root.tag == f"{{{_NS['md']}}}EntityDescriptor" else None
    if entity is None or not entity.get("entityID"):
        raise SamlError("SAML Metadata XML is not an EntityDescriptor with an entityID")
    places = _found(entity, "md:IDPSSODescriptor/md:SingleSignOnService")
    url = next((p.get("Location", "") for p in places if p.get("Binding") == _REDIRECT), "")
    if not url:
        raise SamlError("SAML Metadata XML has no HTTP-Redirect SingleSignOnService")
    path = "md:IDPSSODescriptor/md:KeyDescriptor[not(@use) or @use='signing']"
    certificates = tuple(
        "".join((node.text or "").split()) for node in _found(entity, f"{path}//ds:X509Certificate")
    )
    if not certificates:
        raise SamlError("SAML Metadata XML has no signing certificate")
    until = entity.get("validUntil")
    return IdentityProvider(
        entity.get("entityID", ""), url, certificates,
        _moment(until) if until else None, _seconds(entity.get("cacheDuration") or ""),
    )  # fmt: skip


def own_metadata(own: ServiceProvider, certificate: bytes, valid_until: datetime) -> str:
    """Our metadata for providers."""
    encoded = base64.b64encode(certificate).decode()
    holder = (
        f'<KeyInfo xmlns="{_NS["ds"]}"><X509Data><X509Certificate>{encoded}</X509Certificate>'
        "</X509Data></KeyInfo>"
    )
    encryption = ""
    if own.takes_encrypted:
        methods = (*xmlenc.DATA_METHODS, *xmlenc.KEY_METHODS)
        listed = "".join(f'<EncryptionMethod Algorithm="{method}"/>' for method in methods)
        encryption = f'<KeyDescriptor use="encryption">{holder}{listed}</KeyDescriptor>'
    return (
        f'<EntityDescriptor xmlns="{_NS["md"]}" validUntil="{time_text(valid_until)}"'
        f" entityID={quoteattr(own.entity_id)}>"
        f'<SPSSODescriptor protocolSupportEnumeration="{_NS["samlp"]}"'
        ' AuthnRequestsSigned="true" WantAssertionsSigned="true">'
        f'<KeyDescriptor use="signing">{holder}</KeyDescriptor>{encryption}'
        f"<NameIDFormat>{_PERSISTENT}</NameIDFormat>"
        f'<AssertionConsumerService Binding="{_POST}" Location={quoteattr(own.acs_url)}'
        ' index="1"/></SPSSODescriptor></EntityDescriptor>'
    )


def certificate_of(own: ServiceProvider, now: datetime) -> bytes:
    """A certificate for our key, signed by itself: metadata wants one."""
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "SAML 2.0 Certificate")])
    start = datetime(now.year, 1, 1, tzinfo=now.tzinfo)
    builder = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(own.key.public_key())
        .serial_number(1)
        .not_valid_before(start)
        .not_valid_after(start + timedelta(days=3650))
    )
    return builder.sign(own.key, hashes.SHA256()).public_bytes(Encoding.DER)


def authn_request(
    own: ServiceProvider, idp: IdentityProvider, request_id: str, relay: str, now: datetime
) -> Request:
    """A signed request by the redirect binding (SAML bindings 3.4)."""
    xml = (
        f'<samlp:AuthnRequest xmlns:samlp="{_NS["samlp"]}" xmlns:saml="{_NS["saml"]}"'
        f' ID="{request_id}" Version="2.0" IssueInstant="{time_text(now)}"'
        f" Destination={quoteattr(idp.redirect_url)}"
        f' ProtocolBinding="{_POST}" AssertionConsumerServiceURL={quoteattr(own.acs_url)}>'
        f"<saml:Issuer>{escape(own.entity_id)}</saml:Issuer>"
        '<samlp:NameIDPolicy AllowCreate="true"/></samlp:AuthnRequest>'
    )
    packer = zlib.compressobj(wbits=-15)
    packed = packer.compress(xml.encode()) + packer.flush()
    pairs = {
        "SAMLRequest": base64.b64encode(packed).decode(), "RelayState": relay,
        "SigAlg": _RSA_SHA256,
    }  # fmt: skip
    signed = urlencode(pairs)
    signature = own.key.sign(signed.encode(), padding.PKCS1v15(), hashes.SHA256())
    query = f"{signed}&{urlencode({'Signature': base64.b64encode(signature).decode()})}"
    mark = "&" if "?" in idp.redirect_url else "?"
    return Request(request_id, f"{idp.redirect_url}{mark}{query}")


def issuer_of(response: str) -> str:
    """Who a response says it is from: nothing is believed of it before its signature is good."""
    root = _parsed(_decoded(response))
    issuers = _found(root, "saml:Issuer") or _found(root, "saml:Assertion/saml:Issuer")
    return (issuers[0].text or "").strip() if issuers else ""


def read_response(
    response: str, own: ServiceProvider, idp: IdentityProvider, now: datetime
) -> Assertion:
    """The assertion of a response that the provider signed for us, now; SamlError otherwise."""
    root = _parsed(_decoded(response))
    if root.get("Destination") not in {None, "", own.acs_url}:
        raise SamlError("the response is for another address")
    codes = _found(root, "samlp:Status/samlp:StatusCode")
    if not codes or codes[0].get("Value") != _SUCCESS:
        raise SamlError("the provider refused")
    assertion = _signed_assertion(root, own, idp)
    issuers = _found(assertion, "saml:Issuer")
    if not issuers or (issuers[0].text or "").strip() != idp.entity_id:
        raise SamlError("the assertion is of another provider")
    _check_conditions(assertion, own, now)
    confirmation = _confirmation(assertion, own, now)
    names = _found(assertion, "saml:Subject/saml:NameID")
    statements = _found(assertion, "saml:AuthnStatement")
    limit = statements[0].get("SessionNotOnOrAfter") if statements else None
    return Assertion(
        issuer=idp.entity_id,
        name_id=(names[0].text or "").strip() if names else "",
        name_id_format=names[0].get("Format", "") if names else "",
        attributes=_attributes(assertion),
        in_response_to=confirmation.get("InResponseTo", ""),
        not_after=_moment(limit) if limit else None,
    )


def subject_of(assertion: Assertion) -> str:
    """The lasting id of the user, "" where the assertion tells none."""
    told = assertion.attributes.get(_SUBJECT_ID)
    if told:
        return told[0]
    return "" if assertion.name_id_format.endswith(":transient") else assertion.name_id


def email_of(assertion: Assertion, mapping: Mapping[str, Any]) -> str:
    """The user's address: by the administrator's mapping, else by a usual name."""
    mapped = mapped_claims(assertion, mapping).get("email")
    if isinstance(mapped, str) and mapped:
        return mapped
    for name in _EMAILS:
        values = assertion.attributes.get(name)
        if values:
            return values[0]
    is_email = assertion.name_id_format.endswith(":emailAddress")
    return assertion.name_id if is_email else ""


def mapped_claims(assertion: Assertion, mapping: Mapping[str, Any]) -> dict[str, Any]:
    """Attributes under the names that the administrator's mapping gives them."""
    claims: dict[str, Any] = {}
    keys: Mapping[str, Any] = mapping.get("keys") or {}
    for name, rule in keys.items():
        names = [rule.get("name"), *(rule.get("names") or ())]
        values = next((v for n in names if (v := assertion.attributes.get(str(n)))), ())
        if values:
            claims[name] = list(values) if rule.get("array") else values[0]
        elif rule.get("default") is not None:
            claims[name] = rule["default"]
    return claims


def _signed_assertion(root: Any, own: ServiceProvider, idp: IdentityProvider) -> Any:
    """The one assertion that the provider signed, by itself or with its response."""
    response = _signed(root, idp)
    if response is not None and response.tag == f"{{{_NS['samlp']}}}Response":
        return _only_assertion(response, own)
    signed = _signed(_only_assertion(root, own), idp)
    if signed is None or signed.tag != f"{{{_NS['saml']}}}Assertion":
        raise SamlError("no assertion has a signature of the provider")
    return signed


def _only_assertion(response: Any, own: ServiceProvider) -> Any:
    """The assertion of a response that has one, decrypted where it is encrypted."""
    plain, sealed = _found(response, "saml:Assertion"), _found(response, "saml:EncryptedAssertion")
    if len(plain) + len(sealed) != 1:
        raise SamlError("the response has no assertion, or several")
    if plain:
        return plain[0]
    if not own.takes_encrypted:
        raise SamlError("encrypted assertions are not allowed")
    try:
        return _parsed(xmlenc.decrypted(sealed[0], own.key))
    except xmlenc.DecryptionError as error:
        raise SamlError(str(error)) from error


def _signed(holder: Any, idp: IdentityProvider) -> Any:
    """What a signature of the provider in the element covers, None without one."""
    if len(_found(holder, "ds:Signature")) != 1:
        return None
    found = (_verified(holder, certificate) for certificate in idp.certificates)
    return next((signed for signed in found if signed is not None), None)


def _verified(holder: Any, certificate: str) -> Any:
    wrapped = f"-----BEGIN CERTIFICATE-----\n{certificate}\n-----END CERTIFICATE-----\n"
    verifier: Any = XMLVerifier()
    try:
        result = verifier.verify(
            holder,
            x509_cert=wrapped,
            id_attribute="ID",
            expect_config=SignatureConfiguration(location="./", ignore_ambiguous_key_info=True),
        )
    except (SignXMLException, ValueError, TypeError, etree.LxmlError):
        return None
    return getattr(result, "signed_xml", None)


def _check_conditions(assertion: Any, own: ServiceProvider, now: datetime) -> None:
    conditions = _found(assertion, "saml:Conditions")
    if not conditions:
        raise SamlError("the assertion has no conditions")
    start, end = conditions[0].get("NotBefore"), conditions[0].get("NotOnOrAfter")
    if start and now + _SKEW < _moment(start):
        raise SamlError("the assertion is not valid yet")
    if end and now - _SKEW >= _moment(end):
        raise SamlError("the assertion has expired")
    audiences = {
        (node.text or "").strip()
        for node in _found(conditions[0], "saml:AudienceRestriction/saml:Audience")
    }
    if own.entity_id not in audiences:
        raise SamlError("the assertion is for another audience")


def _confirmation(assertion: Any, own: ServiceProvider, now: datetime) -> Any:
    for found in _found(assertion, "saml:Subject/saml:SubjectConfirmation"):
        for data in _found(found, "saml:SubjectConfirmationData"):
            end = data.get("NotOnOrAfter")
            is_here = data.get("Recipient") == own.acs_url
            is_fresh = bool(end) and now - _SKEW < _moment(end)
            if found.get("Method") == _BEARER and is_here and is_fresh:
                return data
    raise SamlError("the assertion's subject is not confirmed for us")


def _attributes(assertion: Any) -> dict[str, tuple[str, ...]]:
    found: dict[str, tuple[str, ...]] = {}
    for attribute in _found(assertion, "saml:AttributeStatement/saml:Attribute"):
        values = tuple(
            "".join(node.itertext()).strip() for node in _found(attribute, "saml:AttributeValue")
        )
        for name in filter(None, (attribute.get("Name"), attribute.get("FriendlyName"))):
            found.setdefault(name, values)
    return found


def _parsed(data: bytes) -> Any:
    """XML without doctype, entities or network."""
    parser = etree.XMLParser(
        resolve_entities=False, no_network=True, load_dtd=False, remove_comments=True
    )
    try:
        root = etree.fromstring(data, parser)
    except (etree.XMLSyntaxError, ValueError) as error:
        raise SamlError("the XML cannot be read") from error
    if root.getroottree().docinfo.doctype:
        raise SamlError("a doctype is not allowed")
    return root


def _decoded(text: str) -> bytes:
    try:
        return base64.b64decode("".join(text.split()), validate=True)
    except (binascii.Error, ValueError) as error:
        raise SamlError("the response is not base64") from error


def _found(node: Any, path: str) -> list[Any]:
    return list(node.xpath(path, namespaces=_NS))


def _seconds(duration: str) -> float | None:
    """A duration in seconds, None where there is none of one length."""
    match = _DURATION.fullmatch(duration)
    if not duration or match is None:
        return None
    days, hours, minutes, seconds = (float(part or 0) for part in match.groups())
    return ((days * 24 + hours) * 60 + minutes) * 60 + seconds or None


def _moment(text: str) -> datetime:
    try:
        moment = datetime.fromisoformat(text)
    except ValueError as error:
        raise SamlError("a time cannot be read") from error
    if moment.tzinfo is None:
        raise SamlError("a time has no zone")
    return moment
