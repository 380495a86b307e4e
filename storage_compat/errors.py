"""Every answer that is not a success, as rows: storage reference 1.9.

A row's code is the body's `code`, its status the body's `statusCode`, its details the body's
`error` where that is not the code. `ApiError.of(ROW, name=value)` raises one.
"""

from __future__ import annotations

from compat_base.postgres.faults import Fault
from compat_base.values.errors import Problem, Row

# Routes, bodies and headers (storage reference 1.2 to 1.8)
NO_ROUTE = Row("InvalidRequest", 404, "Route {method}:{path} not found", "Not Found")
INVALID_BODY = Row("InvalidRequest", 400, "{reason}", "Error")
EMPTY_JSON = Row(
    "InvalidRequest",
    400,
    "Body cannot be empty when content-type is set to 'application/json'",
    "FastifyError",
)
BROKEN_JSON = Row(
    "InvalidRequest",
    400,
    "Body is not valid JSON but content-type is set to 'application/json'",
    "FastifyError",
)
JSON_TOO_LARGE = Row("EntityTooLarge", 413, "Request body is too large", "FastifyError", "HTTP 413")
BAD_URL = Row("FST_ERR_BAD_URL", 400, "'{path}' is not a valid url component", "Bad Request")
BAD_CONTENT_TYPE = Row("InvalidMimeType", 415, "Invalid Content-Type header", "invalid_mime_type")
CLIENT_GONE = Row("Aborted", 499, "The client closed the connection")

# Who calls (storage reference 2)
INVALID_TOKEN = Row("AccessDenied", 403, "{reason}", "Unauthorized")
INVALID_ROLE = Row("AccessDenied", 403, "Access denied: Invalid role", "Unauthorized", "HTTP 403")
ACCESS_DENIED = Row("AccessDenied", 403, "Access denied", "Unauthorized")
ROW_LEVEL_SECURITY = Row(
    "AccessDenied", 403, "new row violates row-level security policy", "Unauthorized"
)

# Buckets (storage reference 3)
NO_SUCH_BUCKET = Row("NoSuchBucket", 404, "Bucket not found", "Bucket not found")
INVALID_BUCKET_NAME = Row("InvalidBucketName", 400, "Bucket name invalid", "Invalid Input")
BUCKET_EXISTS = Row("BucketAlreadyExists", 409, "The resource already exists", "Duplicate")
BUCKET_NOT_EMPTY = Row("ResourceNotEmpty", 409, "The bucket you tried to delete is not empty")
BUCKET_TOO_FULL = Row(
    "ResourceNotEmpty", 409, "The bucket has more than {most} objects: remove some first"
)
BUCKET_REFERENCED = Row(
    "ResourceReferenced", 409, "The bucket is referenced by a pending multipart upload."
)
INVALID_SIZE = Row(
    "InvalidRequest", 400, "Invalid file size format, hint: use 20GB / 20MB / 30KB / 3B"
)
NOT_ENABLED = Row("FeatureNotEnabled", 400, "The feature {name} is not enabled for this resource")

# Objects (storage reference 4, 5)
NO_SUCH_KEY = Row("NoSuchKey", 404, "Object not found", "not_found")
INVALID_KEY = Row("InvalidKey", 400, "Invalid key: {key}")
KEY_EXISTS = Row("KeyAlreadyExists", 409, "The resource already exists", "Duplicate")
RESOURCE_EXISTS = Row("ResourceAlreadyExists", 409, "The resource already exists", "Duplicate")
INVALID_MIME_TYPE = Row(
    "InvalidMimeType", 415, "mime type {mime_type} is not supported", "invalid_mime_type"
)
TOO_LARGE = Row(
    "EntityTooLarge", 413, "The object exceeded the maximum allowed size", "Payload too large"
)
NO_CONTENT = Row("InvalidRequest", 400, "No content provided")
NO_BOUNDARY = Row("InvalidRequest", 400, "Multipart: Boundary not found")
CUT_FORM = Row("InvalidRequest", 400, "Unexpected end of multipart data")
TOO_MANY_FIELDS = Row("InvalidRequest", 400, "Request stream closed before upload could begin")
BAD_FORM = Row("InvalidRequest", 400, "Malformed multipart data")
INVALID_ROBOTS = Row(
    "InvalidRequest", 400, "Invalid X-Robots-Tag header: {reason}", "invalid_x_robots_tag"
)
INVALID_COPY_RANGE = Row("InvalidRange", 400, "invalid range provided", "invalid_range")
INVALID_RANGE = Row("InvalidRange", 416, "invalid range provided", "invalid_range")
NO_BYTES = Row("InternalError", 500, "Internal Server Error", "Internal")
NO_STORE_ROOM = Row("InternalError", 500, "The file store cannot be used", "Internal")

# Parameters and signed URLs (storage reference 6)
INVALID_PARAMETER = Row("InvalidParameter", 400, "Invalid Parameter {name}")
INVALID_VALUE = Row("InvalidParameter", 400, "{reason}")
INVALID_TEXT = Row("InvalidParameter", 400, "invalid byte sequence for encoding UTF8")
MISSING_PARAMETER = Row("MissingParameter", 400, "Missing Required Parameter {name}")
INVALID_JWT = Row("InvalidJWT", 400, "{reason}")
INVALID_SIGNATURE = Row("InvalidSignature", 400, "Invalid signature")
NOT_FOR_DOWNLOAD = Row("InvalidSignature", 400, "Token is not scoped for download")
NOT_FOR_UPLOAD = Row("InvalidSignature", 400, "Token is not scoped for upload")
NO_SIGNATURE = Row("InvalidSignature", 400, "Missing x-signature header")
NO_CACHE_SERVER = Row(
    "MissingParameter", 400, "Missing Required Parameter CDN_PURGE_ENDPOINT_URL is not set"
)

# Resumable uploads: text with the real status; what the protocol itself refuses ends in a line
# feed, what the service does not (storage reference 9.2)
TUS_REQUIRED = Row("TusError", 412, "Tus-Resumable Required\n")
TUS_VERSION = Row("TusError", 400, "Invalid tus-resumable\n")
TUS_LENGTH = Row("TusError", 400, "Invalid upload-length\n")
TUS_DEFER = Row("TusError", 400, "Invalid upload-defer-length\n")
TUS_NO_LENGTH = Row("TusError", 400, "Upload-Length or Upload-Defer-Length header required\n")
TUS_OFFSET = Row("TusError", 400, "Invalid upload-offset\n")
TUS_NO_OFFSET = Row("TusError", 403, "Upload-Offset header required\n")
TUS_CONTENT_TYPE = Row("TusError", 400, "Invalid content-type\n")
TUS_NO_CONTENT_TYPE = Row("TusError", 403, "Content-Type header required\n")
TUS_NO_METADATA = Row("TusError", 400, "Metadata header is required")
TUS_METADATA = Row("TusError", 400, "Invalid upload-metadata\n")
TUS_ID = Row("TusError", 400, "Invalid upload id")
TUS_NOT_FOUND = Row("TusError", 404, "The file for this url was not found\n")
TUS_EXPIRED = Row("TusError", 410, "The file for this url no longer exists\n")
TUS_CONFLICT = Row("TusError", 409, "Upload-Offset conflict\n")
TUS_COMPLETE = Row("TusError", 400, "Cannot terminate an already completed upload")
TUS_TOO_LARGE = Row("TusError", 413, "Maximum size exceeded\n")
TUS_SIZE = Row("TusError", 413, "upload's size exceeded\n")
TUS_PARTS = Row("TusError", 400, "The upload has more than {most} parts\n")
TUS_CONCAT = Row(
    "TusError",
    501,
    "Concatenation extension is not (yet) supported. Disable parallel uploads in the tus client.\n",
)

# S3: XML with the real status (storage reference 11)
S3_NO_SIGNATURE = Row("AccessDenied", 403, "Missing signature")
S3_SERVICE = Row("AccessDenied", 403, "Invalid Service")
S3_REGION = Row("AccessDenied", 403, "Invalid Region")
S3_ACCESS_KEY = Row("AccessDenied", 403, "Invalid Access Key")
S3_SIGNATURE = Row(
    "SignatureDoesNotMatch",
    403,
    "The request signature we calculated does not match the signature you provided. Check your"
    " key and signing method.",
)
S3_SESSION_SIGNATURE = Row(
    "SignatureDoesNotMatch",
    403,
    "The request signature we calculated does not match the signature you provided, Check your"
    " credentials. The session token should be a valid JWT token",
)
S3_UNSIGNED_HEADERS = Row(
    "AccessDenied", 403, "There were headers present in the request which were not signed"
)
S3_EXPIRED = Row("ExpiredToken", 400, "The provided token has expired.")
S3_TIME = Row(
    "RequestTimeTooSkewed",
    403,
    "The difference between the request time and the current time is too large.",
)
S3_PAYLOAD = Row(
    "XAmzContentSHA256Mismatch",
    400,
    "The provided 'x-amz-content-sha256' header does not match what was computed.",
)
S3_POLICY = Row("InvalidSignature", 400, "{reason}")
S3_POLICY_FAILED = Row("AccessDenied", 403, "Policy condition failed: {reason}")
S3_TOO_SMALL = Row(
    "EntityTooSmall", 400, "Your proposed upload is smaller than the minimum allowed size"
)
S3_CHUNKS = Row("InvalidRequest", 400, "{reason}")
S3_UNSIGNED_CHUNK = Row("InvalidSignature", 400, "Missing chunk signature")
S3_QUERY = Row("InvalidRequest", 400, "Querystring, {name} {reason}")
S3_BODY = Row("InvalidRequest", 400, "{reason}")
S3_FORMAT = Row("InvalidSignature", 400, "Invalid signature format")
S3_CREDENTIALS = Row("InvalidSignature", 400, "Invalid credentials")
S3_EXPIRATION = Row("InvalidSignature", 400, "Invalid expiration")
S3_MEDIA_TYPE = Row("InvalidRequest", 415, "Unsupported Media Type")
S3_XML = Row(
    "MalformedXML",
    400,
    "The XML you provided was not well-formed or did not validate against our published schema",
)
S3_NO_UPLOAD = Row("NoSuchUpload", 404, "Upload not found")
S3_MISSING_PART = Row("MissingPart", 400, "Part {number} is missing for upload id {upload}")
S3_CHECKSUM = Row("InvalidChecksum", 400, "Invalid ETag for part {number}")

# Images (storage reference 10)
INVALID_IMAGE = Row(
    "InvalidRequest", 400, "The source image is invalid or unsupported for rendering"
)
IMAGE_RESOLUTION = Row("InvalidRequest", 400, "The source image resolution is too large to process")
IMAGE_SIZE = Row("InvalidRequest", 400, "The source image file is too large to process")
IMAGES_BUSY = Row(
    "SlowDown", 503, "Too many images are being rendered", "too_many_renderings", "HTTP 503"
)

# The database (storage reference 1.9)
NO_RELATED = Row("InvalidRequest", 404, "The related resource does not exist")
REFERENCED = Row(
    "ResourceReferenced", 409, "The resource is referenced due to a foreign key constraint"
)
DATABASE_ERROR = Row("DatabaseError", 500, "database error, code: {code}")
DATABASE_TIMEOUT = Row(
    "DatabaseTimeout", 544, "The connection to the database timed out", "DatabaseTimeout"
)
DATABASE_READ_ONLY = Row(
    "DatabaseReadOnly",
    503,
    "The database is currently in read-only mode. Please try again later.",
)
DATABASE_OBJECT = Row(
    "DatabaseInvalidObjectDefinition", 503, "The database schema is invalid or incompatible."
)
DATABASE_SCHEMA = Row(
    "DatabaseSchemaMismatch",
    503,
    "The database schema is out of sync. Please run migrations or contact support.",
)
TOO_MANY_CONNECTIONS = Row(
    "SlowDown", 429, "Too many connections issued to the database", "too_many_connections"
)
INTERNAL = Row("InternalError", 500, "Internal Server Error", "Internal")

_REAL_STATUSES = frozenset({416, 429, 500, 544})
_BAD_REQUEST = 400
_BY_SQLSTATE = {
    "22021": INVALID_TEXT,
    "22P05": INVALID_TEXT,
    "23503": NO_RELATED,
    "23505": RESOURCE_EXISTS,
    "25006": DATABASE_READ_ONLY,
    "42P01": DATABASE_SCHEMA,
    "42703": DATABASE_SCHEMA,
    "42P17": DATABASE_OBJECT,
    "57014": DATABASE_TIMEOUT,
    "53300": TOO_MANY_CONNECTIONS,
}


def http_status(problem: Problem) -> int:
    """The HTTP status: 400 for all but a few, whose own it is (storage reference 1.1)."""
    if problem.hint is not None and problem.hint.startswith("HTTP "):
        return problem.status
    return problem.status if problem.status in _REAL_STATUSES else _BAD_REQUEST


def problem_of(fault: Fault) -> Problem:
    """The problem of what PostgreSQL refused, or a policy or trigger raised."""
    if fault.sqlstate == "42501":
        if "row-level security" in fault.message:
            return ROW_LEVEL_SECURITY.problem()
        return INVALID_TOKEN.problem(reason=fault.message)
    if fault.sqlstate == "22P02":
        return INVALID_VALUE.problem(reason=fault.message)
    if fault.sqlstate == "23503" and "still referenced" in (fault.detail or ""):
        return REFERENCED.problem()
    row = _BY_SQLSTATE.get(fault.sqlstate)
    return row.problem() if row is not None else DATABASE_ERROR.problem(code=fault.sqlstate)
