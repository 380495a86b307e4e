"""Which answers of a provider are believed: auth reference 9.7, SAML 2.0 Core and Profiles."""

from __future__ import annotations

import base64
import copy
import re
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

import pytest
from cryptography.hazmat.primitives.asymmetric import rsa
from lxml import etree

from gotrue_compat.features.sso.saml_claims import Assertion
from gotrue_compat.features.sso.saml_metadata import ServiceProvider, read_metadata
from gotrue_compat.features.sso.saml_response import read_response
from gotrue_compat.features.sso.saml_xml import NS, SamlError
from tests.harness_saml import ACS, AUDIENCE, Provider

OTHERS = "<saml:AudienceRestriction><saml:Audience>x</saml:Audience></saml:AudienceRestriction>"
ANA, BOSS = "ana@company.example", "boss@company.example"
SAML, SAMLP, DS = (f"{{{NS[prefix]}}}" for prefix in ("saml", "samlp", "ds"))


@pytest.fixture(scope="module")
def idp() -> Provider:
    return Provider()


@pytest.fixture(scope="module")
def own() -> ServiceProvider:
    return ServiceProvider(AUDIENCE, ACS, rsa.generate_private_key(65537, 2048))


@pytest.fixture
def answer(idp: Provider) -> Any:
    return etree.fromstring(base64.b64decode(idp.answer(ANA, "_asked")))


@pytest.fixture
def read(idp: Provider, own: ServiceProvider) -> Callable[[Any], Assertion]:
    metadata = read_metadata(idp.metadata())

    def read(root: Any) -> Assertion:
        text = base64.b64encode(root if isinstance(root, bytes) else etree.tostring(root)).decode()
        return read_response(text, own, metadata, datetime.now(UTC), "_asked")

    return read


def _assertion(root: Any) -> Any:
    return root.find(f".//{SAML}Assertion")


def _forged(assertion: Any) -> Any:
    """A copy for somebody else, without a signature."""
    copied = copy.deepcopy(assertion)
    copied.remove(copied.find(f"{DS}Signature"))
    copied.set("ID", "_forged")
    for path in (f".//{SAML}NameID", f".//{SAML}AttributeValue"):
        copied.find(path).text = BOSS
    return copied


def _signature(assertion: Any) -> Any:
    return copy.deepcopy(assertion.find(f"{DS}Signature"))


def _beside(root: Any, genuine: Any, forged: Any) -> None:
    root.append(forged)


def _before(root: Any, genuine: Any, forged: Any) -> None:
    root.insert(0, forged)


def _around(root: Any, genuine: Any, forged: Any) -> None:
    root.replace(genuine, forged)
    forged.append(genuine)


def _in_advice(root: Any, genuine: Any, forged: Any) -> None:
    root.replace(genuine, forged)
    forged.insert(1, _signature(genuine))
    etree.SubElement(forged, f"{SAML}Advice").append(genuine)


def _in_extensions(root: Any, genuine: Any, forged: Any) -> None:
    root.replace(genuine, forged)
    forged.insert(1, _signature(genuine))
    etree.SubElement(root, f"{SAMLP}Extensions").append(genuine)


def _under_one_id(root: Any, genuine: Any, forged: Any) -> None:
    _in_extensions(root, genuine, forged)
    forged.set("ID", genuine.get("ID"))


def _signed_as_the_response(root: Any, genuine: Any, forged: Any) -> None:
    root.insert(1, _signature(genuine))
    root.set("ID", genuine.get("ID"))
    _around(root, genuine, forged)


def _in_its_signature(root: Any, genuine: Any, forged: Any) -> None:
    root.replace(genuine, forged)
    signature = genuine.find(f"{DS}Signature")
    genuine.remove(signature)
    forged.insert(1, signature)
    etree.SubElement(signature, f"{DS}Object").append(genuine)


@pytest.mark.parametrize(
    "wrap",
    [
        _beside, _before, _around, _in_advice, _in_extensions, _under_one_id,
        _signed_as_the_response, _in_its_signature,
    ],
)  # fmt: skip
def test_a_wrapped_assertion_is_not_believed(answer: Any, read, wrap):
    genuine = _assertion(answer)
    wrap(answer, genuine, _forged(genuine))
    with pytest.raises(SamlError):
        read(answer)


@pytest.mark.parametrize(
    ("path", "name", "value"),
    [
        ("Signature//{ds}SignatureMethod", "Algorithm", "http://www.w3.org/2000/09/xmldsig#hmac-sha1"),
        ("Signature//{ds}Reference", "URI", ""),
        ("Signature//{ds}Reference", "URI", "http://127.0.0.1:9/assertion"),
        ("Signature//{ds}Transform", "Algorithm", "http://www.w3.org/TR/1999/REC-xslt-19991116"),
    ],
)  # fmt: skip
def test_a_changed_signature_does_not_hold(answer: Any, read, path: str, name: str, value: str):
    _assertion(answer).find(f".//{DS}{path.format(ds=DS)}").set(name, value)
    with pytest.raises(SamlError, match="no assertion has a signature"):
        read(answer)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("IssueInstant", "2026-01-01T00:00:00Z"),
        ("IssueInstant", ""),
        ("InResponseTo", ""),
        ("InResponseTo", "_other"),
    ],
)
def test_a_response_that_is_old_or_to_another_request_is_not_believed(
    answer: Any, read, name: str, value: str
):
    answer.set(name, value)
    with pytest.raises(SamlError):
        read(answer)


def test_a_stranger_who_brings_a_certificate_is_not_believed(idp: Provider, read):
    stranger = Provider()
    stranger.entity = idp.entity
    with pytest.raises(SamlError, match="no assertion has a signature"):
        read(base64.b64decode(stranger.answer(BOSS, "_asked")))


@pytest.mark.parametrize("place", [1, -1])
def test_a_response_has_one_assertion_though_each_is_signed(
    idp: Provider, answer: Any, read, place: int
):
    other = copy.deepcopy(_assertion(answer))
    other.remove(other.find(f"{DS}Signature"))
    other.set("ID", "_other")
    answer.insert(place, idp.signed(other))
    with pytest.raises(SamlError, match="no assertion, or several"):
        read(answer)


@pytest.mark.parametrize("between", ["<!-- -->", "<?x y?>"])
def test_a_name_is_read_whole(idp: Provider, read, between: str):
    response = base64.b64decode(idp.answer(f"{ANA}{between}.evil.example", "_asked"))
    found = read(response)
    assert (found.name_id, found.attributes["mail"]) == ((name := f"{ANA}.evil.example"), (name,))


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ((f'Recipient="{ACS}"', 'Recipient="https://other.example"'), "not confirmed for us"),
        (("cm:bearer", "cm:holder-of-key"), "not confirmed for us"),
        (("<saml:Conditions ", '<saml:Conditions NotBefore="2040-01-01T00:00:00Z" '), "not valid yet"),
        ((r"<saml:Conditions.*</saml:Conditions>", ""), "no conditions"),
        (("<saml:AudienceRestriction>", f"{OTHERS}<saml:AudienceRestriction>"), "for another audience"),
        ((r"<saml:AudienceRestriction>.*</saml:AudienceRestriction>", ""), "for no audience"),
        ((r"<saml:SubjectConfirmation.*</saml:SubjectConfirmation>", ""), "not confirmed for us"),
    ],
)  # fmt: skip
def test_what_a_provider_signed_for_others_is_refused(
    idp: Provider, answer: Any, read, change: tuple[str, str], reason: str
):
    genuine = _assertion(answer)
    plain = copy.deepcopy(genuine)
    plain.remove(plain.find(f"{DS}Signature"))
    text, changes = re.subn(*change, etree.tostring(plain).decode(), flags=re.DOTALL)
    assert changes
    answer.replace(genuine, idp.signed(etree.fromstring(text)))
    with pytest.raises(SamlError, match=reason):
        read(answer)


def test_the_issuer_of_a_response_is_the_assertions(answer: Any, read):
    answer.find(f"{SAML}Issuer").text = "https://other.example/metadata"
    with pytest.raises(SamlError, match="the response is of another provider"):
        read(answer)
    answer.remove(answer.find(f"{SAML}Issuer"))
    assert read(answer).name_id == ANA


def test_the_destination_of_a_response_is_ours(answer: Any, read):
    answer.set("Destination", "https://other.example")
    with pytest.raises(SamlError, match="another address"):
        read(answer)


def test_a_signature_of_many_parts_is_not_looked_at(answer: Any, read):
    parts = _assertion(answer).find(f"{DS}Signature/{DS}SignedInfo")
    for _ in range(100):
        etree.SubElement(parts, f"{DS}Reference", URI="#_r")
    with pytest.raises(SamlError, match="no assertion has a signature"):
        read(answer)
