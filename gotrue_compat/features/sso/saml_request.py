"""A signed request for authentication, by the redirect binding."""

from __future__ import annotations

import base64
import zlib
from dataclasses import dataclass
from datetime import datetime
from urllib.parse import urlencode
from xml.sax.saxutils import escape, quoteattr

from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import padding

from compat_base.values.jsontext import time_text
from gotrue_compat.features.sso.saml_metadata import IdentityProvider, ServiceProvider
from gotrue_compat.features.sso.saml_xml import NS, POST
from gotrue_compat.urls.links import extended

_ENTITY = "urn:oasis:names:tc:SAML:2.0:nameid-format:entity"
_RSA_SHA256 = "http://www.w3.org/2001/04/xmldsig-more#rsa-sha256"


@dataclass(frozen=True, slots=True)
class Request:
    """One request for authentication: its id and the address that carries it."""

    id: str
    url: str


@dataclass(frozen=True, slots=True)
class AuthnRequest:
    """What a request names: itself, its relay state, the kind of id that it wants."""

    id: str
    relay_state: str
    name_id_format: str


def authn_request(
    own: ServiceProvider, idp: IdentityProvider, contents: AuthnRequest, now: datetime
) -> Request:
    """A signed request by the redirect binding (SAML bindings 3.4)."""
    xml = (
        f'<samlp:AuthnRequest xmlns:samlp="{NS["samlp"]}" xmlns:saml="{NS["saml"]}"'
        f' ID="{contents.id}" Version="2.0" IssueInstant="{time_text(now)}"'
        f" Destination={quoteattr(idp.redirect_url)}"
        f' ProtocolBinding="{POST}" AssertionConsumerServiceURL={quoteattr(own.acs_url)}>'
        f'<saml:Issuer Format="{_ENTITY}">{escape(own.entity_id)}</saml:Issuer>'
        f"<samlp:NameIDPolicy Format={quoteattr(contents.name_id_format)}"
        ' AllowCreate="true"/></samlp:AuthnRequest>'
    )
    packer = zlib.compressobj(wbits=-15)
    packed = packer.compress(xml.encode()) + packer.flush()
    pairs = {
        "SAMLRequest": base64.b64encode(packed).decode(), "RelayState": contents.relay_state,
        "SigAlg": _RSA_SHA256,
    }  # fmt: skip
    signed = urlencode(pairs)
    signature = own.key.sign(signed.encode(), padding.PKCS1v15(), hashes.SHA256())
    pairs["Signature"] = base64.b64encode(signature).decode()
    return Request(contents.id, extended(idp.redirect_url, tuple(pairs.items())))
