"""Forms as they arrive, however they are cut."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest

from compat_base.values.errors import ApiError
from storage_compat import errors
from storage_compat.web.multipart import open_form

FORM = (
    b'--x\r\nContent-Disposition: form-data; name="cacheControl"\r\n\r\n5\r\n'
    b'--x\r\nContent-Disposition: form-data; name=""; filename="f"\r\n'
    b"Content-Type: a/b\r\n\r\n\r\n--not\r\n--x--\r\nbehind it"
)


async def pieces(data: bytes, size: int) -> AsyncIterator[bytes]:
    for start in range(0, len(data), size):
        yield data[start : start + size]


@pytest.mark.parametrize("size", [1, 7, 1000])
@pytest.mark.parametrize(
    "preamble", [b"", b"\r\n", b"a word before\r\n", b"-\r\n", b"x--x\r\n", b"\r\n--y\r\n" * 9]
)
async def test_what_is_before_the_first_boundary_is_passed_over(preamble: bytes, size: int):
    form = await open_form("multipart/form-data; boundary=x", pieces(preamble + FORM, size))
    content = b"".join([piece async for piece in form.file])
    assert (form.part_type, form.single, content) == ("a/b", {"cacheControl": "5"}, b"\r\n--not")


async def test_what_begins_with_a_mebibyte_of_something_else_is_no_form():
    with pytest.raises(ApiError) as refused:
        await open_form("multipart/form-data; boundary=x", pieces(bytes(1_200_000), 65_536))
    assert refused.value.problem == errors.CUT_FORM.problem()


async def test_a_form_whose_heads_have_a_quoted_text_without_an_end_is_read():
    part = b'--x\r\nContent-Disposition: form-data; name="a\r\nX: y\r\n\r\n1\r\n'
    cut = part.replace(b'="a', b'="' + b'\\"' * 1_900)
    form = await open_form("multipart/form-data; boundary=x", pieces(cut * 2 + FORM, 65_536))
    assert b"".join([piece async for piece in form.file]) == b"\r\n--not"
