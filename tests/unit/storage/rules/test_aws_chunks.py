"""The framed stream of signed uploads, however it is cut."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from compat_base.values.errors import ApiError
from storage_compat.rules.aws_chunks import ChunkDecoder, ChunkSigner


@given(st.lists(st.binary(min_size=1, max_size=50), max_size=5), st.integers(1, 20))
def test_a_framed_stream_comes_out_however_it_is_cut(chunks: list[bytes], step: int):
    framed = b"".join(b"%x\r\n%b\r\n" % (len(chunk), chunk) for chunk in chunks)
    framed += b"0\r\nx-amz-checksum-crc32:AAAA\r\n\r\n"
    decoder = ChunkDecoder(has_trailer=True)
    out = b"".join(decoder.feed(framed[at : at + step]) for at in range(0, len(framed), step))
    decoder.finish()
    assert out == b"".join(chunks)


def read_all(decoder: ChunkDecoder, framed: bytes, step: int) -> None:
    for at in range(0, len(framed), step):
        decoder.feed(framed[at : at + step])
    decoder.finish()


def refusal(framed: bytes, *, has_trailer: bool = True, signer: ChunkSigner | None = None) -> str:
    """What is said of a stream, in whatever pieces it comes."""
    messages: set[str] = set()
    for step in (1, 7, 10_000):
        decoder = ChunkDecoder(signer, has_trailer=has_trailer)
        with pytest.raises(ApiError) as refused:
            read_all(decoder, framed, step)
        messages.add(refused.value.problem.message)
    [message] = messages
    return message


@pytest.mark.parametrize(
    ("framed", "message"),
    [
        (b"", "Missing final chunk"),
        (b"5\r\nab", "Unexpected end of chunk data"),
        (b"zz\r\n", "Invalid chunk size"),
        (b"1\r\na\r\n", "Missing final chunk"),
        (b"0\r\n", "Incomplete trailer section"),
        (b"0\r\n\r\n", "Incomplete trailer section"),
        (b"0\r\n" + b"a:b\r\n" * 101, "Incomplete trailer section"),
        (b"0\r\n" + b"a" * 300, "Incomplete trailer section"),
        (b"0" * 300, "Invalid chunk header"),
        (b"1;chunk-signature=x\r\na\r\n", "Invalid chunk header"),
    ],
)
def test_a_framed_stream_that_is_cut_or_none_is_refused(framed: bytes, message: str):
    assert refusal(framed) == message


@pytest.mark.parametrize("has_trailer", [True, False])
def test_bytes_that_are_in_no_chunk_are_refused_and_not_left_out(has_trailer: bool):
    end = b"0\r\na:b\r\n\r\n" if has_trailer else b"0\r\n\r\n"
    behind = refusal(b"2\r\nabcd\r\n" + end, has_trailer=has_trailer)
    assert behind == "Missing CRLF after chunk data"
    after = refusal(b"2\r\nab\r\n" + end + b"2\r\ncd\r\n", has_trailer=has_trailer)
    assert after == "Unexpected data after final chunk"


def test_a_chunk_of_a_signed_stream_without_a_signature_is_refused():
    signer = ChunkSigner(b"key", "20260101T000000Z", "scope", "")
    assert refusal(b"1\r\na\r\n", signer=signer) == "Missing chunk signature"


@pytest.mark.parametrize("size", [b"-5", b"+5", b"1_0", b"0x5", b" 5", b""])
def test_the_size_of_a_chunk_is_of_hexadecimal_digits(size: bytes):
    with pytest.raises(ApiError):
        ChunkDecoder().feed(size + b"\r\nabcde\r\n")
