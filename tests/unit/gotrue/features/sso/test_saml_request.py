"""A signed request for authentication, as an identity provider reads it."""

from __future__ import annotations

import base64
import zlib
from datetime import UTC, datetime
from urllib.parse import parse_qs, urlencode, urlsplit

from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import padding, rsa

from gotrue_compat.features.sso.saml_metadata import (
    PERSISTENT,
    IdentityProvider,
    ServiceProvider,
)
from gotrue_compat.features.sso.saml_request import AuthnRequest, authn_request
from gotrue_compat.features.sso.saml_xml import nodes, parsed

NOW = datetime(2026, 11, 22, tzinfo=UTC)


def test_the_provider_gets_a_signed_request_at_its_address():
    key = rsa.generate_private_key(65537, 2048)
    own = ServiceProvider("https://us/metadata?a=1&b=2", "https://us/acs", key)
    idp = IdentityProvider("idp", "https://idp/sso?tenant=1", ())
    request = authn_request(own, idp, AuthnRequest("id-1", "relay-1", PERSISTENT), NOW)
    assert request.id == "id-1"
    assert request.url.startswith("https://idp/sso?tenant=1&SAMLRequest=")
    given = {name: values[0] for name, values in parse_qs(urlsplit(request.url).query).items()}
    root = parsed(zlib.decompress(base64.b64decode(given["SAMLRequest"]), wbits=-15))
    assert (root.get("ID"), root.get("Destination")) == ("id-1", "https://idp/sso?tenant=1")
    issuer = nodes(root, "saml:Issuer")[0]
    assert issuer.text == "https://us/metadata?a=1&b=2"
    assert issuer.get("Format") == "urn:oasis:names:tc:SAML:2.0:nameid-format:entity"
    signed = urlencode({name: given[name] for name in ("SAMLRequest", "RelayState", "SigAlg")})
    signature = base64.b64decode(given["Signature"])
    key.public_key().verify(signature, signed.encode(), padding.PKCS1v15(), hashes.SHA256())
