"""Where things are: the API, the database, the site, mail and SMS (auth reference 13, 14)."""

from __future__ import annotations

import json
import signal
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from compat_base.values.settings import Reader, Secret
from gotrue_compat.urls.links import web_address

MAIL_KINDS = (
    "invite", "confirmation", "recovery", "email_change", "magic_link", "reauthentication",
)  # fmt: skip
NOTICES = (
    "password_changed", "email_changed", "phone_changed", "identity_linked", "identity_unlinked",
    "mfa_factor_enrolled", "mfa_factor_unenrolled",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class ApiSettings:
    """Where the service listens and is reached; `request_seconds` 0 means no limit."""

    host: str
    port: int
    external_url: str
    external_hosts: tuple[str, ...]
    request_seconds: float
    request_id_header: str
    cors_headers: tuple[str, ...]
    reload_signal: int | None


@dataclass(frozen=True, slots=True)
class DatabaseSettings:
    """The database and the schema that holds the tables."""

    url: Secret
    namespace: str
    pool_size: int
    cleanup: bool
    cleanup_anonymous_users: bool
    audit_seconds: float
    unconfirmed_seconds: float


@dataclass(frozen=True, slots=True)
class MailerSettings:
    """What mails say and when they are needed; `otp_seconds` is how long their tokens live."""

    autoconfirm: bool
    allow_unverified: bool
    secure_email_change: bool
    otp_seconds: int
    otp_length: int
    subjects: Mapping[str, str]
    templates: Mapping[str, str]
    paths: Mapping[str, str]
    notices: frozenset[str]
    template_seconds: float
    template_bytes: int
    validation_extended: bool
    validation_url: str
    validation_headers: Mapping[str, str]
    blocked_mx: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class SmtpSettings:
    """The mail server; without a host nothing is sent. `gap_seconds` is per user and kind."""

    host: str
    port: int
    user: str
    password: Secret
    admin_email: str
    sender_name: str
    gap_seconds: float
    headers: Mapping[str, tuple[str, ...]]


@dataclass(frozen=True, slots=True)
class SmsSettings:
    """Who sends text messages and what they say; `credentials` are the chosen provider's."""

    autoconfirm: bool
    gap_seconds: float
    otp_seconds: int
    otp_length: int
    provider: str
    template: str
    test_otp: Mapping[str, str]
    test_otp_until: datetime | None
    credentials: Mapping[str, str]


_SMS_CREDENTIALS = {
    "twilio": ("ACCOUNT_SID", "AUTH_TOKEN", "MESSAGE_SERVICE_SID", "CONTENT_SID"),
    "twilio_verify": ("ACCOUNT_SID", "AUTH_TOKEN", "MESSAGE_SERVICE_SID"),
    "messagebird": ("ACCESS_KEY", "ORIGINATOR"),
    "textlocal": ("API_KEY", "SENDER"),
    "vonage": ("API_KEY", "API_SECRET", "FROM"),
}
_SHORTEST_OTP, _LONGEST_OTP = 6, 10


def read_api(reader: Reader, plain: Reader) -> ApiSettings:
    """Read the unprefixed PORT, API_EXTERNAL_URL, REQUEST_ID_HEADER and GOTRUE_API_*."""
    return ApiSettings(
        host=reader.text("API_HOST", plain.text("HOST", "0.0.0.0")),  # noqa: S104 — documented
        port=plain.integer("PORT", reader.integer("API_PORT", 8081)),
        external_url=_external_url(reader, plain),
        external_hosts=reader.words("MAILER_EXTERNAL_HOSTS"),
        request_seconds=reader.seconds("API_MAX_REQUEST_DURATION", 10),
        request_id_header=plain.text("REQUEST_ID_HEADER").lower(),
        cors_headers=reader.words("CORS_ALLOWED_HEADERS"),
        reload_signal=(
            reader.integer("RELOADING_SIGNAL_NUMBER", signal.SIGUSR1)
            if reader.boolean("RELOADING_SIGNAL_ENABLED", default=False)
            else None
        ),
    )


def _external_url(reader: Reader, plain: Reader) -> str:
    text = (plain.text("API_EXTERNAL_URL") or reader.required("API_EXTERNAL_URL")).strip()
    url = web_address(text)
    if text and url is None:
        reader.problem("API_EXTERNAL_URL must be an address such as https://api.example.com")
    return url.text if url is not None else ""


def read_database(reader: Reader, plain: Reader) -> DatabaseSettings:
    """Read DATABASE_URL and DB_NAMESPACE, prefixed or not."""
    url = (
        plain.text("DATABASE_URL") or reader.text("DB_DATABASE_URL") or reader.text("DATABASE_URL")
    )
    if not url:
        reader.problem("DATABASE_URL must be set")
    return DatabaseSettings(
        url=Secret(url),
        namespace=plain.text("DB_NAMESPACE") or reader.text("DB_NAMESPACE", "auth"),
        pool_size=reader.integer("DB_MAX_POOL_SIZE", 0) or 10,
        cleanup=reader.boolean("DB_CLEANUP_ENABLED", default=False),
        cleanup_anonymous_users=reader.boolean("DB_CLEANUP_ANONYMOUS_USERS", default=True),
        audit_seconds=reader.seconds("DB_CLEANUP_AUDIT_LOG_AFTER", 0),
        unconfirmed_seconds=reader.seconds("DB_CLEANUP_UNCONFIRMED_USERS_AFTER", 0),
    )


def read_mailer(reader: Reader) -> MailerSettings:
    """Read GOTRUE_MAILER_*."""
    return MailerSettings(
        autoconfirm=reader.boolean("MAILER_AUTOCONFIRM", default=False),
        allow_unverified=reader.boolean("MAILER_ALLOW_UNVERIFIED_EMAIL_SIGN_INS", default=False),
        secure_email_change=reader.boolean("MAILER_SECURE_EMAIL_CHANGE_ENABLED", default=True),
        otp_seconds=reader.integer("MAILER_OTP_EXP", 86400),
        otp_length=_otp_length(reader.integer("MAILER_OTP_LENGTH", _SHORTEST_OTP)),
        subjects=_by_kind(reader, "MAILER_SUBJECTS_"),
        templates=_by_kind(reader, "MAILER_TEMPLATES_"),
        paths={
            kind: reader.text(f"MAILER_URLPATHS_{kind.upper()}", "/verify") for kind in MAIL_KINDS
        },
        notices=frozenset(
            kind
            for kind in NOTICES
            if reader.boolean(f"MAILER_NOTIFICATIONS_{kind.upper()}_ENABLED", default=False)
        ),
        template_seconds=reader.seconds("MAILER_TEMPLATE_MAX_AGE", 600),
        template_bytes=reader.integer("MAILER_TEMPLATE_MAX_SIZE", 1_000_000),
        validation_extended=reader.boolean("MAILER_EMAIL_VALIDATION_EXTENDED", default=False),
        validation_url=reader.text("MAILER_EMAIL_VALIDATION_SERVICE_URL"),
        validation_headers=_flat_headers(reader, "MAILER_EMAIL_VALIDATION_SERVICE_HEADERS"),
        blocked_mx=_json_list(reader, "MAILER_EMAIL_VALIDATION_BLOCKED_MX"),
    )


def read_smtp(reader: Reader) -> SmtpSettings:
    """Read GOTRUE_SMTP_*."""
    return SmtpSettings(
        host=reader.text("SMTP_HOST"),
        port=reader.integer("SMTP_PORT", 587),
        user=reader.text("SMTP_USER"),
        password=reader.secret("SMTP_PASS"),
        admin_email=reader.text("SMTP_ADMIN_EMAIL"),
        sender_name=reader.text("SMTP_SENDER_NAME"),
        gap_seconds=reader.seconds("SMTP_MAX_FREQUENCY", 60),
        headers=_headers(reader, "SMTP_HEADERS"),
    )


def read_sms(reader: Reader) -> SmsSettings:
    """Read GOTRUE_SMS_*."""
    provider = reader.text("SMS_PROVIDER")
    prefix = f"SMS_{provider.upper()}_"
    return SmsSettings(
        autoconfirm=reader.boolean("SMS_AUTOCONFIRM", default=False),
        gap_seconds=reader.seconds("SMS_MAX_FREQUENCY", 60),
        otp_seconds=reader.integer("SMS_OTP_EXP", 60),
        otp_length=_otp_length(reader.integer("SMS_OTP_LENGTH", _SHORTEST_OTP)),
        provider=provider,
        template=reader.text("SMS_TEMPLATE", "Your code is {{ .Code }}"),
        test_otp=_pairs(reader, "SMS_TEST_OTP"),
        test_otp_until=_moment(reader, "SMS_TEST_OTP_VALID_UNTIL"),
        credentials={
            name.lower(): reader.text(prefix + name) for name in _SMS_CREDENTIALS.get(provider, ())
        },
    )


def _otp_length(length: int) -> int:
    return length if _SHORTEST_OTP <= length <= _LONGEST_OTP else _SHORTEST_OTP


def _by_kind(reader: Reader, prefix: str) -> Mapping[str, str]:
    names = {kind: kind for kind in MAIL_KINDS} | {kind: f"{kind}_notification" for kind in NOTICES}
    found = {kind: reader.text(prefix + name.upper()) for kind, name in names.items()}
    return {kind: text for kind, text in found.items() if text}


def _pairs(reader: Reader, name: str) -> Mapping[str, str]:
    pairs = (part.partition(":") for part in reader.words(name))
    return {key.strip(): value.strip() for key, _, value in pairs}


def _moment(reader: Reader, name: str) -> datetime | None:
    text = reader.optional(name)
    if text is None:
        return None
    try:
        return datetime.fromisoformat(text)
    except ValueError:
        reader.problem(f"GOTRUE_{name} must be a time such as 2026-12-31T00:00:00Z")
        return None


def _headers(reader: Reader, name: str) -> Mapping[str, tuple[str, ...]]:
    text = reader.optional(name)
    if text is None:
        return {}
    try:
        value: dict[str, list[str]] = json.loads(text)
        return {key: tuple(str(member) for member in members) for key, members in value.items()}
    except (ValueError, AttributeError, TypeError):
        reader.problem(f"GOTRUE_{name} must be a JSON object of lists")
        return {}


def _flat_headers(reader: Reader, name: str) -> Mapping[str, str]:
    return {key: ", ".join(values) for key, values in _headers(reader, name).items()}


def _json_list(reader: Reader, name: str) -> tuple[str, ...]:
    text = reader.optional(name)
    if text is None:
        return ()
    try:
        value: list[str] = json.loads(text)
        return tuple(str(member).lower().rstrip(".") for member in value)
    except (ValueError, TypeError):
        reader.problem(f"GOTRUE_{name} must be a JSON list")
        return ()
