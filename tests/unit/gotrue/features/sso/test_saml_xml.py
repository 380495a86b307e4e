"""XML of SAML is read without doctype, entities or network; times have a zone."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from gotrue_compat.features.sso.saml_xml import NS, SamlError, moment_of, nodes, parsed


@pytest.mark.parametrize(
    "data",
    [b"", b"<a>", b'<!DOCTYPE a [<!ENTITY b "c">]><a>&b;</a>', b"<!DOCTYPE a><a/>", b"\xff\xfe"],
)
def test_what_is_no_plain_xml_is_refused(data: bytes):
    with pytest.raises(SamlError):
        parsed(data)


def test_nodes_are_found_by_the_prefixes_of_saml_and_comments_are_not_there():
    root = parsed(f'<x xmlns:s="{NS["saml"]}"><s:Issuer>a<!-- b -->c</s:Issuer></x>'.encode())
    assert [node.text for node in nodes(root, "saml:Issuer")] == ["ac"]
    assert nodes(root, "md:Issuer") == []


def test_a_time_without_a_zone_is_refused():
    assert moment_of("2026-11-22T12:00:00Z") == datetime(2026, 11, 22, 12, tzinfo=UTC)
    for text in ("2026-11-22T12:00:00", "now", ""):
        with pytest.raises(SamlError):
            moment_of(text)
