"""The operations of S3 as one table: resource, method, required query or header, handler."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from storage_compat.web import s3_buckets, s3_lists, s3_objects, s3_parts, s3_pending
from storage_compat.web.calls import Call
from storage_compat.web.exchange import Answer
from storage_compat.web.s3 import Operation, S3Call, serve


class Resource(Enum):
    """What a path names."""

    SERVICE = "nothing"
    BUCKET = "a bucket"
    OBJECT = "an object"


@dataclass(frozen=True, slots=True)
class S3Route:
    """One operation: `query` and `header` must be there; policies read its `name`."""

    resource: Resource
    method: str
    name: str
    operation: Operation
    query: tuple[str, ...] = ()
    header: str | None = None

    def fits(self, resource: Resource, method: str, request: S3Call) -> bool:
        """Whether a request matches."""
        return (
            self.resource is resource
            and self.method == method
            and all(name in request.query for name in self.query)
            and (self.header is None or self.header in request.call.headers)
        )


_S, _B, _O = Resource.SERVICE, Resource.BUCKET, Resource.OBJECT
_PART, _COPIED = ("uploadId", "partNumber"), "x-amz-copy-source"

S3_ROUTES: tuple[S3Route, ...] = (  # the first that fits
    S3Route(_S, "GET", "bucket.list", s3_buckets.list_buckets),
    S3Route(_S, "PUT", "bucket.create", s3_buckets.create_bucket),  # whose name is empty
    S3Route(_S, "DELETE", "bucket.delete", s3_buckets.delete_bucket),
    S3Route(_B, "GET", "bucket.get_location", s3_buckets.get_location, ("location",)),
    S3Route(_B, "GET", "bucket.get_versioning", s3_buckets.get_versioning, ("versioning",)),
    S3Route(_B, "GET", "upload.list_multipart", s3_pending.list_uploads, ("uploads",)),
    S3Route(_B, "GET", "object.list", s3_lists.list_objects),
    S3Route(_B, "HEAD", "bucket.head", s3_buckets.head_bucket),
    S3Route(_B, "PUT", "bucket.create", s3_buckets.create_bucket),
    S3Route(_B, "DELETE", "bucket.delete", s3_buckets.delete_bucket),
    S3Route(_B, "POST", "object.delete_many", s3_objects.delete_objects, ("delete",)),
    S3Route(_O, "GET", "object.get_tagging", s3_objects.get_tagging, ("tagging",)),
    S3Route(_O, "GET", "upload.list_parts", s3_parts.list_parts, ("uploadId",)),
    S3Route(_O, "GET", "object.get", s3_objects.get_object),
    S3Route(_O, "HEAD", "object.info", s3_objects.get_object),
    S3Route(_O, "PUT", "upload.part_copy", s3_parts.copy_part, _PART, _COPIED),
    S3Route(_O, "PUT", "upload.part", s3_parts.put_part, _PART),
    S3Route(_O, "PUT", "object.copy", s3_objects.copy_object, header=_COPIED),
    S3Route(_O, "PUT", "upload", s3_objects.put_object),
    S3Route(_O, "POST", "upload.create_multipart", s3_parts.create_multipart, ("uploads",)),
    S3Route(_O, "POST", "upload.complete_multipart", s3_parts.complete_multipart, ("uploadId",)),
    S3Route(_O, "DELETE", "upload.abort_multipart", s3_parts.abort_multipart, ("uploadId",)),
    S3Route(_O, "DELETE", "object.delete", s3_objects.delete_object),
)


async def handle(call: Call) -> Answer:
    """Handle any request below `/s3`."""
    return await serve(call, find)


def find(method: str, request: S3Call) -> tuple[str, Operation] | None:
    """The operation of a request and its name for policies."""
    resource = _O if request.key else _B if request.bucket else _S
    for route in S3_ROUTES:
        if route.fits(resource, method, request):
            return route.name, route.operation
    return None
