"""Addresses: the API, the database, the site, mail and SMS (auth reference 13, 14)."""

from __future__ import annotations

import json
import signal
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from compat_base.values import setting_kinds as kinds
from compat_base.values.setting_rows import setting
from compat_base.values.settings import Reader, Secret
from gotrue_compat.mail.gotemplate import TemplateError, render
from gotrue_compat.urls.links import web_address

MAIL_KINDS = (
    "invite", "confirmation", "recovery", "email_change", "magic_link", "reauthentication",
)  # fmt: skip
NOTICES = (
    "password_changed", "email_changed", "phone_changed", "identity_linked", "identity_unlinked",
    "mfa_factor_enrolled", "mfa_factor_unenrolled",
)  # fmt: skip


def _host(reader: Reader, name: str) -> str:
    return reader.text(name, reader.unprefixed().text("HOST", "0.0.0.0"))  # noqa: S104 — documented


def _port(reader: Reader, name: str) -> int:
    return reader.unprefixed().integer("PORT", reader.integer(name, 8081))


def _unprefixed_header(reader: Reader, name: str) -> str:
    return reader.unprefixed().text(name).lower()


def _reload_signal(reader: Reader, name: str) -> int | None:
    is_enabled = reader.boolean("RELOADING_SIGNAL_ENABLED", default=False)
    return reader.integer(name, signal.SIGUSR1) if is_enabled else None


def _metrics(reader: Reader, name: str) -> tuple[str, int] | None:
    """Where Prometheus finds the figures; None where they are off, or for another exporter."""
    is_on = reader.boolean("METRICS_ENABLED", default=False)
    exporter = reader.text(name, "opentelemetry")
    plain = reader.unprefixed()
    host = plain.text("OTEL_EXPORTER_PROMETHEUS_HOST", "0.0.0.0")  # noqa: S104 — documented
    port = plain.integer("OTEL_EXPORTER_PROMETHEUS_PORT", 9100)
    return (host, port) if is_on and exporter == "prometheus" else None


def _external_url(reader: Reader, name: str) -> str:
    text = (reader.unprefixed().text(name) or reader.required(name)).strip()
    url = web_address(text)
    host, _, _ = text.partition("://")[2].partition("/")
    if (text and url is None) or "#" in host:
        reader.problem("API_EXTERNAL_URL must be an address such as https://api.example.com")
    return url.text if url is not None else ""


def _database_url(reader: Reader, name: str) -> Secret:
    plain = reader.unprefixed()
    url = plain.text(name) or reader.text("DB_DATABASE_URL") or reader.text(name)
    if not url:
        reader.problem("DATABASE_URL must be set")
    return Secret(url)


def _namespace(reader: Reader, name: str) -> str:
    return reader.unprefixed().text(name) or reader.text(name, "auth")


def _pool_size(reader: Reader, name: str) -> int:
    return reader.integer(name, 0) or 10


def _paths(reader: Reader, prefix: str) -> Mapping[str, str]:
    return {kind: reader.text(prefix + kind.upper(), "/verify") for kind in MAIL_KINDS}


def _notices(reader: Reader, prefix: str) -> frozenset[str]:
    names = {kind: f"{prefix}{kind.upper()}_ENABLED" for kind in NOTICES}
    return frozenset(kind for kind, name in names.items() if reader.boolean(name, default=False))


def _credentials(reader: Reader, name: str) -> Mapping[str, str]:
    provider = reader.text(name)
    prefix = f"SMS_{provider.upper()}_"
    return {key.lower(): reader.text(prefix + key) for key in _SMS_CREDENTIALS.get(provider, ())}


def message_template(reader: Reader, name: str) -> str:
    """Read what a text message says, in Go's template syntax."""
    template = reader.text(name, "Your code is {{ .Code }}")
    try:
        render(template, {"Code": "123456"}, escape=False)
    except TemplateError as error:
        reader.problem(f"GOTRUE_{name} cannot be read: {error}")
    return template


def otp_length(reader: Reader, name: str) -> int:
    """Read how many digits a code has: six where the variable says fewer or more than ten."""
    length = reader.integer(name, _SHORTEST_OTP)
    return length if _SHORTEST_OTP <= length <= _LONGEST_OTP else _SHORTEST_OTP


def _code_life(seconds: int) -> kinds.Read[int]:
    return kinds.nonzero(kinds.integer(seconds, minimum=0), seconds)


def _by_kind(reader: Reader, prefix: str) -> Mapping[str, str]:
    names = {kind: kind for kind in MAIL_KINDS} | {kind: f"{kind}_notification" for kind in NOTICES}
    found = {kind: reader.text(prefix + name.upper()) for kind, name in names.items()}
    return {kind: text for kind, text in found.items() if text}


def _pairs(reader: Reader, name: str) -> Mapping[str, str]:
    pairs = [part.split(":") for part in reader.words(name)]
    if any(len(pair) != 2 for pair in pairs):  # noqa: PLR2004 — a number and its code
        reader.problem(f"GOTRUE_{name} must be pairs such as 4915112345678:123456")
        return {}
    return {_number(key.strip()): value.strip() for key, value in pairs}


def _number(phone: str) -> str:
    """A telephone number as users have it."""
    return phone.removeprefix("+").replace(" ", "")


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


@dataclass(frozen=True, slots=True)
class ApiSettings:
    """Where the service listens and is reached; `request_seconds` 0 means no limit."""

    host: str = setting("API_HOST", _host)
    port: int = setting("API_PORT", _port)
    external_url: str = setting("API_EXTERNAL_URL", _external_url)
    external_hosts: tuple[str, ...] = setting("MAILER_EXTERNAL_HOSTS", kinds.words())
    request_seconds: float = setting("API_MAX_REQUEST_DURATION", kinds.seconds(10))
    request_id_header: str = setting("REQUEST_ID_HEADER", _unprefixed_header)
    cors_headers: tuple[str, ...] = setting("CORS_ALLOWED_HEADERS", kinds.words())
    reload_signal: int | None = setting("RELOADING_SIGNAL_NUMBER", _reload_signal)
    metrics: tuple[str, int] | None = setting("METRICS_EXPORTER", _metrics)


@dataclass(frozen=True, slots=True)
class DatabaseSettings:
    """The database and the schema that holds the tables."""

    url: Secret = setting("DATABASE_URL", _database_url)
    namespace: str = setting("DB_NAMESPACE", _namespace)
    pool_size: int = setting("DB_MAX_POOL_SIZE", _pool_size)
    cleanup: bool = setting("DB_CLEANUP_ENABLED", kinds.boolean(default=False))
    cleanup_anonymous_users: bool = setting(
        "DB_CLEANUP_ANONYMOUS_USERS", kinds.boolean(default=True)
    )
    audit_seconds: float = setting("DB_CLEANUP_AUDIT_LOG_AFTER", kinds.seconds(0))
    unconfirmed_seconds: float = setting("DB_CLEANUP_UNCONFIRMED_USERS_AFTER", kinds.seconds(0))


@dataclass(frozen=True, slots=True)
class MailerSettings:
    """What mails say and when they are needed; `otp_seconds` is how long their tokens live."""

    autoconfirm: bool = setting("MAILER_AUTOCONFIRM", kinds.boolean(default=False))
    allow_unverified: bool = setting(
        "MAILER_ALLOW_UNVERIFIED_EMAIL_SIGN_INS", kinds.boolean(default=False)
    )
    secure_email_change: bool = setting(
        "MAILER_SECURE_EMAIL_CHANGE_ENABLED", kinds.boolean(default=True)
    )
    otp_seconds: int = setting("MAILER_OTP_EXP", _code_life(86400))
    otp_length: int = setting("MAILER_OTP_LENGTH", otp_length)
    subjects: Mapping[str, str] = setting("MAILER_SUBJECTS_", _by_kind)
    templates: Mapping[str, str] = setting("MAILER_TEMPLATES_", _by_kind)
    paths: Mapping[str, str] = setting("MAILER_URLPATHS_", _paths)
    notices: frozenset[str] = setting("MAILER_NOTIFICATIONS_", _notices)
    template_seconds: float = setting("MAILER_TEMPLATE_MAX_AGE", kinds.seconds(600))
    template_bytes: int = setting("MAILER_TEMPLATE_MAX_SIZE", kinds.integer(1_000_000))
    validation_extended: bool = setting(
        "MAILER_EMAIL_VALIDATION_EXTENDED", kinds.boolean(default=False)
    )
    validation_url: str = setting("MAILER_EMAIL_VALIDATION_SERVICE_URL", kinds.text())
    validation_headers: Mapping[str, str] = setting(
        "MAILER_EMAIL_VALIDATION_SERVICE_HEADERS", _flat_headers
    )
    blocked_mx: tuple[str, ...] = setting("MAILER_EMAIL_VALIDATION_BLOCKED_MX", _json_list)


@dataclass(frozen=True, slots=True)
class SmtpSettings:
    """The mail server; without a host nothing is sent. `gap_seconds` is per user and kind."""

    host: str = setting("SMTP_HOST", kinds.text())
    port: int = setting("SMTP_PORT", kinds.integer(587))
    user: str = setting("SMTP_USER", kinds.text())
    password: Secret = setting("SMTP_PASS", kinds.secret)
    admin_email: str = setting("SMTP_ADMIN_EMAIL", kinds.text())
    sender_name: str = setting("SMTP_SENDER_NAME", kinds.text())
    gap_seconds: float = setting("SMTP_MAX_FREQUENCY", kinds.nonzero(kinds.seconds(60), 60))
    headers: Mapping[str, tuple[str, ...]] = setting("SMTP_HEADERS", _headers)


@dataclass(frozen=True, slots=True)
class SmsSettings:
    """Who sends text messages and what they say; `credentials` are the chosen provider's."""

    autoconfirm: bool = setting("SMS_AUTOCONFIRM", kinds.boolean(default=False))
    gap_seconds: float = setting("SMS_MAX_FREQUENCY", kinds.nonzero(kinds.seconds(60), 60))
    otp_seconds: int = setting("SMS_OTP_EXP", _code_life(60))
    otp_length: int = setting("SMS_OTP_LENGTH", otp_length)
    provider: str = setting("SMS_PROVIDER", kinds.text())
    template: str = setting("SMS_TEMPLATE", message_template)
    test_otp: Mapping[str, str] = setting("SMS_TEST_OTP", _pairs)
    test_otp_until: datetime | None = setting("SMS_TEST_OTP_VALID_UNTIL", _moment)
    credentials: Mapping[str, str] = setting("SMS_PROVIDER", _credentials)


_SMS_CREDENTIALS = {
    "twilio": ("ACCOUNT_SID", "AUTH_TOKEN", "MESSAGE_SERVICE_SID", "CONTENT_SID"),
    "twilio_verify": ("ACCOUNT_SID", "AUTH_TOKEN", "MESSAGE_SERVICE_SID"),
    "messagebird": ("ACCESS_KEY", "ORIGINATOR"),
    "textlocal": ("API_KEY", "SENDER"),
    "vonage": ("API_KEY", "API_SECRET", "FROM"),
}
_SHORTEST_OTP, _LONGEST_OTP = 6, 10
