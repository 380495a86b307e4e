"""S3's uploads by a browser's form, whose signature is that of a policy (storage reference 11)."""

from __future__ import annotations

import hmac
from collections.abc import AsyncGenerator, AsyncIterator
from dataclasses import replace

from compat_base.values.errors import ApiError
from compat_base.values.http import HttpResponse
from storage_compat import errors
from storage_compat.flows import uploads
from storage_compat.flows.buckets import bucket_of_upload
from storage_compat.flows.uploads import Upload, Writer
from storage_compat.model.caller import Caller
from storage_compat.rules import content_types, sigv4
from storage_compat.rules.forms import Description
from storage_compat.rules.post_policies import SizeRange, check_policy
from storage_compat.store.objects import Location
from storage_compat.web.calls import Call, context_of
from storage_compat.web.multipart import Form, open_form
from storage_compat.web.s3_access import caller_of, check_region

_MOST_FIELDS = 20
_META = "x-amz-meta-"
_OPERATION = "storage.s3.upload"


def is_form(call: Call) -> bool:
    """Whether a request is a form that carries its own signature."""
    headers = call.headers
    return (
        call.incoming.method == "POST"
        and headers.get("content-type", "").lower().startswith("multipart/form-data")
        and not headers.get("authorization", "").startswith(sigv4.ALGORITHM)
        and "X-Amz-Credential" not in call.incoming.query
    )


async def post_object(call: Call, bucket: str) -> HttpResponse:
    """Write the file of a form whose policy allows it; ApiError where it does not."""
    content_type = call.headers["content-type"]
    form = await open_form(content_type, call.incoming.body.chunks(), _MOST_FIELDS)
    fields = _fields(form)
    caller, size = _authorised(call, fields, bucket)
    context = context_of(call.deps, call.incoming, caller, _OPERATION)
    described = Description(
        mime_type=fields.get("content-type") or content_types.DEFAULT,
        cache_control=fields.get("cache-control") or "no-cache",
        user_metadata={n.removeprefix(_META): v for n, v in fields.items() if n.startswith(_META)},
    )
    content_types.check_header(described.mime_type)
    if "key" not in fields:
        raise ApiError.of(errors.MISSING_PARAMETER, name="Key")
    location = Location(bucket, fields["key"])
    upload = Upload(location, described, Writer(caller.subject, is_upsert=True))
    in_bucket = await bucket_of_upload(call.deps, bucket)
    admitted = await uploads.admit(call.deps, context, upload, in_bucket)
    if size.most is not None:
        admitted = replace(admitted, limit=min(admitted.limit, size.most))
    file = _at_least(form.file, size.least)
    stored = await uploads.receive(call.deps, context, admitted, file)
    return HttpResponse(200, (("ETag", stored.etag),))


def _fields(form: Form) -> dict[str, str]:
    """The fields before the file by their names in lower case, each of them once."""
    fields = {name.lower(): value for name, value in form.fields.items()}
    if form.repeated or len(fields) < len(form.fields):
        reason = "Duplicate form field in POST policy request"
        raise ApiError.of(errors.S3_POLICY, reason=reason)
    return fields


def _authorised(call: Call, fields: dict[str, str], bucket: str) -> tuple[Caller, SizeRange]:
    signature = sigv4.read_fields(fields)
    check_region(call, signature)
    caller, secret = caller_of(call, signature)
    key = sigv4.signing_key(signature, secret)
    wanted = hmac.new(key, fields["policy"].encode(), "sha256").hexdigest()
    if not hmac.compare_digest(wanted.encode(), signature.signature.encode()):
        raise ApiError.of(errors.S3_SIGNATURE)
    return caller, check_policy(fields["policy"], fields, bucket, call.context.now)


async def _at_least(chunks: AsyncIterator[bytes], least: int) -> AsyncGenerator[bytes]:
    """The same bytes; ApiError at their end where they are too few."""
    size = 0
    async for chunk in chunks:
        size += len(chunk)
        yield chunk
    if size < least:
        raise ApiError.of(errors.S3_TOO_SMALL)
