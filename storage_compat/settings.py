"""The original's variables in one frozen record (storage reference 15); a field is a row."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import unquote, urlsplit

from compat_base.values import jwt
from compat_base.values import setting_kinds as kinds
from compat_base.values.setting_kinds import Read
from compat_base.values.setting_rows import read_rows, record, section, setting
from compat_base.values.settings import Reader, Secret
from compat_base.values.urls import parse_url


def _text(older: str, default: str) -> Read[str]:
    """A text by its name or an older one."""
    return lambda reader, name: reader.text(name, reader.text(older) or default)


def _integer(older: str, default: int) -> Read[int]:
    """A whole number by its name or an older one."""
    return lambda reader, name: reader.integer(
        name, reader.integer(older, default, minimum=0), minimum=0
    )


def _public_url(reader: Reader, name: str) -> str | None:
    url = reader.optional(name)
    if url is not None and parse_url(url) is None:
        reader.problem(f"{name} must be an address such as https://files.example")
    return url.rstrip("/") if url else None


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


@dataclass(frozen=True, slots=True)
class DatabaseSettings:
    """Where the rows are; `timeout` in milliseconds is each statement's.

    `url` may be a pooler's; `direct_url` is the database's own, by which it is migrated.
    `search_path` is what stands behind the service's schemas.
    """

    url: Secret
    direct_url: Secret
    pool_size: int = setting("DATABASE_MAX_CONNECTIONS", kinds.integer(20, minimum=1))
    timeout: int = setting("DATABASE_STATEMENT_TIMEOUT", kinds.integer(30_000, minimum=0))
    connection_timeout: float = setting(
        "DATABASE_CONNECTION_TIMEOUT",
        lambda reader, name: reader.integer(name, 3_000, minimum=1) / 1000,
    )
    anon_role: str = setting("DB_ANON_ROLE", kinds.text("anon"))
    service_role: str = setting("DB_SERVICE_ROLE", kinds.text("service_role"))
    search_path: tuple[str, ...] = setting("DATABASE_SEARCH_PATH", kinds.words())


def _read_database(reader: Reader) -> DatabaseSettings:
    direct = reader.secret("DATABASE_URL")
    url = reader.secret("DATABASE_POOL_URL") or direct
    if not url:
        reader.problem("DATABASE_URL must be set")
    return read_rows(DatabaseSettings, reader, url=url, direct_url=direct or url)


@dataclass(frozen=True, slots=True)
class FileSettings:
    """Where the bytes are: a folder, or a URL such as `s3://bucket/path`; of `file://` a folder.

    `folder` is the folder of the bytes, and with a URL that of temporary files and cached images.
    `seconds` is how long the store behind a URL may say nothing.
    """

    url: str | None
    folder: Path
    is_durable: bool
    options: Mapping[str, str]
    seconds: float


def _read_files(values: Mapping[str, str], reader: Reader) -> FileSettings:
    backend = reader.choice("STORAGE_BACKEND", "file", ("file", "s3", "url"))
    folder = _text("FILE_STORAGE_BACKEND_PATH", "./data")(reader, "STORAGE_FILE_BACKEND_PATH")
    url = reader.optional("STORAGE_URL")
    bucket = _text("GLOBAL_S3_BUCKET", "")(reader, "STORAGE_S3_BUCKET")
    options = {
        name: given
        for name, given in (
            ("endpoint", _text("GLOBAL_S3_ENDPOINT", "")(reader, "STORAGE_S3_ENDPOINT")),
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
    if backend == "url" and url is not None and url.startswith("file://"):
        backend, folder = "file", unquote(urlsplit(url).path)
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


@dataclass(frozen=True, slots=True)
class UploadSettings:
    """Limits in bytes and lives in seconds; `standard_limit` 0 sets none of its own."""

    limit: int = setting("UPLOAD_FILE_SIZE_LIMIT", _integer("FILE_SIZE_LIMIT", 52_428_800))
    standard_limit: int = setting(
        "UPLOAD_FILE_SIZE_LIMIT_STANDARD", _integer("FILE_SIZE_LIMIT_STANDARD", 0)
    )
    signed_seconds: int = setting(
        "UPLOAD_SIGNED_URL_EXPIRATION_TIME", _integer("SIGNED_UPLOAD_URL_EXPIRATION_TIME", 60)
    )
    tus_path: str = setting("TUS_URL_PATH", kinds.text("/upload/resumable"))
    tus_seconds: int = setting(
        "TUS_URL_EXPIRY_MS",
        lambda reader, name: reader.integer(name, 3_600_000, minimum=1000) // 1000,
    )
    tus_part_limit: int = setting("TUS_MAX_PARTS", kinds.integer(10_000, minimum=1))
    has_unicode_keys: bool = setting("STORAGE_UNICODE_KEYS", kinds.boolean(default=False))


def _renders_images(reader: Reader, name: str) -> bool:
    older = reader.boolean("ENABLE_IMAGE_TRANSFORMATION", default=False)
    return reader.boolean(name, default=older)


@dataclass(frozen=True, slots=True)
class ImageSettings:
    """What may be rendered: sizes in pixels, files and caches in bytes, time in seconds.

    `drawing_seconds` are the processor's, for an SVG before it is encoded.
    """

    is_enabled: bool = setting("IMAGE_TRANSFORMATION_ENABLED", _renders_images)
    least: int = setting("IMAGE_TRANSFORMATION_LIMIT_MIN_SIZE", _integer("IMG_LIMITS_MIN_SIZE", 1))
    most: int = setting(
        "IMAGE_TRANSFORMATION_LIMIT_MAX_SIZE", _integer("IMG_LIMITS_MAX_SIZE", 2000)
    )
    pixels: int = setting("IMAGE_MAX_PIXELS", kinds.integer(50_000_000, minimum=1))
    file_bytes: int = setting("IMAGE_MAX_BYTES", kinds.integer(26_214_400, minimum=1))
    cache_bytes: int = setting("IMAGE_CACHE_BYTES", kinds.integer(268_435_456, minimum=0))
    workers: int = setting("IMAGE_WORKERS", kinds.integer(1, minimum=1))
    queue: int = setting("IMAGE_QUEUE", kinds.integer(64, minimum=1))
    seconds: float = setting("IMGPROXY_REQUEST_TIMEOUT", kinds.seconds(15))
    drawing_seconds: float = setting("IMAGE_SVG_SECONDS", kinds.seconds(3))


def _region(reader: Reader, name: str) -> str:
    return reader.text(name) or _text("SERVER_REGION", "not-specified")(reader, "REGION")


@dataclass(frozen=True, slots=True)
class S3Settings:
    """The S3 protocol: where it is, and the key pair that acts as service_role."""

    is_enabled: bool = setting("S3_PROTOCOL_ENABLED", kinds.boolean(default=True))
    prefix: str = setting("S3_PROTOCOL_PREFIX", kinds.text())
    region: str = setting("STORAGE_S3_REGION", _region)
    enforces_region: bool = setting("S3_PROTOCOL_ENFORCE_REGION", kinds.boolean(default=False))
    access_key: str = setting("S3_PROTOCOL_ACCESS_KEY_ID", kinds.text())
    secret_key: Secret = setting("S3_PROTOCOL_ACCESS_KEY_SECRET", kinds.secret)
    allows_forwarded_header: bool = setting(
        "S3_ALLOW_FORWARDED_HEADER", kinds.boolean(default=False)
    )
    clock_skew: int = setting("S3_PROTOCOL_CLOCK_SKEW", kinds.integer(0, minimum=0))


@dataclass(frozen=True, slots=True)
class Settings:
    """Everything the service reads; `public_url` is where clients reach it, with its prefix."""

    files: FileSettings
    host: str = setting("SERVER_HOST", _text("HOST", "0.0.0.0"))  # noqa: S104 — the original's
    port: int = setting("SERVER_PORT", _integer("PORT", 5000))
    tenant: str = setting("TENANT_ID", _text("PROJECT_REF", "storage-single-tenant"))
    public_url: str | None = setting("STORAGE_PUBLIC_URL", _public_url)
    allows_forwarded_path: bool = setting(
        "REQUEST_ALLOW_X_FORWARDED_PATH", kinds.boolean(default=False)
    )
    has_hard_limits: bool = setting("REQUEST_HARD_LIMITS_ENABLED", kinds.boolean(default=False))
    has_metrics: bool = setting("PROMETHEUS_METRICS_ENABLED", kinds.boolean(default=False))
    etag_headers: tuple[str, ...] = setting("REQUEST_ETAG_HEADERS", kinds.words("if-none-match"))
    shared_max_age: int = setting("RESPONSE_S_MAXAGE", kinds.integer(0, minimum=0))
    most_emptied: int = setting("STORAGE_EMPTY_BUCKET_MAX", kinds.integer(200_000, minimum=1))
    sweep_seconds: float = setting("STORAGE_SWEEP_INTERVAL", kinds.seconds(86_400))
    orphan_seconds: float = setting("STORAGE_ORPHAN_AGE", kinds.seconds(86_400))
    anon_key: Secret = setting("ANON_KEY", kinds.secret)
    tokens: TokenSettings = section(_read_tokens)
    database: DatabaseSettings = section(_read_database)
    uploads: UploadSettings = record(UploadSettings)
    images: ImageSettings = record(ImageSettings)
    s3: S3Settings = record(S3Settings)


def read_settings(values: Mapping[str, str]) -> Settings:
    """Read the variables; SettingsError with every problem in them."""
    reader = Reader(values)
    return reader.finish(read_rows(Settings, reader, files=_read_files(values, reader)))
