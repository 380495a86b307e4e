"""S3 below `/s3`: signatures, operations, XML (storage reference 11)."""

from __future__ import annotations

import asyncio
import hashlib
import re
from collections.abc import AsyncGenerator, Awaitable, Callable
from dataclasses import dataclass, replace
from typing import Any
from urllib.parse import parse_qsl, quote

from compat_base.values.errors import ApiError
from compat_base.values.http import Headers, HttpResponse
from compat_base.values.urls import parse_url
from storage_compat import errors
from storage_compat.rules import sigv4, xml
from storage_compat.rules.aws_chunks import ChunkDecoder, ChunkSigner
from storage_compat.rules.content_types import check_header
from storage_compat.rules.numbers import whole_number
from storage_compat.rules.paths import encode_component
from storage_compat.rules.sigv4 import Signature, Signed
from storage_compat.store.objects import Location
from storage_compat.web import faults, s3_forms
from storage_compat.web.calls import JSON_BYTES, MOST_PARAMETERS, Call, context_of
from storage_compat.web.exchange import Answer
from storage_compat.web.s3_access import caller_of, check_region

XML = ("Content-Type", "application/xml; charset=utf-8")
_NOT_FOUND = 404
_XML_BYTES = 2 * JSON_BYTES
_SLICE = 16_384
_MOST = 1000
_INTEGER = re.compile(r"[+-]?[0-9]+")
_STREAMS = {
    "STREAMING-UNSIGNED-PAYLOAD-TRAILER",
    "STREAMING-AWS4-HMAC-SHA256-PAYLOAD",
    "STREAMING-AWS4-HMAC-SHA256-PAYLOAD-TRAILER",
}
_SHA256 = re.compile(r"[0-9A-Fa-f]{64}")


@dataclass(frozen=True, slots=True)
class S3Call:
    """A signed request: its caller, bucket and key, and query."""

    call: Call
    bucket: str
    key: str
    query: dict[str, str]
    signature: Signature
    secret: str

    @property
    def location(self) -> Location:
        """The bucket and key that the path names."""
        return Location(self.bucket, self.key)

    @property
    def headers(self) -> dict[str, str]:
        """The request's headers."""
        return dict(self.call.headers)

    @property
    def length(self) -> int | None:
        """The declared length of the object's bytes."""
        decoded = whole_number(self.call.headers.get("x-amz-decoded-content-length", ""))
        return self.call.incoming.content_length if decoded is None else decoded

    def chunks(self) -> AsyncGenerator[bytes]:
        """The bytes of the object, without the framing that they may come in."""
        chunks = self.call.incoming.body.chunks()
        kind = self.signature.payload_hash
        if kind.startswith("STREAMING-"):
            return _decoded(chunks, self._decoder(kind))
        is_checked = self.call.deps.settings.s3.clock_skew and _SHA256.fullmatch(kind)
        return _hashed(chunks, kind) if is_checked else chunks

    async def items(self, root: str, item: str, wanted: tuple[str, ...]) -> list[dict[str, str]]:
        """The items of an XML body; none where it is empty. ApiError for any other body."""
        reader, size = xml.ItemReader(root, item, wanted), 0
        async for chunk in self.chunks():
            size += len(chunk)
            if size > _XML_BYTES:
                raise ApiError.of(errors.S3_XML)
            for start in range(0, len(chunk), _SLICE):
                reader.feed(chunk[start : start + _SLICE])
                await asyncio.sleep(0)  # other requests are served between slices
        return reader.finish() if size else []

    def _decoder(self, kind: str) -> ChunkDecoder:
        if kind not in _STREAMS:
            raise ApiError.of(errors.S3_CHUNKS, reason=f"Invalid streaming algorithm: {kind}")
        signer = None
        if "UNSIGNED" not in kind:
            key = sigv4.signing_key(self.signature, self.secret)
            scope = "/".join(self.signature.scope)
            signer = ChunkSigner(key, self.signature.date, scope, self.signature.signature)
        return ChunkDecoder(signer, has_trailer=kind.endswith("-TRAILER"))


Operation = Callable[[S3Call], Awaitable[Answer]]
Find = Callable[[str, S3Call], tuple[str, Operation] | None]


async def serve(call: Call, find: Find) -> Answer:
    """Answer a request below `/s3`; errors are XML with their own status."""
    if not call.deps.settings.s3.is_enabled:
        return faults.no_route(call.incoming.method, call.incoming.target)
    bucket, _, key = call.parameters.get("key", "").partition("/")
    try:
        _check_type(call)
        if not key and s3_forms.is_form(call):
            return await s3_forms.post_object(call, bucket)
        request = _authorised(call, bucket, key)
        found = find(call.incoming.method, request)
        if found is None:
            return HttpResponse(_NOT_FOUND)
        name, operation = found
        context = context_of(
            call.deps, call.incoming, request.call.context.caller, f"storage.s3.{name}"
        )
        return await operation(replace(request, call=replace(request.call, context=context)))
    except ApiError as error:
        problem = error.problem
    except Exception as error:
        problem = faults.problem_of(error)
        if problem.code in {errors.INTERNAL.code, errors.CLIENT_GONE.code}:
            raise
    resource = "/".join(filter(None, call.raw.get("key", "").split("/")))
    content = {"Resource": resource, "Code": problem.code, "Message": problem.message}
    body = xml.document("Error", content)
    return HttpResponse(problem.status, (XML, *problem.headers), body)


def _check_type(call: Call) -> None:
    content_type = call.headers.get("content-type")
    if content_type is None or call.incoming.method in {"GET", "HEAD"}:
        return
    try:
        check_header(content_type)
    except ApiError as error:
        raise ApiError.of(errors.S3_MEDIA_TYPE) from error


def xml_answer(root: str, content: dict[str, Any], headers: Headers = ()) -> HttpResponse:
    """An answer in XML."""
    return HttpResponse(200, (XML, *headers), xml.document(root, content))


def limit_of(query: dict[str, str], name: str, *, is_strict: bool = False) -> int:
    """The size of a page, at most 1,000, which is the default too. ApiError for no number.

    0 is the default and more than 1,000 are 1,000, unless `is_strict`: then both are refused.
    """
    text = query.get(name, "0" if not is_strict else str(_MOST))
    if not _INTEGER.fullmatch(text):
        raise ApiError.of(errors.S3_QUERY, name=name, reason="must be integer")
    number = whole_number(text.lstrip("+-"))
    least = int(is_strict)
    if number is not None and (number < least or (number and text.startswith("-"))):
        raise ApiError.of(errors.S3_QUERY, name=name, reason=f"must be >= {least}")
    if is_strict and number is not None and number > _MOST:
        raise ApiError.of(errors.S3_QUERY, name=name, reason=f"must be <= {_MOST}")
    return min(number or _MOST, _MOST)


def encoding_of(query: dict[str, str]) -> str | None:
    """How a list is to write its keys; ApiError for what is no encoding."""
    encoding = query.get("encoding-type")
    if encoding not in {None, "url"}:
        reason = "must be equal to one of the allowed values"
        raise ApiError.of(errors.S3_QUERY, name="encoding-type", reason=reason)
    return encoding


def encoded(text: str, encoding: str | None) -> str:
    """A key or a common prefix as a list shows it."""
    return encode_component(text) if encoding == "url" else text


def echoed(text: str, encoding: str | None) -> str | None:
    """A request's value as its response repeats it; None without one."""
    return (quote(text, safe="/-_.~*") if encoding == "url" else text) or None


def _authorised(call: Call, bucket: str, key: str) -> S3Call:
    if call.incoming.query.count("&") >= MOST_PARAMETERS:
        raise ApiError.of(errors.BAD_URL, path=call.incoming.query[:200])
    signed = _signed(call)
    signature = sigv4.read_signature(signed)
    check_region(call, signature)
    caller, secret = caller_of(call, signature)
    skew = call.deps.settings.s3.clock_skew
    sigv4.check_signature(signed, signature, secret, call.context.now, skew)
    query = dict(parse_qsl(call.incoming.query, keep_blank_values=True))
    known = replace(call, context=replace(call.context, caller=caller))
    return S3Call(known, bucket, key, query, signature, secret)


def _signed(call: Call) -> Signed:
    """What the client signed: with the path as it is outside, and the names of this server."""
    incoming, settings = call.incoming, call.deps.settings
    prefix = settings.s3.prefix or incoming.mount
    if settings.allows_forwarded_path:
        prefix = incoming.headers.get("x-forwarded-prefix", prefix)
    hosts = sigv4.forwarded_hosts(incoming.headers, is_standard=settings.s3.allows_forwarded_header)
    public = parse_url(settings.public_url or "")
    if public is not None:
        hosts = (public.origin.partition("://")[2], *hosts)
    path = f"{prefix.rstrip('/')}{incoming.raw_path}"
    return Signed(incoming.method, path, incoming.query, incoming.headers, hosts)


async def _hashed(chunks: AsyncGenerator[bytes], wanted: str) -> AsyncGenerator[bytes]:
    """The same bytes; ApiError at their end where they are not those that were signed."""
    digest = hashlib.sha256()
    async for chunk in chunks:
        digest.update(chunk)
        yield chunk
    if digest.hexdigest() != wanted.lower():
        raise ApiError.of(errors.S3_PAYLOAD)


async def _decoded(chunks: AsyncGenerator[bytes], decoder: ChunkDecoder) -> AsyncGenerator[bytes]:
    async for chunk in chunks:
        data = bytearray()
        for start in range(0, len(chunk), _SLICE):  # framed bytes of chunks of one byte each
            data += decoder.feed(chunk[start : start + _SLICE])
            await asyncio.sleep(0)  # other requests are served between slices
        if data:
            yield bytes(data)
    decoder.finish()
