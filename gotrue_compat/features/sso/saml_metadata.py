"""Metadata of SAML: identity providers', and our own (auth reference 9.7)."""

from __future__ import annotations

import base64
import binascii
import re
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import lru_cache
from xml.sax.saxutils import quoteattr

from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import rsa
from cryptography.hazmat.primitives.serialization import Encoding, load_der_private_key

from compat_base.values.jsontext import time_text
from gotrue_compat.features.sso import xml_encryption
from gotrue_compat.features.sso.saml_xml import (
    EMAIL_ADDRESS,
    NS,
    POST,
    REDIRECT,
    SamlError,
    moment_of,
    nodes,
    parsed,
)
from gotrue_compat.urls.links import web_address

PERSISTENT = "urn:oasis:names:tc:SAML:2.0:nameid-format:persistent"
_DAY_SECONDS = 24 * 60 * 60
_YEAR = timedelta(days=365)
# XML Schema's durations, as far as they have one length: days to seconds
_DURATION = re.compile(r"P(?:(\d+)D)?(?:T(?:(\d+)H)?(?:(\d+)M)?(?:(\d+(?:\.\d+)?)S)?)?", re.ASCII)


@dataclass(frozen=True, slots=True)
class IdentityProvider:
    """A provider's metadata: its name, where to send users, its certificates."""

    entity_id: str
    redirect_url: str
    certificates: tuple[str, ...]
    valid_until: datetime | None = None
    cache_seconds: float | None = None

    def is_stale(self, now: datetime, fetched_at: datetime) -> bool:
        """Whether metadata fetched then must be again: once a day where they do not say."""
        if self.valid_until is not None and now > self.valid_until:
            return True
        life = self.cache_seconds
        if life is None and self.valid_until is None:
            life = _DAY_SECONDS
        return life is not None and (now - fetched_at).total_seconds() > life


@dataclass(frozen=True, slots=True)
class ServiceProvider:
    """Ourselves: the name is the address of our metadata.

    `next_key` is one that providers are to know before it is used.
    """

    entity_id: str
    acs_url: str
    key: rsa.RSAPrivateKey
    takes_encrypted: bool = False
    next_key: rsa.RSAPrivateKey | None = None

    @property
    def keys(self) -> tuple[rsa.RSAPrivateKey, ...]:
        """Our key, and the one that will take its place."""
        return (self.key, self.next_key) if self.next_key is not None else (self.key,)


@lru_cache(maxsize=8)  # reading one checks its primes: 37 ms
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
    """Read a provider's metadata; SamlError where something needed is missing.

    One without a certificate is read too, as by the original; no assertion of it is believed.
    """
    root = parsed(text.encode())
    entity = root if root.tag == f"{{{NS['md']}}}EntityDescriptor" else None
    if entity is None or not entity.get("entityID"):
        raise SamlError("SAML Metadata does not contain an EntityID")
    described = len(nodes(entity, "md:IDPSSODescriptor"))
    if not described:
        raise SamlError("SAML Metadata does not contain any IDPSSODescriptor")
    if described > 1:
        raise SamlError("SAML Metadata contains multiple IDPSSODescriptors")
    places = nodes(entity, "md:IDPSSODescriptor/md:SingleSignOnService")
    location = next((p.get("Location", "") for p in places if p.get("Binding") == REDIRECT), "")
    url = web_address(location)
    if url is None:
        raise SamlError("SAML Metadata XML has no HTTP-Redirect SingleSignOnService")
    path = "md:IDPSSODescriptor/md:KeyDescriptor[not(@use) or @use='signing']"
    certificates = tuple(
        "".join((node.text or "").split()) for node in nodes(entity, f"{path}//ds:X509Certificate")
    )
    until = entity.get("validUntil")
    return IdentityProvider(
        entity.get("entityID", ""), url.text, certificates,
        moment_of(until) if until else None, _seconds(entity.get("cacheDuration") or ""),
    )  # fmt: skip


def own_metadata(own: ServiceProvider, now: datetime) -> str:
    """Our metadata for providers, good for a year: our key, and the next one where there is one."""
    return (
        f'<EntityDescriptor xmlns="{NS["md"]}" validUntil="{time_text(now + _YEAR)}"'
        f" entityID={quoteattr(own.entity_id)}>"
        f'<SPSSODescriptor protocolSupportEnumeration="{NS["samlp"]}"'
        ' AuthnRequestsSigned="true" WantAssertionsSigned="true">'
        f"{''.join(_key_descriptors(own, key, now) for key in own.keys)}"
        f"<NameIDFormat>{EMAIL_ADDRESS}</NameIDFormat>"
        f"<NameIDFormat>{PERSISTENT}</NameIDFormat>"
        f'<AssertionConsumerService Binding="{POST}" Location={quoteattr(own.acs_url)}'
        ' index="1"/></SPSSODescriptor></EntityDescriptor>'
    )


def _key_descriptors(own: ServiceProvider, key: rsa.RSAPrivateKey, now: datetime) -> str:
    encoded = base64.b64encode(certificate_of(key, now)).decode()
    holder = (
        f'<KeyInfo xmlns="{NS["ds"]}"><X509Data><X509Certificate>{encoded}</X509Certificate>'
        "</X509Data></KeyInfo>"
    )
    signing = f'<KeyDescriptor use="signing">{holder}</KeyDescriptor>'
    if not own.takes_encrypted:
        return signing
    methods = (*xml_encryption.DATA_METHODS, *xml_encryption.KEY_METHODS)
    listed = "".join(f'<EncryptionMethod Algorithm="{method}"/>' for method in methods)
    return f'{signing}<KeyDescriptor use="encryption">{holder}{listed}</KeyDescriptor>'


def certificate_of(key: rsa.RSAPrivateKey, now: datetime) -> bytes:
    """A certificate for a key of ours, signed by itself: metadata wants one."""
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "SAML 2.0 Certificate")])
    start = datetime(now.year, 1, 1, tzinfo=now.tzinfo)
    builder = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(1)
        .not_valid_before(start)
        .not_valid_after(start + timedelta(days=3650))
    )
    return builder.sign(key, hashes.SHA256()).public_bytes(Encoding.DER)


def _seconds(duration: str) -> float | None:
    """A duration in seconds, None where there is none of one length."""
    match = _DURATION.fullmatch(duration)
    if not duration or match is None:
        return None
    days, hours, minutes, seconds = (float(part or 0) for part in match.groups())
    return ((days * 24 + hours) * 60 + minutes) * 60 + seconds or None
