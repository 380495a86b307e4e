"""XML as SAML uses it: names, reading without network or entities, times (auth reference 9.7)."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from lxml import etree as _untyped  # pyright: ignore[reportAttributeAccessIssue, reportUnknownVariableType] — lxml carries no types

etree: Any = _untyped  # pyright: ignore[reportUnknownVariableType] — as above

NS = {
    "md": "urn:oasis:names:tc:SAML:2.0:metadata",
    "ds": "http://www.w3.org/2000/09/xmldsig#",
    "saml": "urn:oasis:names:tc:SAML:2.0:assertion",
    "samlp": "urn:oasis:names:tc:SAML:2.0:protocol",
}
REDIRECT = "urn:oasis:names:tc:SAML:2.0:bindings:HTTP-Redirect"
POST = "urn:oasis:names:tc:SAML:2.0:bindings:HTTP-POST"


class SamlError(ValueError):
    """The XML is not what it should be; the text says why."""


def parsed(data: bytes) -> Any:
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


def nodes(node: Any, path: str) -> list[Any]:
    """The nodes at a path, whose prefixes are those of `NS`."""
    return list(node.xpath(path, namespaces=NS))


def moment_of(text: str) -> datetime:
    """A time with its zone; SamlError for others."""
    try:
        moment = datetime.fromisoformat(text)
    except ValueError as error:
        raise SamlError("a time cannot be read") from error
    if moment.tzinfo is None:
        raise SamlError("a time has no zone")
    return moment
