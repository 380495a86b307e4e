"""Every setting of the service in one frozen record, and the one function that reads it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from compat_base.values.settings import Reader
from gotrue_compat.ports import HookPoint
from gotrue_compat.settings.access import (
    CaptchaSettings,
    EmailSettings,
    PasswordSettings,
    SecuritySettings,
    SessionSettings,
    read_captcha,
    read_email,
    read_password,
    read_security,
    read_sessions,
)
from gotrue_compat.settings.addresses import (
    ApiSettings,
    DatabaseSettings,
    MailerSettings,
    SmsSettings,
    SmtpSettings,
    read_api,
    read_database,
    read_mailer,
    read_sms,
    read_smtp,
)
from gotrue_compat.settings.factors import MfaSettings, WebAuthnSettings, read_mfa, read_webauthn
from gotrue_compat.settings.federation import (
    ExternalSettings,
    OAuthServerSettings,
    SamlSettings,
    Web3Settings,
    read_external,
    read_oauth_server,
    read_saml,
    read_web3,
)
from gotrue_compat.settings.hooks import HookSettings, read_hooks
from gotrue_compat.settings.keys import JwtSettings, read_jwt
from gotrue_compat.settings.limits import LimitSettings, read_limits
from gotrue_compat.urls.redirects import allow_list_problems, followed


@dataclass(frozen=True, slots=True)
class Settings:
    """Everything the variables say."""

    site_url: str
    allow_list: tuple[str, ...]
    disable_signup: bool
    anonymous: bool
    phone: bool
    audit: bool
    cursor_pages: bool
    log_level: str
    api: ApiSettings
    database: DatabaseSettings
    jwt: JwtSettings
    email: EmailSettings
    mailer: MailerSettings
    smtp: SmtpSettings
    sms: SmsSettings
    password: PasswordSettings
    security: SecuritySettings
    sessions: SessionSettings
    limits: LimitSettings
    captcha: CaptchaSettings
    mfa: MfaSettings
    webauthn: WebAuthnSettings
    external: ExternalSettings
    web3: Web3Settings
    saml: SamlSettings
    oauth_server: OAuthServerSettings
    hooks: Mapping[HookPoint, HookSettings]


def read_settings(values: Mapping[str, str]) -> Settings:
    """Read the variables; SettingsError with every problem met."""
    reader = Reader(values, prefix="GOTRUE_")
    plain = Reader(values)
    settings = Settings(
        site_url=_site_url(reader),
        allow_list=_allow_list(reader),
        disable_signup=reader.boolean("DISABLE_SIGNUP", default=False),
        anonymous=reader.boolean("EXTERNAL_ANONYMOUS_USERS_ENABLED", default=False),
        phone=reader.boolean("EXTERNAL_PHONE_ENABLED", default=False),
        audit=not reader.boolean("AUDIT_LOG_DISABLE_POSTGRES", default=False),
        cursor_pages=reader.boolean("EXPERIMENTAL_CURSOR_PAGINATION_ENABLED", default=False),
        log_level=reader.text("LOG_LEVEL", "info").lower(),
        api=read_api(reader, plain),
        database=read_database(reader, plain),
        jwt=read_jwt(reader),
        email=read_email(reader),
        mailer=read_mailer(reader),
        smtp=read_smtp(reader),
        sms=read_sms(reader),
        password=read_password(reader),
        security=read_security(reader),
        sessions=read_sessions(reader),
        limits=read_limits(reader),
        captcha=read_captcha(reader),
        mfa=read_mfa(reader),
        webauthn=read_webauthn(reader),
        external=read_external(reader),
        web3=read_web3(reader),
        saml=read_saml(reader),
        oauth_server=read_oauth_server(reader),
        hooks=read_hooks(reader),
    )
    if settings.mailer.autoconfirm and settings.mailer.allow_unverified:
        reader.problem(
            "GOTRUE_MAILER_AUTOCONFIRM excludes GOTRUE_MAILER_ALLOW_UNVERIFIED_EMAIL_SIGN_INS"
        )
    plain.finish(settings)
    return reader.finish(settings)


def _site_url(reader: Reader) -> str:
    text = reader.required("SITE_URL").strip()
    url = followed(text)
    if text and url is None:
        reader.problem("GOTRUE_SITE_URL must be an address such as https://app.example.com")
    return url.text if url is not None else ""


def _allow_list(reader: Reader) -> tuple[str, ...]:
    globs = reader.words("URI_ALLOW_LIST")
    for problem in allow_list_problems(globs):
        reader.problem(f"GOTRUE_URI_ALLOW_LIST: {problem}")
    return globs
