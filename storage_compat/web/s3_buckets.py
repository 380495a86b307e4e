"""S3's operations on buckets (storage reference 11)."""

from __future__ import annotations

from compat_base.values.http import HttpResponse
from storage_compat.flows import buckets
from storage_compat.rules import xml
from storage_compat.rules.times import iso_text
from storage_compat.store.buckets import Listing
from storage_compat.web.exchange import Answer
from storage_compat.web.s3 import XML, S3Call, xml_answer


async def list_buckets(request: S3Call) -> Answer:
    """The buckets that the caller may see."""
    call = request.call
    found = await buckets.find_all(call.deps, call.context, Listing())
    shown = [{"Name": one.name, "CreationDate": iso_text(one.created_at)} for one in found]
    return xml_answer("ListAllMyBucketsResult", {"Buckets": {"Bucket": shown}})


async def create_bucket(request: S3Call) -> Answer:
    """Make a bucket, public where the canned ACL says so."""
    body = {
        "name": request.bucket,
        "id": None,
        "public": request.headers.get("x-amz-acl") == "public-read",
        "type": "STANDARD",
        "file_size_limit": None,
        "allowed_mime_types": None,
    }
    await buckets.create(request.call.deps, request.call.context, body)
    return HttpResponse(200, (("Location", f"/{request.bucket}"),))


async def delete_bucket(request: S3Call) -> Answer:
    """Delete an empty bucket."""
    await buckets.delete(request.call.deps, request.call.context, request.bucket)
    return HttpResponse(204, content_length=False)


async def head_bucket(request: S3Call) -> Answer:
    """Whether there is such a bucket."""
    call = request.call
    await buckets.get(call.deps, call.context, request.bucket)
    return HttpResponse(200, (("x-amz-bucket-region", call.deps.settings.s3.region),))


async def get_location(request: S3Call) -> Answer:
    """The configured region."""
    await buckets.get(request.call.deps, request.call.context, request.bucket)
    region = request.call.deps.settings.s3.region
    return HttpResponse(200, (XML,), xml.document("LocationConstraint", region))


async def get_versioning(request: S3Call) -> Answer:
    """Versioning is off."""
    await buckets.get(request.call.deps, request.call.context, request.bucket)
    return xml_answer("VersioningConfiguration", {"Status": "Suspended", "MfaDelete": "Disabled"})
