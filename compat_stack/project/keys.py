"""The options of config.toml, one row a key: which variable of a service each one sets.

A `*` in a key stands for a name, which is put into the variable in capitals. A key without a row
is reported as unknown; one of `NOT_SERVED` is known to the CLI and has no effect here.
"""

from __future__ import annotations

from dataclasses import dataclass

from compat_stack.project import kinds
from compat_stack.project.kinds import Kind
from compat_stack.project.third_party import PROVIDERS


@dataclass(frozen=True, slots=True)
class Option:
    """A key, the variable that it sets (None: `config` reads it itself), and how it is parsed.

    `default` is the CLI's for an absent key; None leaves the default to the stack.
    """

    key: str
    variable: str | None
    kind: Kind = kinds.text
    default: str | None = None


OPTIONS = (
    Option("project_id", None),
    Option("api.enabled", None, kinds.boolean),
    Option("api.port", "PORT", kinds.port, "54321"),
    Option("api.schemas", "PGRST_DB_SCHEMAS", kinds.words, "public,graphql_public"),
    Option("api.extra_search_path", "PGRST_DB_EXTRA_SEARCH_PATH", kinds.words, "public,extensions"),
    Option("api.max_rows", "PGRST_DB_MAX_ROWS", kinds.integer, "1000"),
    Option("api.external_url", "PUBLIC_URL"),
    Option("api.auto_expose_new_tables", None, kinds.boolean),
    Option("db.port", "DATABASE_PORT", kinds.port, "54322"),
    Option("db.major_version", None, kinds.integer),
    Option("db.migrations.enabled", None, kinds.boolean),
    Option("db.migrations.schema_paths", None, kinds.words),
    Option("db.vault.*", None),
    Option("db.seed.enabled", None, kinds.boolean),
    Option("db.seed.sql_paths", None, kinds.words),
    Option("realtime.enabled", None, kinds.boolean),
    Option("storage.enabled", None, kinds.boolean),
    Option("storage.file_size_limit", "UPLOAD_FILE_SIZE_LIMIT", kinds.size, "52428800"),
    Option("storage.image_transformation.enabled", "IMAGE_TRANSFORMATION_ENABLED", kinds.boolean),
    Option("storage.s3_protocol.enabled", "S3_PROTOCOL_ENABLED", kinds.boolean),
    Option("storage.buckets.*.public", None, kinds.boolean),
    Option("storage.buckets.*.file_size_limit", None, kinds.size),
    Option("storage.buckets.*.allowed_mime_types", None, kinds.words),
    Option("storage.buckets.*.objects_path", None),
    Option("auth.enabled", None, kinds.boolean),
    Option("auth.site_url", "GOTRUE_SITE_URL", kinds.text, "http://127.0.0.1:3000"),
    Option(
        "auth.additional_redirect_urls",
        "GOTRUE_URI_ALLOW_LIST",
        kinds.words,
        "https://127.0.0.1:3000",
    ),
    Option("auth.jwt_expiry", "GOTRUE_JWT_EXP", kinds.integer, "3600"),
    Option("auth.jwt_issuer", "GOTRUE_JWT_ISSUER"),
    Option("auth.signing_keys_path", None),
    Option("auth.third_party.*.enabled", None, kinds.boolean),
    Option("auth.third_party.firebase.project_id", None),
    Option("auth.third_party.auth0.tenant", None),
    Option("auth.third_party.auth0.tenant_region", None),
    Option("auth.third_party.aws_cognito.user_pool_id", None),
    Option("auth.third_party.aws_cognito.user_pool_region", None),
    Option("auth.third_party.clerk.domain", None),
    Option("auth.third_party.workos.issuer_url", None),
    Option(
        "auth.enable_refresh_token_rotation",
        "GOTRUE_SECURITY_REFRESH_TOKEN_ROTATION_ENABLED",
        kinds.boolean,
        "true",
    ),
    Option(
        "auth.refresh_token_reuse_interval",
        "GOTRUE_SECURITY_REFRESH_TOKEN_REUSE_INTERVAL",
        kinds.integer,
        "10",
    ),
    Option("auth.enable_signup", "GOTRUE_DISABLE_SIGNUP", kinds.negated, "false"),
    Option(
        "auth.enable_anonymous_sign_ins",
        "GOTRUE_EXTERNAL_ANONYMOUS_USERS_ENABLED",
        kinds.boolean,
        "false",
    ),
    Option(
        "auth.enable_manual_linking",
        "GOTRUE_SECURITY_MANUAL_LINKING_ENABLED",
        kinds.boolean,
        "false",
    ),
    Option("auth.minimum_password_length", "GOTRUE_PASSWORD_MIN_LENGTH", kinds.integer, "6"),
    Option("auth.password_requirements", "GOTRUE_PASSWORD_REQUIRED_CHARACTERS", kinds.requirements),
    Option("auth.passkey.enabled", "GOTRUE_PASSKEY_ENABLED", kinds.boolean),
    Option("auth.webauthn.rp_display_name", "GOTRUE_WEBAUTHN_RP_DISPLAY_NAME"),
    Option("auth.webauthn.rp_id", "GOTRUE_WEBAUTHN_RP_ID"),
    Option("auth.webauthn.rp_origins", "GOTRUE_WEBAUTHN_RP_ORIGINS", kinds.words),
    Option("auth.rate_limit.email_sent", None, kinds.integer),  # counts with SMTP alone
    Option("auth.rate_limit.sms_sent", "GOTRUE_RATE_LIMIT_SMS_SENT", kinds.integer),
    Option("auth.rate_limit.anonymous_users", "GOTRUE_RATE_LIMIT_ANONYMOUS_USERS", kinds.integer),
    Option("auth.rate_limit.token_refresh", "GOTRUE_RATE_LIMIT_TOKEN_REFRESH", kinds.integer),
    Option("auth.rate_limit.sign_in_sign_ups", "GOTRUE_RATE_LIMIT_OTP", kinds.integer),
    Option("auth.rate_limit.token_verifications", "GOTRUE_RATE_LIMIT_VERIFY", kinds.integer),
    Option("auth.rate_limit.web3", "GOTRUE_RATE_LIMIT_WEB3", kinds.integer),
    Option("auth.captcha.enabled", "GOTRUE_SECURITY_CAPTCHA_ENABLED", kinds.boolean),
    Option(
        "auth.captcha.provider",
        "GOTRUE_SECURITY_CAPTCHA_PROVIDER",
        kinds.choice("hcaptcha", "turnstile"),
    ),
    Option("auth.captcha.secret", "GOTRUE_SECURITY_CAPTCHA_SECRET"),
    Option("auth.hook.*.enabled", "GOTRUE_HOOK_*_ENABLED", kinds.boolean),
    Option("auth.hook.*.uri", "GOTRUE_HOOK_*_URI"),
    Option("auth.hook.*.secrets", "GOTRUE_HOOK_*_SECRETS"),
    Option("auth.mfa.max_enrolled_factors", "GOTRUE_MFA_MAX_ENROLLED_FACTORS", kinds.integer, "10"),
    Option(
        "auth.mfa.totp.enroll_enabled", "GOTRUE_MFA_TOTP_ENROLL_ENABLED", kinds.boolean, "false",
    ),
    Option(
        "auth.mfa.totp.verify_enabled", "GOTRUE_MFA_TOTP_VERIFY_ENABLED", kinds.boolean, "false",
    ),
    Option("auth.mfa.phone.enroll_enabled", "GOTRUE_MFA_PHONE_ENROLL_ENABLED", kinds.boolean),
    Option("auth.mfa.phone.verify_enabled", "GOTRUE_MFA_PHONE_VERIFY_ENABLED", kinds.boolean),
    Option("auth.mfa.phone.otp_length", "GOTRUE_MFA_PHONE_OTP_LENGTH", kinds.integer),
    Option("auth.mfa.phone.template", "GOTRUE_MFA_PHONE_TEMPLATE"),
    Option("auth.mfa.phone.max_frequency", "GOTRUE_MFA_PHONE_MAX_FREQUENCY", kinds.duration),
    Option(
        "auth.mfa.web_authn.enroll_enabled", "GOTRUE_MFA_WEB_AUTHN_ENROLL_ENABLED", kinds.boolean,
    ),
    Option(
        "auth.mfa.web_authn.verify_enabled", "GOTRUE_MFA_WEB_AUTHN_VERIFY_ENABLED", kinds.boolean,
    ),
    Option("auth.sessions.timebox", "GOTRUE_SESSIONS_TIMEBOX", kinds.limit),
    Option("auth.sessions.inactivity_timeout", "GOTRUE_SESSIONS_INACTIVITY_TIMEOUT", kinds.limit),
    Option("auth.email.enable_signup", "GOTRUE_EXTERNAL_EMAIL_ENABLED", kinds.boolean, "true"),
    Option("auth.email.enabled", "GOTRUE_EXTERNAL_EMAIL_ENABLED", kinds.boolean),
    Option(
        "auth.email.double_confirm_changes",
        "GOTRUE_MAILER_SECURE_EMAIL_CHANGE_ENABLED",
        kinds.boolean,
        "true",
    ),
    Option("auth.email.enable_confirmations", "GOTRUE_MAILER_AUTOCONFIRM", kinds.negated, "true"),
    Option(
        "auth.email.secure_password_change",
        "GOTRUE_SECURITY_UPDATE_PASSWORD_REQUIRE_REAUTHENTICATION",
        kinds.boolean,
    ),
    Option(
        "auth.email.require_current_password",
        "GOTRUE_SECURITY_UPDATE_PASSWORD_REQUIRE_CURRENT_PASSWORD",
        kinds.boolean,
    ),
    Option("auth.email.max_frequency", "GOTRUE_SMTP_MAX_FREQUENCY", kinds.duration, "1s"),
    Option("auth.email.otp_length", "GOTRUE_MAILER_OTP_LENGTH", kinds.integer, "6"),
    Option("auth.email.otp_expiry", "GOTRUE_MAILER_OTP_EXP", kinds.integer, "3600"),
    Option("auth.email.smtp.enabled", None, kinds.boolean),
    Option("auth.email.smtp.host", "GOTRUE_SMTP_HOST"),
    Option("auth.email.smtp.port", "GOTRUE_SMTP_PORT", kinds.port),
    Option("auth.email.smtp.user", "GOTRUE_SMTP_USER"),
    Option("auth.email.smtp.pass", "GOTRUE_SMTP_PASS"),
    Option("auth.email.smtp.admin_email", "GOTRUE_SMTP_ADMIN_EMAIL"),
    Option("auth.email.smtp.sender_name", "GOTRUE_SMTP_SENDER_NAME"),
    Option("auth.email.template.*.subject", "GOTRUE_MAILER_SUBJECTS_*"),
    Option("auth.email.template.*.content_path", "GOTRUE_MAILER_TEMPLATES_*"),
    Option(
        "auth.email.notification.*.enabled",
        "GOTRUE_MAILER_NOTIFICATIONS_*_ENABLED",
        kinds.boolean,
    ),
    Option("auth.email.notification.*.subject", "GOTRUE_MAILER_SUBJECTS_*_NOTIFICATION"),
    Option("auth.email.notification.*.content_path", "GOTRUE_MAILER_TEMPLATES_*_NOTIFICATION"),
    Option("auth.sms.enable_signup", "GOTRUE_EXTERNAL_PHONE_ENABLED", kinds.boolean, "false"),
    Option("auth.sms.enabled", "GOTRUE_EXTERNAL_PHONE_ENABLED", kinds.boolean),
    Option("auth.sms.enable_confirmations", "GOTRUE_SMS_AUTOCONFIRM", kinds.negated, "true"),
    Option("auth.sms.template", "GOTRUE_SMS_TEMPLATE"),
    Option("auth.sms.max_frequency", "GOTRUE_SMS_MAX_FREQUENCY", kinds.duration, "5s"),
    Option("auth.sms.otp_length", "GOTRUE_SMS_OTP_LENGTH", kinds.integer),
    Option("auth.sms.otp_expiry", "GOTRUE_SMS_OTP_EXP", kinds.integer),
    Option("auth.sms.test_otp.*", None),
    Option("auth.sms.twilio.enabled", None, kinds.boolean),
    Option("auth.sms.twilio.account_sid", "GOTRUE_SMS_TWILIO_ACCOUNT_SID"),
    Option("auth.sms.twilio.message_service_sid", "GOTRUE_SMS_TWILIO_MESSAGE_SERVICE_SID"),
    Option("auth.sms.twilio.content_sid", "GOTRUE_SMS_TWILIO_CONTENT_SID"),
    Option("auth.sms.twilio.auth_token", "GOTRUE_SMS_TWILIO_AUTH_TOKEN"),
    Option("auth.sms.twilio_verify.enabled", None, kinds.boolean),
    Option("auth.sms.twilio_verify.account_sid", "GOTRUE_SMS_TWILIO_VERIFY_ACCOUNT_SID"),
    Option(
        "auth.sms.twilio_verify.message_service_sid",
        "GOTRUE_SMS_TWILIO_VERIFY_MESSAGE_SERVICE_SID",
    ),
    Option("auth.sms.twilio_verify.auth_token", "GOTRUE_SMS_TWILIO_VERIFY_AUTH_TOKEN"),
    Option("auth.sms.messagebird.enabled", None, kinds.boolean),
    Option("auth.sms.messagebird.originator", "GOTRUE_SMS_MESSAGEBIRD_ORIGINATOR"),
    Option("auth.sms.messagebird.access_key", "GOTRUE_SMS_MESSAGEBIRD_ACCESS_KEY"),
    Option("auth.sms.textlocal.enabled", None, kinds.boolean),
    Option("auth.sms.textlocal.sender", "GOTRUE_SMS_TEXTLOCAL_SENDER"),
    Option("auth.sms.textlocal.api_key", "GOTRUE_SMS_TEXTLOCAL_API_KEY"),
    Option("auth.sms.vonage.enabled", None, kinds.boolean),
    Option("auth.sms.vonage.from", "GOTRUE_SMS_VONAGE_FROM"),
    Option("auth.sms.vonage.api_key", "GOTRUE_SMS_VONAGE_API_KEY"),
    Option("auth.sms.vonage.api_secret", "GOTRUE_SMS_VONAGE_API_SECRET"),
    Option("auth.external.*.enabled", "GOTRUE_EXTERNAL_*_ENABLED", kinds.boolean),
    Option("auth.external.*.client_id", "GOTRUE_EXTERNAL_*_CLIENT_ID"),
    Option("auth.external.*.secret", "GOTRUE_EXTERNAL_*_SECRET"),
    Option("auth.external.*.url", "GOTRUE_EXTERNAL_*_URL"),
    Option("auth.external.*.redirect_uri", "GOTRUE_EXTERNAL_*_REDIRECT_URI"),
    Option(
        "auth.external.*.skip_nonce_check", "GOTRUE_EXTERNAL_*_SKIP_NONCE_CHECK", kinds.boolean
    ),
    Option("auth.external.*.email_optional", "GOTRUE_EXTERNAL_*_EMAIL_OPTIONAL", kinds.boolean),
    Option("auth.web3.solana.enabled", "GOTRUE_EXTERNAL_WEB3_SOLANA_ENABLED", kinds.boolean),
    Option("auth.web3.ethereum.enabled", "GOTRUE_EXTERNAL_WEB3_ETHEREUM_ENABLED", kinds.boolean),
    Option("auth.oauth_server.enabled", "GOTRUE_OAUTH_SERVER_ENABLED", kinds.boolean),
    Option("auth.oauth_server.authorization_url_path", "GOTRUE_OAUTH_SERVER_AUTHORIZATION_PATH"),
    Option(
        "auth.oauth_server.allow_dynamic_registration",
        "GOTRUE_OAUTH_SERVER_ALLOW_DYNAMIC_REGISTRATION",
        kinds.boolean,
    ),
)  # fmt: skip

NOT_SERVED = {
    "api.tls": "a proxy in front speaks TLS",
    "auth.anon_key": "keys are those of keys.env in DATA_DIR",
    "auth.external_url": "PUBLIC_URL is the address that people use",
    "auth.jwt_secret": "keys are those of keys.env in DATA_DIR",
    "auth.publishable_key": "keys are those of keys.env in DATA_DIR",
    "auth.secret_key": "keys are those of keys.env in DATA_DIR",
    "auth.service_role_key": "keys are those of keys.env in DATA_DIR",
    "analytics": "there is no log service",
    "compute": "it is of the hosted platform",
    "db.health_timeout": "the database is no container",
    "db.orioledb_version": "the database is PostgreSQL's own engine",
    "db.migrations.checks": "`db advisors` of the Supabase CLI checks a database by its URL",
    "db.network_restrictions": "the database listens on loopback alone",
    "db.pooler": "DATABASE_POOLED_URL names a pooler",
    "db.root_key": "it is made at the first start",
    "db.settings": "they are the hosted database's",
    "db.shadow_port": "`db diff` needs a container",
    "db.ssl_enforcement": "the database listens on loopback alone",
    "edge_runtime": "functions are not served",
    "experimental": "it is of the hosted platform",
    "functions": "functions are not served",
    "inbucket": "mail without SMTP is at /mailbox",
    "local": "the versions of the services are this stack's own",
    "local_smtp": "mail without SMTP is at /mailbox",
    "realtime.ip_version": "the stack listens where BIND_HOST says",
    "realtime.max_header_length": "HTTP_HEAD_BYTES bounds the head of a request",
    "remotes": "they are for hosted projects",
    "storage.analytics": "it is of the hosted platform",
    "storage.vector": "it is of the hosted platform",
    "studio": "there is no studio",
}
"""Tables and keys of the CLI that have no effect here, each with its replacement or reason."""

# Tables that apply only while their `enabled` is true, with its default.
SWITCHED = {
    "auth.captcha": False,
    "auth.email.notification.*": False,
    "auth.email.smtp": True,
    "auth.external.*": False,
    "auth.hook.*": False,
    "auth.sms.messagebird": False,
    "auth.sms.textlocal": False,
    "auth.sms.twilio": False,
    "auth.sms.twilio_verify": False,
    "auth.sms.vonage": False,
    "auth.third_party.*": False,
}
SMS_PROVIDERS = ("twilio", "twilio_verify", "messagebird", "textlocal", "vonage")

NAMES = {
    "auth.email.notification": frozenset({
        "email_changed", "identity_linked", "identity_unlinked", "mfa_factor_enrolled",
        "mfa_factor_unenrolled", "password_changed", "phone_changed",
    }),
    "auth.email.template": frozenset({
        "confirmation", "email_change", "invite", "magic_link", "reauthentication", "recovery",
    }),
    "auth.external": frozenset({
        "apple", "azure", "bitbucket", "discord", "facebook", "figma", "fly", "github", "gitlab",
        "google", "kakao", "keycloak", "linkedin", "linkedin_oidc", "notion", "slack",
        "slack_oidc", "snapchat", "spotify", "twitch", "twitter", "workos", "x", "zoom",
    }),
    "auth.hook": frozenset({
        "after_user_created", "before_user_created", "custom_access_token",
        "mfa_verification_attempt", "password_verification_attempt", "send_email", "send_sms",
    }),
    "auth.third_party": PROVIDERS,
}  # fmt: skip
"""The names that a star may stand for, by the table around it; any name in other tables."""
