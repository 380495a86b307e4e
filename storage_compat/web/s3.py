"""S3 below `/s3`: signatures, operations, XML (storage reference 11)."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Awaitable, Callable
from dataclasses import dataclass, replace
from typing import Any
from urllib.parse import parse_qsl, quote

from compat_base.values.errors import ApiError
from compat_base.values.http import Headers, HttpResponse
from storage_compat import errors
from storage_compat.model.caller import Caller
from storage_compat.rules import access_tokens, sigv4, xml
from storage_compat.rules.aws_chunks import ChunkDecoder, ChunkSigner
from storage_compat.rules.numbers import whole_number
from storage_compat.rules.sigv4 import Signature, Signed
from storage_compat.store.objects import Place
from storage_compat.web import faults
from storage_compat.web.calls import Call, context_of
from storage_compat.web.exchange import Answer

_XML = ("Content-Type", "application/xml")
_NOT_FOUND = 404


@dataclass(frozen=True, slots=True)
class S3Call:
    """A signed request: whose, where, and what its query says."""

    call: Call
    bucket: str
    key: str
    query: dict[str, str]
    signature: Signature
    secret: str

    @property
    def place(self) -> Place:
        """The object."""
        return Place(self.bucket, self.key)

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
        return _decoded(chunks, self._decoder(kind)) if kind.startswith("STREAMING-") else chunks

    def _decoder(self, kind: str) -> ChunkDecoder:
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
        asked = _authorised(call, bucket, key)
        found = find(call.incoming.method, asked)
        if found is None:
            return HttpResponse(_NOT_FOUND)
        name, operation = found
        context = context_of(
            call.deps, call.incoming, asked.call.context.caller, f"storage.s3.{name}"
        )
        return await operation(replace(asked, call=replace(asked.call, context=context)))
    except ApiError as error:
        problem = error.problem
    except Exception as error:
        problem = faults.problem_of(error)
        if problem.code in {errors.INTERNAL.code, errors.CLIENT_GONE.code}:
            raise
    resource = f"{bucket}/{key}" if key else bucket
    content = {"Resource": resource, "Code": problem.code, "Message": problem.message}
    body = xml.document("Error", content, is_error=True)
    return HttpResponse(problem.status, (_XML, *problem.headers), body)


def xml_answer(root: str, content: dict[str, Any], headers: Headers = ()) -> HttpResponse:
    """An answer in XML."""
    return HttpResponse(200, (_XML, *headers), xml.document(root, content))


def encoded(text: str, encoding: str | None) -> str:
    """A key as a list shows it."""
    return quote(text, safe="/-_.~*") if encoding == "url" else text


def _authorised(call: Call, bucket: str, key: str) -> S3Call:
    signed = _signed(call)
    signature = sigv4.read_signature(signed)
    settings = call.deps.settings.s3
    if settings.enforces_region and signature.scope[1] != settings.region:
        raise ApiError.of(errors.S3_REGION)
    caller, secret = _caller(call, signature)
    sigv4.check_signature(signed, signature, secret, call.context.now)
    query = dict(parse_qsl(call.incoming.query, keep_blank_values=True))
    known = replace(call, context=replace(call.context, caller=caller))
    return S3Call(known, bucket, key, query, signature, secret)


def _caller(call: Call, signature: Signature) -> tuple[Caller, str]:
    """Whom an access key acts for, and the secret that belongs to it."""
    settings = call.deps.settings
    if signature.session_token is not None:
        if signature.access_key != settings.tenant or not settings.anon_key:
            raise ApiError.of(errors.S3_ACCESS_KEY)
        keys, role = settings.tokens.keys, settings.database.anon_role
        caller = access_tokens.caller_of(signature.session_token, keys, call.context.now, role)
        return caller, settings.anon_key.reveal()
    configured = settings.s3.access_key and settings.s3.secret_key  # without one everybody signs
    if not configured or signature.access_key != settings.s3.access_key:
        raise ApiError.of(errors.S3_ACCESS_KEY)
    role = settings.database.service_role
    return Caller(role, {"role": role}), settings.s3.secret_key.reveal()


def _signed(call: Call) -> Signed:
    """What the client signed: with the path as it is outside, and the host that it asked."""
    incoming, settings = call.incoming, call.deps.settings
    prefix = settings.s3.prefix or incoming.mount
    if settings.allows_forwarded_path:
        prefix = incoming.headers.get("x-forwarded-prefix", prefix)
    headers = dict(incoming.headers)
    if settings.s3.allows_forwarded_host and "x-forwarded-host" in headers:
        port = headers.get("x-forwarded-port")
        host = headers["x-forwarded-host"]
        headers["host"] = f"{host}:{port}" if port and ":" not in host else host
    path = f"{prefix.rstrip('/')}{incoming.raw_path}"
    return Signed(incoming.method, path, incoming.query, headers)


async def _decoded(chunks: AsyncGenerator[bytes], decoder: ChunkDecoder) -> AsyncGenerator[bytes]:
    async for chunk in chunks:
        data = decoder.feed(chunk)
        if data:
            yield data
    decoder.finish()
