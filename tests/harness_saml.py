"""A SAML identity provider for tests: its metadata, and the answers that it signs."""

from __future__ import annotations

import base64
from datetime import UTC, datetime, timedelta
from uuid import uuid4

from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import rsa
from cryptography.hazmat.primitives.serialization import Encoding
from lxml import etree
from signxml import XMLSigner, methods

ENTITY = "https://idp.example/metadata"
ACS = "http://localhost:9999/sso/saml/acs"
AUDIENCE = "http://localhost:9999/sso/saml/metadata"
_C14N = "http://www.w3.org/2001/10/xml-exc-c14n#"


class Provider:
    """A SAML identity provider that signs assertions."""

    def __init__(self) -> None:
        self.entity = ENTITY
        self.key = rsa.generate_private_key(65537, 2048)
        name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "idp")])
        now = datetime.now(UTC)
        self.certificate = (
            x509.CertificateBuilder().subject_name(name).issuer_name(name)
            .public_key(self.key.public_key()).serial_number(7)
            .not_valid_before(now - timedelta(days=1)).not_valid_after(now + timedelta(days=1))
            .sign(self.key, hashes.SHA256())
        )  # fmt: skip

    def metadata(self) -> str:
        der = base64.b64encode(self.certificate.public_bytes(Encoding.DER)).decode()
        return f"""<EntityDescriptor xmlns="urn:oasis:names:tc:SAML:2.0:metadata" entityID="{self.entity}">
          <IDPSSODescriptor protocolSupportEnumeration="urn:oasis:names:tc:SAML:2.0:protocol">
          <KeyDescriptor use="signing"><KeyInfo xmlns="http://www.w3.org/2000/09/xmldsig#"><X509Data>
          <X509Certificate>{der}</X509Certificate></X509Data></KeyInfo></KeyDescriptor>
          <SingleSignOnService Binding="urn:oasis:names:tc:SAML:2.0:bindings:HTTP-Redirect"
          Location="https://idp.example/sso"/></IDPSSODescriptor></EntityDescriptor>"""

    def signed(self, element):
        """An element with the provider's signature in it."""
        signer = XMLSigner(method=methods.enveloped, c14n_algorithm=_C14N)
        return signer.sign(
            element, key=self.key, cert=[self.certificate], reference_uri=element.get("ID")
        )

    def answer(self, email: str, request_id: str = "", **more: str) -> str:
        now = datetime.now(UTC)
        moment = more.get("end") or (now + timedelta(minutes=5)).isoformat()
        form, mail = more.get("form", "persistent"), more.get("mail", "mail")
        to = f' InResponseTo="{request_id}"' if request_id else ""
        assertion = f"""<saml:Assertion xmlns:saml="urn:oasis:names:tc:SAML:2.0:assertion"
          ID="_{uuid4().hex}" Version="2.0" IssueInstant="{now.isoformat()}">
          <saml:Issuer>{self.entity}</saml:Issuer>
          <saml:Subject><saml:NameID Format="urn:oasis:names:tc:SAML:2.0:nameid-format:{form}"
          >{more.get("subject", email)}</saml:NameID><saml:SubjectConfirmation
          Method="urn:oasis:names:tc:SAML:2.0:cm:bearer"><saml:SubjectConfirmationData
          Recipient="{ACS}" NotOnOrAfter="{moment}"{to}/></saml:SubjectConfirmation></saml:Subject>
          <saml:Conditions NotOnOrAfter="{moment}"><saml:AudienceRestriction>
          <saml:Audience>{more.get("audience", AUDIENCE)}</saml:Audience></saml:AudienceRestriction>
          </saml:Conditions><saml:AttributeStatement><saml:Attribute Name="{mail}">
          <saml:AttributeValue>{email}</saml:AttributeValue></saml:Attribute><saml:Attribute
          Name="team"><saml:AttributeValue>azul</saml:AttributeValue></saml:Attribute>
          </saml:AttributeStatement></saml:Assertion>"""
        inside = etree.tostring(self.signed(etree.fromstring(assertion))).decode()
        if "forged" in more:
            inside = inside.replace(email, more["forged"])
        whole = f"""<samlp:Response xmlns:samlp="urn:oasis:names:tc:SAML:2.0:protocol"
          xmlns:saml="urn:oasis:names:tc:SAML:2.0:assertion" ID="_r" Version="2.0"
          IssueInstant="{now.isoformat()}"{to} Destination="{ACS}"><saml:Issuer>{self.entity}</saml:Issuer><samlp:Status><samlp:StatusCode
          Value="urn:oasis:names:tc:SAML:2.0:status:Success"/></samlp:Status>{inside}</samlp:Response>"""
        return base64.b64encode(whole.encode()).decode()
