"""Every setting of the service in one frozen record, and the one function that reads it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from compat_base.values import setting_kinds as kinds
from compat_base.values.setting_rows import read_rows, record, section, setting
from compat_base.values.settings import Reader
from gotrue_compat.ports import HookPoint
from gotrue_compat.settings.access import (
    CaptchaSettings,
    EmailSettings,
    PasswordSettings,
    SecuritySettings,
    SessionSettings,
    read_captcha,
)
from gotrue_compat.settings.addresses import (
    ApiSettings,
    DatabaseSettings,
    MailerSettings,
    SmsSettings,
    SmtpSettings,
)
from gotrue_compat.settings.factors import MfaSettings, WebAuthnSettings, read_webauthn
from gotrue_compat.settings.federation import (
    ExternalSettings,
    OAuthServerSettings,
    SamlSettings,
    Web3Settings,
    read_saml,
)
from gotrue_compat.settings.hooks import HookSettings, read_hooks
from gotrue_compat.settings.keys import JwtSettings, read_jwt
from gotrue_compat.settings.limits import LimitSettings
from gotrue_compat.urls.redirects import allow_list_problems, followed


def _site_url(reader: Reader, name: str) -> str:
    text = reader.required(name).strip()
    url = followed(text)
    if text and url is None:
        reader.problem(f"GOTRUE_{name} must be an address such as https://app.example.com")
    return url.text if url is not None else ""


def _allow_list(reader: Reader, name: str) -> tuple[str, ...]:
    globs = reader.words(name)
    for problem in allow_list_problems(globs):
        reader.problem(f"GOTRUE_{name}: {problem}")
    return globs


def _unless(reader: Reader, name: str) -> bool:
    return not reader.boolean(name, default=False)


def _level(reader: Reader, name: str) -> str:
    return reader.text(name, "info").lower()


@dataclass(frozen=True, slots=True)
class Settings:
    """Everything the variables say."""

    site_url: str = setting("SITE_URL", _site_url)
    allow_list: tuple[str, ...] = setting("URI_ALLOW_LIST", _allow_list)
    disable_signup: bool = setting("DISABLE_SIGNUP", kinds.boolean(default=False))
    anonymous: bool = setting("EXTERNAL_ANONYMOUS_USERS_ENABLED", kinds.boolean(default=False))
    phone: bool = setting("EXTERNAL_PHONE_ENABLED", kinds.boolean(default=False))
    audit: bool = setting("AUDIT_LOG_DISABLE_POSTGRES", _unless)
    cursor_pages: bool = setting(
        "EXPERIMENTAL_CURSOR_PAGINATION_ENABLED", kinds.boolean(default=False)
    )
    scim: bool = setting("EXPERIMENTAL_SCIM_ENABLED", kinds.boolean(default=False))
    log_level: str = setting("LOG_LEVEL", _level)
    api: ApiSettings = record(ApiSettings)
    database: DatabaseSettings = record(DatabaseSettings)
    jwt: JwtSettings = section(read_jwt)
    email: EmailSettings = record(EmailSettings)
    mailer: MailerSettings = record(MailerSettings)
    smtp: SmtpSettings = record(SmtpSettings)
    sms: SmsSettings = record(SmsSettings)
    password: PasswordSettings = record(PasswordSettings)
    security: SecuritySettings = record(SecuritySettings)
    sessions: SessionSettings = record(SessionSettings)
    limits: LimitSettings = record(LimitSettings)
    captcha: CaptchaSettings = section(read_captcha)
    mfa: MfaSettings = record(MfaSettings)
    webauthn: WebAuthnSettings = section(read_webauthn)
    external: ExternalSettings = record(ExternalSettings)
    web3: Web3Settings = record(Web3Settings)
    saml: SamlSettings = section(read_saml)
    oauth_server: OAuthServerSettings = record(OAuthServerSettings)
    hooks: Mapping[HookPoint, HookSettings] = section(read_hooks)


def read_settings(values: Mapping[str, str], table: type[Settings] = Settings) -> Settings:
    """Read the variables; SettingsError with every problem met."""
    reader = Reader(values, prefix="GOTRUE_")
    settings = read_rows(table, reader)
    if settings.mailer.autoconfirm and settings.mailer.allow_unverified:
        reader.problem(
            "GOTRUE_MAILER_AUTOCONFIRM excludes GOTRUE_MAILER_ALLOW_UNVERIFIED_EMAIL_SIGN_INS"
        )
    return reader.finish(settings)


def read_smtp(values: Mapping[str, str]) -> SmtpSettings:
    """The mail server alone. Raises SettingsError with every problem met."""
    reader = Reader(values, prefix="GOTRUE_")
    return reader.finish(read_rows(SmtpSettings, reader))
