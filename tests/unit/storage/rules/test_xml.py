"""Documents of S3: read without entities, written back."""

from __future__ import annotations

import pytest

from compat_base.values.errors import ApiError
from storage_compat.rules.xml import ItemReader, document


def read_items(body: bytes, piece: int = 7) -> list[dict[str, str]]:
    reader = ItemReader("Delete", "Object")
    for start in range(0, len(body), piece):
        reader.feed(body[start : start + piece])
    return reader.finish()


@pytest.mark.parametrize(
    "body",
    [b"<Delete><Object><Key>a</Key>", b'<!DOCTYPE d [<!ENTITY a "b">]><Delete/>', b"", b"\xff"],
)
def test_a_document_that_is_malformed_or_has_entities_is_refused(body: bytes):
    with pytest.raises(ApiError, match="MalformedXML"):
        read_items(body)


@pytest.mark.parametrize("encoding", ["utf-7", "iso-2022-jp", "nonsense", "latin-1"])
def test_a_document_is_of_utf8_whatever_it_says(encoding: str):
    text = (
        f"<?xml version='1.0' encoding='{encoding}'?><Delete><Object><Key>é</Key></Object></Delete>"
    )
    assert read_items(text.encode()) == [{"Key": "é"}]


@pytest.mark.parametrize(
    "body",
    [
        b"<Delete " + b" ".join(b'a%d="1"' % number for number in range(20_000)) + b"/>",
        b"<Delete><!--" + b"x" * 100_000 + b"--></Delete>",
        b"<Delete>" + b"<Object><Key>x</Key></Object>" * 10_001 + b"</Delete>",
    ],
    ids=["attributes", "comment", "items"],
)
def test_what_would_be_read_at_once_is_bounded(body: bytes):
    with pytest.raises(ApiError, match="MalformedXML"):
        read_items(body, 16_384)


def test_a_text_in_a_document_is_read_back():
    text = "a & b <c> \"d\" 'e' é"
    made = document("Delete", {"Object": [{"Key": text}]})
    assert read_items(made) == [{"Key": text}]


def test_an_item_that_is_named_twice_is_refused():
    reader = ItemReader("Delete", "Object", ("Key",))
    with pytest.raises(ApiError, match="Object, 0, Key must be string"):
        reader.feed(b"<Delete><Object><Key>a</Key><Key>b</Key></Object></Delete>")


def test_a_text_in_thousands_of_pieces_is_put_together_once():
    made = b"<Delete><Object><Key>" + b"a<b/>" * 90_000 + b"</Key></Object></Delete>"
    [item] = read_items(made)
    assert item == {"Key": "a" * 90_000}


@pytest.mark.parametrize("item", [b"<a/>", b"<a>", b"<Object/>"])
def test_a_document_of_too_many_elements_is_refused(item: bytes):
    with pytest.raises(ApiError, match="MalformedXML"):
        read_items(b"<Delete>" + item * 100_001)
