"""A response of SAML 2.0 verified: signature, conditions, audience, confirmation.

XML signatures are signxml's. Whatever is believed is read from the element that a signature
covers, never from the document around it: that is what signature wrapping would exploit.
"""

from __future__ import annotations

import base64
import binascii
from datetime import datetime, timedelta
from typing import Any

from signxml.exceptions import SignXMLException
from signxml.verifier import SignatureConfiguration, XMLVerifier

from compat_base.values.errors import ApiError
from gotrue_compat.features.sso import errors as sso_errors
from gotrue_compat.features.sso import xml_encryption
from gotrue_compat.features.sso.saml_claims import Assertion
from gotrue_compat.features.sso.saml_metadata import IdentityProvider, ServiceProvider
from gotrue_compat.features.sso.saml_xml import (
    NS,
    SamlError,
    etree,
    moment_of,
    nodes,
    parsed,
    text_of,
)

_BEARER = "urn:oasis:names:tc:SAML:2.0:cm:bearer"
_SUCCESS = "urn:oasis:names:tc:SAML:2.0:status:Success"
SKEW = timedelta(seconds=90)
_MOST_AGE = timedelta(seconds=90)
_MOST_PARTS = 100  # elements of a signature


def issuer_of(response: str) -> str:
    """The issuer that a response claims; not verified.

    ApiError where it cannot be read.
    """
    try:
        data = _decoded(response)
    except SamlError as error:
        text = "SAMLResponse is not a valid Base64 string"
        raise ApiError.of(sso_errors.SAML_REFUSED, text=text) from error
    try:
        root = _response(data)
    except SamlError as error:
        text = "SAMLResponse is not a valid XML SAML assertion"
        raise ApiError.of(sso_errors.SAML_REFUSED, text=text) from error
    issuers = nodes(root, "saml:Issuer") or nodes(root, "saml:Assertion/saml:Issuer")
    return text_of(issuers[0]) if issuers else ""


def _response(data: bytes) -> Any:
    root = parsed(data)
    if root.tag != f"{{{NS['samlp']}}}Response":
        raise SamlError("the XML is no response")
    return root


def read_response(
    response: str,
    own: ServiceProvider,
    idp: IdentityProvider,
    now: datetime,
    request_id: str | None = None,
) -> Assertion:
    """The assertion of a response that the provider signed for us, now; SamlError otherwise.

    It answers the request of this id, where there was one.
    """
    root = parsed(_decoded(response))
    if root.get("Destination") not in {None, "", own.acs_url}:
        raise SamlError("the response is for another address")
    if request_id is not None and root.get("InResponseTo") != request_id:
        raise SamlError("the response answers another request")
    _check_age(root, now)
    codes = nodes(root, "samlp:Status/samlp:StatusCode")
    if not codes or codes[0].get("Value") != _SUCCESS:
        raise SamlError("the provider refused")
    if any(text_of(issuer) != idp.entity_id for issuer in nodes(root, "saml:Issuer")):
        raise SamlError("the response is of another provider")
    assertion = _signed_assertion(root, own, idp)
    issuers = nodes(assertion, "saml:Issuer")
    if not issuers or text_of(issuers[0]) != idp.entity_id:
        raise SamlError("the assertion is of another provider")
    _check_age(assertion, now)
    _check_conditions(assertion, own, now)
    confirmation = _confirmation(assertion, own, now)
    if request_id is not None and confirmation.get("InResponseTo") != request_id:
        raise SamlError("the assertion answers another request")
    if not assertion.get("ID"):
        raise SamlError("the assertion has no ID")
    names = nodes(assertion, "saml:Subject/saml:NameID")
    statements = nodes(assertion, "saml:AuthnStatement")
    limit = statements[0].get("SessionNotOnOrAfter") if statements else None
    return Assertion(
        id=assertion.get("ID"),
        issuer=idp.entity_id,
        name_id=text_of(names[0]) if names else "",
        name_id_format=names[0].get("Format", "") if names else "",
        attributes=_attributes(assertion),
        expires=moment_of(confirmation.get("NotOnOrAfter")),
        not_after=moment_of(limit) if limit else None,
    )


def _signed_assertion(root: Any, own: ServiceProvider, idp: IdentityProvider) -> Any:
    """The one assertion that the provider signed, by itself or with its response."""
    response = _signed(root, idp)
    if response is not None and response.tag == f"{{{NS['samlp']}}}Response":
        return _only_assertion(response, own)
    signed = _signed(_only_assertion(root, own), idp)
    if signed is None or signed.tag != f"{{{NS['saml']}}}Assertion":
        raise SamlError("no assertion has a signature of the provider")
    return signed


def _only_assertion(response: Any, own: ServiceProvider) -> Any:
    """The assertion of a response that has one, decrypted where it is encrypted."""
    plain, sealed = nodes(response, "saml:Assertion"), nodes(response, "saml:EncryptedAssertion")
    if len(plain) + len(sealed) != 1:
        raise SamlError("the response has no assertion, or several")
    if plain:
        return plain[0]
    if not own.takes_encrypted:
        raise SamlError("encrypted assertions are not allowed")
    try:
        return parsed(xml_encryption.decrypted(sealed[0], own.keys))
    except xml_encryption.DecryptionError as error:
        raise SamlError(str(error)) from error


def _signed(holder: Any, idp: IdentityProvider) -> Any:
    """What a signature of the provider in the element covers, None without one."""
    signatures = nodes(holder, "ds:Signature")
    if len(signatures) != 1 or not _is_plausible(signatures[0], holder):
        return None
    found = (_verified(holder, certificate) for certificate in idp.certificates)
    return next((signed for signed in found if signed is not None), None)


def _is_plausible(signature: Any, holder: Any) -> bool:
    """Whether a signature covers the one element that holds it, and is of a usual size.

    Each part costs time; one that names another element was moved (SAML 2.0 Core, section 5.4.2).
    """
    references = nodes(signature, "ds:SignedInfo/ds:Reference")
    if len(references) != 1 or signature.xpath("count(descendant::*)") > _MOST_PARTS:
        return False
    name, covered = holder.get("ID"), references[0].get("URI")
    is_whole = covered == "" and holder.getparent() is None
    return is_whole or (bool(name) and covered == f"#{name}")


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


def _check_age(issued: Any, now: datetime) -> None:
    """SamlError for a response or assertion that does not say that it was issued just now."""
    if now - _MOST_AGE > moment_of(issued.get("IssueInstant", "")):
        raise SamlError("the response is too old")


def _check_conditions(assertion: Any, own: ServiceProvider, now: datetime) -> None:
    conditions = nodes(assertion, "saml:Conditions")
    if not conditions:
        raise SamlError("the assertion has no conditions")
    start, end = conditions[0].get("NotBefore"), conditions[0].get("NotOnOrAfter")
    if start and now + SKEW < moment_of(start):
        raise SamlError("the assertion is not valid yet")
    if end and now - SKEW >= moment_of(end):
        raise SamlError("the assertion has expired")
    restrictions = nodes(conditions[0], "saml:AudienceRestriction")
    if not restrictions:
        raise SamlError("the assertion is for no audience")
    for restriction in restrictions:  # each of them must hold (SAML 2.0 Core, section 2.5.1.4)
        if own.entity_id not in map(text_of, nodes(restriction, "saml:Audience")):
            raise SamlError("the assertion is for another audience")


def _confirmation(assertion: Any, own: ServiceProvider, now: datetime) -> Any:
    for found in nodes(assertion, "saml:Subject/saml:SubjectConfirmation"):
        for data in nodes(found, "saml:SubjectConfirmationData"):
            end = data.get("NotOnOrAfter")
            is_here = data.get("Recipient") == own.acs_url
            is_fresh = bool(end) and now - SKEW < moment_of(end)
            if found.get("Method") == _BEARER and is_here and is_fresh:
                return data
    raise SamlError("the assertion's subject is not confirmed for us")


def _attributes(assertion: Any) -> dict[str, tuple[str, ...]]:
    """Values by name in lower case; attributes of one name, or friendly name, are one."""
    found: dict[str, tuple[str, ...]] = {}
    for attribute in nodes(assertion, "saml:AttributeStatement/saml:Attribute"):
        values = tuple(map(text_of, nodes(attribute, "saml:AttributeValue")))
        names = {(attribute.get(key) or "").lower() for key in ("Name", "FriendlyName")}
        for name in names - {""}:
            found[name] = (*found.get(name, ()), *values)
    return found


def _decoded(text: str) -> bytes:
    try:
        return base64.b64decode("".join(text.split()), validate=True)
    except (binascii.Error, ValueError) as error:
        raise SamlError("the response is not base64") from error
