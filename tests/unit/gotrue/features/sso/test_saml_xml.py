"""XML of SAML is read without doctype, entities or network; times have a zone."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from gotrue_compat.features.sso.saml_xml import NS, SamlError, moment_of, nodes, parsed, text_of


@pytest.mark.parametrize(
    "data",
    [b"", b"<a>", b'<!DOCTYPE a [<!ENTITY b "c">]><a>&b;</a>', b"<!DOCTYPE a><a/>", b"\xff\xfe"],
)
def test_what_is_no_plain_xml_is_refused(data: bytes):
    with pytest.raises(SamlError):
        parsed(data)


def _many(form: str, count: int) -> str:
    return "".join(form.format(number) for number in range(count))


@pytest.mark.parametrize(
    ("most", "form"),
    [
        (100, "<a {}/>|a{}='1' "),
        (1_000, "<a {}/>|xmlns:n{}='u' "),
        (1_000, "<a>{}</a>|<n:b xmlns:n='u{}'/>"),
        (20_000, "<a>{}</a>|<b/>"),
    ],
)
def test_what_is_costly_to_canonicalise_is_refused(most: int, form: str):
    whole, part = form.split("|")
    for encoding in ("utf-8", "utf-16"):
        parsed(whole.format(_many(part, most)).encode(encoding))
        with pytest.raises(SamlError, match="too many"):
            parsed(whole.format(_many(part, most + 1)).encode(encoding))


def test_nodes_are_found_by_the_prefixes_of_saml_and_comments_are_not_there():
    root = parsed(f'<x xmlns:s="{NS["saml"]}"><s:Issuer>a<!-- b -->c</s:Issuer></x>'.encode())
    assert [node.text for node in nodes(root, "saml:Issuer")] == ["ac"]
    assert nodes(root, "md:Issuer") == []


def test_the_text_of_a_node_is_all_of_it():
    root = parsed(b"<a> b<!-- c --><?d e?><f>g</f>h </a>")
    assert text_of(root) == "bgh"


def test_a_time_without_a_zone_is_refused():
    assert moment_of("2026-11-22T12:00:00Z") == datetime(2026, 11, 22, 12, tzinfo=UTC)
    for text in ("2026-11-22T12:00:00", "now", "", "0001-01-01T00:00:00+14:00"):
        with pytest.raises(SamlError):
            moment_of(text)
