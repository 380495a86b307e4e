"""Documents of S3: read without entities, written back."""

from __future__ import annotations

import pytest

from compat_base.values.errors import ApiError
from storage_compat.rules.xml import document, read_items


@pytest.mark.parametrize(
    "body",
    [b"<Delete><Object><Key>a</Key>", b'<!DOCTYPE d [<!ENTITY a "b">]><Delete/>', b"", b"\xff"],
)
def test_a_document_that_is_malformed_or_has_entities_is_refused(body: bytes):
    with pytest.raises(ApiError, match="MalformedXML"):
        read_items(body, "Delete", "Object")


def test_a_text_in_a_document_is_read_back():
    text = "a & b <c> \"d\" 'e' é"
    made = document("Delete", {"Object": [{"Key": text}]}, is_error=True)
    assert read_items(made, "Delete", "Object") == [{"Key": text}]
