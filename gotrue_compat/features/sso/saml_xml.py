"""XML as SAML uses it: names, reading without network or entities, times (auth reference 9.7)."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime
from io import BytesIO
from itertools import islice
from typing import Any, cast

from lxml import etree as _untyped  # pyright: ignore[reportAttributeAccessIssue, reportUnknownVariableType] — lxml carries no types

etree: Any = _untyped  # pyright: ignore[reportUnknownVariableType] — as above

NS = {
    "md": "urn:oasis:names:tc:SAML:2.0:metadata",
    "ds": "http://www.w3.org/2000/09/xmldsig#",
    "saml": "urn:oasis:names:tc:SAML:2.0:assertion",
    "samlp": "urn:oasis:names:tc:SAML:2.0:protocol",
}
# Canonicalisation uses insertion sort: its time grows with the square of these numbers
_MOST_ATTRIBUTES = 100  # of one element
_MOST_NAMESPACES = 1_000  # declarations of a document
_MOST_ELEMENTS = 20_000
REDIRECT = "urn:oasis:names:tc:SAML:2.0:bindings:HTTP-Redirect"
EMAIL_ADDRESS = "urn:oasis:names:tc:SAML:1.1:nameid-format:emailAddress"
POST = "urn:oasis:names:tc:SAML:2.0:bindings:HTTP-POST"


class SamlError(ValueError):
    """The XML is not what it should be; the text says why."""


def parsed(data: bytes) -> Any:
    """XML without doctype, entities or network, of a size that is cheap to canonicalise."""
    options = {
        "resolve_entities": False, "no_network": True, "load_dtd": False, "remove_comments": True,
    }  # fmt: skip
    try:
        declared = cast("Iterator[Any]", etree.iterparse(BytesIO(data), ("start-ns",), **options))
        has_too_many = next(islice(declared, _MOST_NAMESPACES, None), None) is not None
        root = None if has_too_many else etree.fromstring(data, etree.XMLParser(**options))
    except (etree.XMLSyntaxError, ValueError) as error:
        raise SamlError("the XML cannot be read") from error
    if root is None or _is_too_large(root):
        raise SamlError("the XML has too many elements, attributes or namespaces")
    if root.getroottree().docinfo.doctype:
        raise SamlError("a doctype is not allowed")
    return root


def _is_too_large(root: Any) -> bool:
    is_wide = root.xpath(f"boolean(descendant-or-self::*[count(@*) > {_MOST_ATTRIBUTES}])")
    return is_wide or root.xpath("count(descendant::*)") > _MOST_ELEMENTS


def nodes(node: Any, path: str) -> list[Any]:
    """The nodes at a path, whose prefixes are those of `NS`."""
    return list(node.xpath(path, namespaces=NS))


def text_of(node: Any) -> str:
    """The text of a node and all within it, stripped; comments and instructions are no text."""
    return str(node.xpath("string()")).strip()


def moment_of(text: str) -> datetime:
    """A time with its zone, in UTC; SamlError for others."""
    try:
        moment = datetime.fromisoformat(text)
        in_utc = moment.astimezone(UTC)
    except (ValueError, OverflowError) as error:
        raise SamlError("a time cannot be read") from error
    if moment.tzinfo is None:
        raise SamlError("a time has no zone")
    return in_utc
