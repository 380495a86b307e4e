"""Handlers of TUS: errors are text with their real status (storage reference 9)."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from functools import wraps
from urllib.parse import quote

from compat_base.values.errors import ApiError
from compat_base.values.http import Headers, HttpResponse
from storage_compat import errors
from storage_compat.flows import resumable, signing
from storage_compat.flows.resumable import NewUpload, Received
from storage_compat.flows.uploads import Writer
from storage_compat.model.uploads import Resumable
from storage_compat.rules import resumable as rules
from storage_compat.rules.times import http_date
from storage_compat.web.calls import Call
from storage_compat.web.exchange import Incoming
from storage_compat.web.faults import problem_of

_TUS = ("Tus-Resumable", rules.VERSION)
_EXPOSED_NAMES = (
    "Authorization, Content-Type, Location, Tus-Extension, Tus-Max-Size, Tus-Resumable,"
    " Tus-Version, Upload-Concat, Upload-Defer-Length, Upload-Length, Upload-Metadata,"
    " Upload-Offset, Upload-Expires, X-HTTP-Method-Override, X-Requested-With, X-Forwarded-Host,"
    " X-Forwarded-Proto, Forwarded"
)
_READABLE = (  # by pages of any origin
    ("Access-Control-Allow-Origin", "*"),
    ("Access-Control-Expose-Headers", _EXPOSED_NAMES),
)
_NO_STORE = ("Cache-Control", "no-store")
_PLAIN = ("Content-Type", "text/plain;charset=UTF-8")
_METHODS = "POST, GET, HEAD, PATCH, DELETE, OPTIONS"
_HEADERS = (
    "Authorization, X-HTTP-Method-Override, Upload-Length, Upload-Offset, Tus-Resumable,"
    " Upload-Metadata, Upload-Defer-Length, X-Requested-With, X-Signature, X-Upsert, X-Client-Info,"
    " ApiKey, Content-Type"
)

Handler = Callable[[Call], Awaitable[HttpResponse]]


def _in_text(handler: Handler) -> Handler:
    @wraps(handler)
    async def handled(call: Call) -> HttpResponse:
        try:
            return await handler(call)
        except ApiError as error:
            problem = error.problem
        except Exception as error:
            problem = problem_of(error)
            if problem.code in {errors.INTERNAL.code, errors.CLIENT_GONE.code}:
                raise
        return HttpResponse(problem.status, (_TUS, *_READABLE, _PLAIN), problem.message.encode())

    return handled


async def options(call: Call) -> HttpResponse:
    """What this server can do."""
    headers = (
        _TUS,
        *_READABLE,
        ("Tus-Version", rules.VERSION),
        ("Tus-Extension", rules.EXTENSIONS),
        ("Tus-Max-Size", str(call.deps.settings.uploads.limit)),
        ("Access-Control-Allow-Methods", _METHODS),
        ("Access-Control-Allow-Headers", _HEADERS),
        ("Access-Control-Max-Age", "86400"),
    )
    return HttpResponse(204, headers, content_length=False)


@_in_text
async def create(call: Call) -> HttpResponse:
    """Begin an upload, with its first bytes where they come along."""
    headers = call.headers
    rules.check_version(headers)
    if "upload-concat" in headers:
        raise ApiError.of(errors.TUS_CONCAT)
    length = rules.length_of(headers)
    metadata = headers.get("upload-metadata", "")
    target = rules.target_of(headers.get("upload-metadata"))
    path = f"{target.bucket_id}/{target.key}"
    writer = _writer(call, path)
    new = NewUpload(target, metadata, length)
    upload = await resumable.create(call.deps, call.context, new, writer)
    details: Headers = ()
    has_bytes = headers.get("content-type") == rules.CHUNK_TYPE
    if has_bytes or length == 0:
        upload = await _append(call, upload, 0, writer)
        details = (("Upload-Offset", str(upload.offset)),) if has_bytes else ()
    if upload.is_whole:
        details += (("Tus-Complete", "1"),)
    location = f"{_base(call)}/{quote(rules.upload_id(path, upload.version))}"
    details += (("Location", location), *_expiry(upload))
    return HttpResponse(201, (_TUS, *_READABLE, _PLAIN, *details))


@_in_text
async def head(call: Call) -> HttpResponse:
    """The offset of an upload."""
    rules.check_version(call.headers)
    path, version = rules.version_of(call.parameters["key"])
    _writer(call, path)
    upload = await resumable.current(call.deps, call.context, path, version)
    length = (
        ("Upload-Defer-Length", "1")
        if upload.length is None
        else ("Upload-Length", str(upload.length))
    )
    details = (
        length,
        ("Upload-Metadata", rules.shown_metadata(upload.upload_metadata)),
        _NO_STORE,
        *_expiry(upload),
    )
    offset = ("Upload-Offset", str(upload.offset))
    return HttpResponse(200, (_TUS, *_READABLE, _PLAIN, offset, *details))


@_in_text
async def patch(call: Call) -> HttpResponse:
    """Append bytes to an upload."""
    rules.check_version(call.headers)
    offset = rules.offset_of(call.headers)
    path, version = rules.version_of(call.parameters["key"])
    writer = _writer(call, path)
    upload = await resumable.find(call.deps, call.context, path, version)
    upload = await _append(call, upload, offset, writer)
    complete = (("Tus-Complete", "1"),) if upload.is_whole else ()
    details = (("Upload-Offset", str(upload.offset)), *complete, *_expiry(upload))
    return HttpResponse(204, (_TUS, *_READABLE, *details), content_length=False)


@_in_text
async def delete(call: Call) -> HttpResponse:
    """Abort an upload."""
    rules.check_version(call.headers)
    path, version = rules.version_of(call.parameters["key"])
    writer = _writer(call, path)
    upload = await resumable.find(call.deps, call.context, path, version)
    await resumable.end(call.deps, call.context, upload, writer)
    return HttpResponse(204, (_TUS, *_READABLE), content_length=False)


async def _append(call: Call, upload: Resumable, offset: int, writer: Writer) -> Resumable:
    length = None
    if "upload-length" in call.headers:
        length = rules.length_of({"upload-length": call.headers["upload-length"]})
        if upload.length is not None and length != upload.length:
            raise ApiError.of(errors.TUS_NO_LENGTH)
    received = Received(offset, call.incoming.content_length, length, call.incoming.body.chunks())
    return await resumable.append(call.deps, call.context, upload, writer, received)


def _writer(call: Call, path: str) -> Writer:
    """Who writes: the caller, or whom the token of a signed upload names."""
    if not call.context.facts.operation.endswith("_signed"):
        return Writer(call.context.caller.subject, call.is_upsert)
    token = call.headers.get("x-signature")
    if not token:
        raise ApiError.of(errors.NO_SIGNATURE)
    return signing.signed_writer(call.deps, call.context, token, path)


def _expiry(upload: Resumable) -> Headers:
    return () if upload.is_complete else (("Upload-Expires", http_date(upload.expires_at)),)


def _base(call: Call) -> str:
    """The address of uploads as the client reaches it (storage reference 9.7)."""
    settings, incoming = call.deps.settings, call.incoming
    is_signed = call.context.facts.operation.endswith("_signed")
    path = settings.uploads.tus_path + ("/sign" if is_signed else "")
    if settings.public_url is not None:
        return f"{settings.public_url}{path}"
    prefix = incoming.mount
    if settings.allows_forwarded_path:
        prefix = incoming.headers.get("x-forwarded-prefix", prefix).rstrip("/")
    return f"{_origin(incoming)}{prefix}{path}"


def _origin(incoming: Incoming) -> str:
    headers = incoming.headers
    scheme = headers.get("x-forwarded-proto", incoming.scheme).partition(",")[0].strip()
    host = headers.get("x-forwarded-host") or headers.get("host", "localhost")
    port = headers.get("x-forwarded-port", "")
    if port and ":" not in host and port != {"http": "80", "https": "443"}.get(scheme):
        host = f"{host}:{port}"
    return f"{scheme}://{host}"
