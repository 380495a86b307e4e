"""The framed stream of signed uploads, however it is cut."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from compat_base.values.errors import ApiError
from storage_compat.rules.aws_chunks import ChunkDecoder


@given(st.lists(st.binary(min_size=1, max_size=50), max_size=5), st.integers(1, 20))
def test_a_framed_stream_comes_out_however_it_is_cut(chunks: list[bytes], step: int):
    framed = b"".join(b"%x\r\n%b\r\n" % (len(chunk), chunk) for chunk in chunks)
    framed += b"0\r\nx-amz-checksum-crc32:AAAA\r\n\r\n"
    decoder = ChunkDecoder(has_trailer=True)
    out = b"".join(decoder.feed(framed[at : at + step]) for at in range(0, len(framed), step))
    decoder.finish()
    assert out == b"".join(chunks)


@pytest.mark.parametrize("framed", [b"5\r\nab", b"zz\r\n", b"1\r\na\r\n", b"0\r\n"])
def test_a_framed_stream_without_its_end_is_refused(framed: bytes):
    decoder = ChunkDecoder(has_trailer=True)

    def read() -> None:
        decoder.feed(framed)
        decoder.finish()

    with pytest.raises(ApiError):
        read()


@pytest.mark.parametrize("size", [b"-5", b"+5", b"1_0", b"0x5", b" 5", b""])
def test_the_size_of_a_chunk_is_of_hexadecimal_digits(size: bytes):
    with pytest.raises(ApiError):
        ChunkDecoder().feed(size + b"\r\nabcde\r\n")
