"""A provider's metadata, and our own."""

from __future__ import annotations

import base64
from datetime import UTC, datetime

import pytest
from cryptography.hazmat.primitives.asymmetric import rsa
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat

from gotrue_compat.features.sso.saml_metadata import (
    ServiceProvider,
    load_key,
    own_metadata,
    read_metadata,
)
from gotrue_compat.features.sso.saml_xml import NS, REDIRECT, SamlError, nodes, parsed

NOW = datetime(2026, 11, 22, tzinfo=UTC)


@pytest.fixture(scope="module")
def key() -> rsa.RSAPrivateKey:
    return rsa.generate_private_key(65537, 2048)


def metadata(*, place: str = "https://idp/sso", times: int = 1, more: str = "") -> str:
    described = (
        f'<md:IDPSSODescriptor><md:SingleSignOnService Binding="{REDIRECT}" Location="{place}"/>'
        "</md:IDPSSODescriptor>"
    )
    return f'<md:EntityDescriptor xmlns:md="{NS["md"]}" entityID="idp" {more}>{described * times}</md:EntityDescriptor>'


def test_a_provider_is_read_with_its_times():
    read = read_metadata(metadata(more='cacheDuration="P1DT1H" validUntil="2026-12-01T00:00:00Z"'))
    assert (read.entity_id, read.redirect_url, read.certificates) == ("idp", "https://idp/sso", ())
    assert (read.cache_seconds, read.valid_until) == (25 * 3600, datetime(2026, 12, 1, tzinfo=UTC))


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (metadata(times=0), "any IDPSSODescriptor"),
        (metadata(times=2), "multiple IDPSSODescriptors"),
        (metadata(place="javascript:alert(1)"), "no HTTP-Redirect"),
        ("<a/>", "EntityID"),
    ],
)
def test_metadata_that_lack_something_are_refused(text: str, reason: str):
    with pytest.raises(SamlError, match=reason):
        read_metadata(text)


def test_our_metadata_have_a_certificate_for_each_key(key: rsa.RSAPrivateKey):
    own = ServiceProvider('a"b', "https://acs", key, takes_encrypted=True, next_key=key)
    root = parsed(own_metadata(own, NOW).encode())
    assert root.get("entityID") == 'a"b'
    uses = [node.get("use") for node in nodes(root, ".//md:KeyDescriptor")]
    assert uses == ["signing", "encryption"] * 2


def test_a_key_is_rsa_in_der(key: rsa.RSAPrivateKey):
    der = key.private_bytes(Encoding.DER, PrivateFormat.PKCS8, NoEncryption())
    assert load_key(base64.b64encode(der).decode()).key_size == 2048
    with pytest.raises(SamlError):
        load_key("no key")
