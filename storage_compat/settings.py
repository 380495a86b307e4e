"""The original's variables, read into one frozen record (storage reference 15)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from compat_base.values import jwt
from compat_base.values.settings import Reader, Secret
from compat_base.values.urls import parse_url


@dataclass(frozen=True, slots=True)
class TokenSettings:
    """Whose tokens are taken, and the key that signs URLs."""

    keys: tuple[jwt.Key, ...]
    url_key: jwt.Key
    remote: jwt.RemoteKeys | None = None

    @property
    def known(self) -> tuple[jwt.Key, ...]:
        """The keys that count at this moment: the service's own, and another issuer's."""
        return self.keys if self.remote is None else (*self.keys, *self.remote.keys)


@dataclass(frozen=True, slots=True)
class DatabaseSettings:
    """Where the rows are; `timeout` in milliseconds is each statement's.

    `url` may be a pooler's; `direct_url` is the database's own, by which it is migrated.
    `search_path` is what stands behind the service's schemas.
    """

    url: Secret
    direct_url: Secret
    pool_size: int
    timeout: int
    connection_timeout: float
    anon_role: str
    service_role: str
    search_path: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class FileSettings:
    """Where the bytes are: a folder, or a URL such as `s3://bucket/path`.

    `folder` is the folder of the bytes, and with a URL that of temporary files and cached images.
    `seconds` is how long the store behind a URL may say nothing.
    """

    url: str | None
    folder: Path
    is_durable: bool
    options: Mapping[str, str]
    seconds: float


@dataclass(frozen=True, slots=True)
class UploadSettings:
    """Limits in bytes and lives in seconds; `standard_limit` 0 sets none of its own."""

    limit: int
    standard_limit: int
    signed_seconds: int
    tus_path: str
    tus_seconds: int
    tus_part_limit: int
    has_unicode_keys: bool


@dataclass(frozen=True, slots=True)
class ImageSettings:
    """What may be rendered: sizes in pixels, files and caches in bytes, time in seconds."""

    is_enabled: bool
    least: int
    most: int
    pixels: int
    file_bytes: int
    cache_bytes: int
    workers: int
    queue: int
    seconds: float


@dataclass(frozen=True, slots=True)
class S3Settings:
    """The S3 protocol: where it is, and the key pair that acts as service_role."""

    is_enabled: bool
    prefix: str
    region: str
    enforces_region: bool
    access_key: str
    secret_key: Secret
    allows_forwarded_host: bool
    clock_skew: int


@dataclass(frozen=True, slots=True)
class Settings:
    """Everything the service reads; `public_url` is where clients reach it, with its prefix."""

    host: str
    port: int
    tenant: str
    public_url: str | None
    allows_forwarded_path: bool
    has_hard_limits: bool
    etag_headers: tuple[str, ...]
    shared_max_age: int
    most_emptied: int
    sweep_seconds: float
    orphan_seconds: float
    anon_key: Secret
    tokens: TokenSettings
    database: DatabaseSettings
    files: FileSettings
    uploads: UploadSettings
    images: ImageSettings
    s3: S3Settings


def read_settings(values: Mapping[str, str]) -> Settings:
    """Read the variables; SettingsError with every problem in them."""
    reader = Reader(values)
    public_url = reader.optional("STORAGE_PUBLIC_URL")
    if public_url is not None and parse_url(public_url) is None:
        reader.problem("STORAGE_PUBLIC_URL must be an address such as https://files.example")
    return reader.finish(
        Settings(
            host=_text(reader, "SERVER_HOST", "HOST", "0.0.0.0"),  # noqa: S104 — the original's
            port=_integer(reader, "SERVER_PORT", "PORT", 5000),
            tenant=_text(reader, "TENANT_ID", "PROJECT_REF", "storage-single-tenant"),
            public_url=public_url.rstrip("/") if public_url else None,
            allows_forwarded_path=reader.boolean("REQUEST_ALLOW_X_FORWARDED_PATH", default=False),
            has_hard_limits=reader.boolean("REQUEST_HARD_LIMITS_ENABLED", default=False),
            etag_headers=reader.words("REQUEST_ETAG_HEADERS", ("if-none-match",)),
            shared_max_age=reader.integer("RESPONSE_S_MAXAGE", 0, minimum=0),
            most_emptied=reader.integer("STORAGE_EMPTY_BUCKET_MAX", 200_000, minimum=1),
            sweep_seconds=reader.seconds("STORAGE_SWEEP_INTERVAL", 86_400),
            orphan_seconds=reader.seconds("STORAGE_ORPHAN_AGE", 86_400),
            anon_key=reader.secret("ANON_KEY"),
            tokens=_read_tokens(reader),
            database=_read_database(reader),
            files=_read_files(reader, values),
            uploads=_read_uploads(reader),
            images=_read_images(reader),
            s3=_read_s3(reader),
        )
    )


def _read_tokens(reader: Reader) -> TokenSettings:
    secret = reader.text("AUTH_JWT_SECRET") or reader.text("PGRST_JWT_SECRET")
    if not secret:
        reader.problem("AUTH_JWT_SECRET must be set")
    algorithm = reader.text("AUTH_JWT_ALGORITHM", "HS256")
    key = jwt.secret_key(secret or "unset", algorithms=(algorithm,))
    key_set = reader.optional("JWT_JWKS")
    keys: tuple[jwt.Key, ...] = ()
    if key_set is not None:
        try:
            keys = jwt.keys_from_json(key_set)
        except jwt.UnreadableKeyError as error:
            reader.problem(f"JWT_JWKS cannot be read: {error}")
    return TokenSettings((key, *keys), jwt.secret_key(secret or "unset", algorithms=("HS256",)))


def _read_database(reader: Reader) -> DatabaseSettings:
    direct = reader.secret("DATABASE_URL")
    url = reader.secret("DATABASE_POOL_URL") or direct
    direct = direct or url
    if not url:
        reader.problem("DATABASE_URL must be set")
    return DatabaseSettings(
        url=url,
        direct_url=direct,
        pool_size=reader.integer("DATABASE_MAX_CONNECTIONS", 20, minimum=1),
        timeout=reader.integer("DATABASE_STATEMENT_TIMEOUT", 30_000, minimum=0),
        connection_timeout=reader.integer("DATABASE_CONNECTION_TIMEOUT", 3_000, minimum=1) / 1000,
        anon_role=reader.text("DB_ANON_ROLE", "anon"),
        service_role=reader.text("DB_SERVICE_ROLE", "service_role"),
        search_path=reader.words("DATABASE_SEARCH_PATH", ()),
    )


def _read_files(reader: Reader, values: Mapping[str, str]) -> FileSettings:
    backend = reader.choice("STORAGE_BACKEND", "file", ("file", "s3", "url"))
    folder = _text(reader, "STORAGE_FILE_BACKEND_PATH", "FILE_STORAGE_BACKEND_PATH", "./data")
    url = reader.optional("STORAGE_URL")
    bucket = _text(reader, "STORAGE_S3_BUCKET", "GLOBAL_S3_BUCKET", "")
    options = {
        name: given
        for name, given in (
            ("endpoint", _text(reader, "STORAGE_S3_ENDPOINT", "GLOBAL_S3_ENDPOINT", "")),
            ("region", reader.text("STORAGE_S3_REGION")),
            ("access_key_id", reader.text("AWS_ACCESS_KEY_ID")),
            ("secret_access_key", reader.secret("AWS_SECRET_ACCESS_KEY").reveal()),
        )
        if given
    }
    if not reader.boolean("STORAGE_S3_FORCE_PATH_STYLE", default=True):
        options["virtual_hosted_style_request"] = "true"
    if backend == "s3" and not bucket:
        reader.problem("STORAGE_S3_BUCKET must be set where STORAGE_BACKEND is s3")
    if backend == "url" and url is None:
        reader.problem("STORAGE_URL must be set where STORAGE_BACKEND is url")
    addresses = {"file": None, "s3": f"s3://{bucket}", "url": url}
    # The libraries of Google's and Azure's stores read their own variables
    own = {k: v for k, v in values.items() if k.startswith(("GOOGLE_", "AZURE_"))}
    return FileSettings(
        url=addresses[backend],
        folder=Path(folder),
        is_durable=reader.boolean("STORAGE_FILE_FSYNC", default=True),
        options=options if backend == "s3" or (url or "").startswith("s3:") else own,
        seconds=reader.seconds("STORAGE_REMOTE_TIMEOUT", 30),
    )


def _read_uploads(reader: Reader) -> UploadSettings:
    default_limit = 52_428_800
    return UploadSettings(
        limit=_integer(reader, "UPLOAD_FILE_SIZE_LIMIT", "FILE_SIZE_LIMIT", default_limit),
        standard_limit=_integer(
            reader, "UPLOAD_FILE_SIZE_LIMIT_STANDARD", "FILE_SIZE_LIMIT_STANDARD", 0
        ),
        signed_seconds=_integer(
            reader, "UPLOAD_SIGNED_URL_EXPIRATION_TIME", "SIGNED_UPLOAD_URL_EXPIRATION_TIME", 60
        ),
        tus_path=reader.text("TUS_URL_PATH", "/upload/resumable"),
        tus_seconds=reader.integer("TUS_URL_EXPIRY_MS", 3_600_000, minimum=1000) // 1000,
        tus_part_limit=reader.integer("TUS_MAX_PARTS", 10_000, minimum=1),
        has_unicode_keys=reader.boolean("STORAGE_UNICODE_KEYS", default=False),
    )


def _read_images(reader: Reader) -> ImageSettings:
    first = "IMAGE_TRANSFORMATION_ENABLED"
    old = reader.boolean("ENABLE_IMAGE_TRANSFORMATION", default=False)
    limit = "IMAGE_TRANSFORMATION_LIMIT"
    return ImageSettings(
        is_enabled=reader.boolean(first, default=old),
        least=_integer(reader, f"{limit}_MIN_SIZE", "IMG_LIMITS_MIN_SIZE", 1),
        most=_integer(reader, f"{limit}_MAX_SIZE", "IMG_LIMITS_MAX_SIZE", 2000),
        pixels=reader.integer("IMAGE_MAX_PIXELS", 50_000_000, minimum=1),
        file_bytes=reader.integer("IMAGE_MAX_BYTES", 26_214_400, minimum=1),
        cache_bytes=reader.integer("IMAGE_CACHE_BYTES", 268_435_456, minimum=0),
        workers=reader.integer("IMAGE_WORKERS", 1, minimum=1),
        queue=reader.integer("IMAGE_QUEUE", 64, minimum=1),
        seconds=reader.seconds("IMGPROXY_REQUEST_TIMEOUT", 15),
    )


def _read_s3(reader: Reader) -> S3Settings:
    return S3Settings(
        is_enabled=reader.boolean("S3_PROTOCOL_ENABLED", default=True),
        prefix=reader.text("S3_PROTOCOL_PREFIX"),
        region=_text(reader, "REGION", "SERVER_REGION", "not-specified"),
        enforces_region=reader.boolean("S3_PROTOCOL_ENFORCE_REGION", default=False),
        access_key=reader.text("S3_PROTOCOL_ACCESS_KEY_ID"),
        secret_key=reader.secret("S3_PROTOCOL_ACCESS_KEY_SECRET"),
        allows_forwarded_host=reader.boolean("S3_ALLOW_FORWARDED_HEADER", default=False),
        clock_skew=reader.integer("S3_PROTOCOL_CLOCK_SKEW", 0, minimum=0),
    )


def _text(reader: Reader, name: str, older: str, default: str) -> str:
    """A variable by its name or an older one."""
    return reader.text(name, default) if not (old := reader.text(older)) else reader.text(name, old)


def _integer(reader: Reader, name: str, older: str, default: int) -> int:
    return reader.integer(name, reader.integer(older, default, minimum=0), minimum=0)
