"""The table of config.toml's keys: which variable of a service each is, one row a key.

A `*` in a key stands for a name, which is put into the variable in capitals. A key that is in no
row is unknown, and said to be; one of `NOT_SERVED` is known and means nothing here.
"""

from __future__ import annotations

from dataclasses import dataclass

from compat_stack.project import kinds
from compat_stack.project.kinds import Kind
from compat_stack.project.third_party import PROVIDERS


@dataclass(frozen=True, slots=True)
class Row:
    """A key, the variable that it sets (none: read by `config` itself), and how it is read.

    `default` is what the CLI takes where the key is not there; None leaves it to the stack.
    """

    key: str
    variable: str | None
    kind: Kind = kinds.text
    default: str | None = None


ROWS = (
    Row("project_id", None),
    Row("api.enabled", None, kinds.boolean),
    Row("api.port", "PORT", kinds.port, "54321"),
    Row("api.schemas", "PGRST_DB_SCHEMAS", kinds.words, "public,graphql_public"),
    Row("api.extra_search_path", "PGRST_DB_EXTRA_SEARCH_PATH", kinds.words, "public,extensions"),
    Row("api.max_rows", "PGRST_DB_MAX_ROWS", kinds.integer, "1000"),
    Row("api.external_url", "PUBLIC_URL"),
    Row("api.auto_expose_new_tables", None, kinds.boolean),
    Row("db.port", "DATABASE_PORT", kinds.port, "54322"),
    Row("db.major_version", None, kinds.integer),
    Row("db.migrations.enabled", None, kinds.boolean),
    Row("db.vault.*", None),
    Row("db.seed.enabled", None, kinds.boolean),
    Row("db.seed.sql_paths", None, kinds.words),
    Row("realtime.enabled", None, kinds.boolean),
    Row("storage.enabled", None, kinds.boolean),
    Row("storage.file_size_limit", "UPLOAD_FILE_SIZE_LIMIT", kinds.size, "52428800"),
    Row("storage.image_transformation.enabled", "IMAGE_TRANSFORMATION_ENABLED", kinds.boolean),
    Row("storage.s3_protocol.enabled", "S3_PROTOCOL_ENABLED", kinds.boolean),
    Row("storage.buckets.*.public", None, kinds.boolean),
    Row("storage.buckets.*.file_size_limit", None, kinds.size),
    Row("storage.buckets.*.allowed_mime_types", None, kinds.words),
    Row("storage.buckets.*.objects_path", None),
    Row("auth.enabled", None, kinds.boolean),
    Row("auth.site_url", "GOTRUE_SITE_URL", kinds.text, "http://127.0.0.1:3000"),
    Row(
        "auth.additional_redirect_urls",
        "GOTRUE_URI_ALLOW_LIST",
        kinds.words,
        "https://127.0.0.1:3000",
    ),
    Row("auth.jwt_expiry", "GOTRUE_JWT_EXP", kinds.integer, "3600"),
    Row("auth.jwt_issuer", "GOTRUE_JWT_ISSUER"),
    Row("auth.signing_keys_path", None),
    Row("auth.third_party.*.enabled", None, kinds.boolean),
    Row("auth.third_party.firebase.project_id", None),
    Row("auth.third_party.auth0.tenant", None),
    Row("auth.third_party.auth0.tenant_region", None),
    Row("auth.third_party.aws_cognito.user_pool_id", None),
    Row("auth.third_party.aws_cognito.user_pool_region", None),
    Row("auth.third_party.clerk.domain", None),
    Row("auth.third_party.workos.issuer_url", None),
    Row(
        "auth.enable_refresh_token_rotation",
        "GOTRUE_SECURITY_REFRESH_TOKEN_ROTATION_ENABLED",
        kinds.boolean,
        "true",
    ),
    Row(
        "auth.refresh_token_reuse_interval",
        "GOTRUE_SECURITY_REFRESH_TOKEN_REUSE_INTERVAL",
        kinds.integer,
        "10",
    ),
    Row("auth.enable_signup", "GOTRUE_DISABLE_SIGNUP", kinds.negated, "false"),
    Row(
        "auth.enable_anonymous_sign_ins",
        "GOTRUE_EXTERNAL_ANONYMOUS_USERS_ENABLED",
        kinds.boolean,
        "false",
    ),
    Row(
        "auth.enable_manual_linking",
        "GOTRUE_SECURITY_MANUAL_LINKING_ENABLED",
        kinds.boolean,
        "false",
    ),
    Row("auth.minimum_password_length", "GOTRUE_PASSWORD_MIN_LENGTH", kinds.integer, "6"),
    Row("auth.password_requirements", "GOTRUE_PASSWORD_REQUIRED_CHARACTERS", kinds.requirements),
    Row("auth.passkey.enabled", "GOTRUE_PASSKEY_ENABLED", kinds.boolean),
    Row("auth.webauthn.rp_display_name", "GOTRUE_WEBAUTHN_RP_DISPLAY_NAME"),
    Row("auth.webauthn.rp_id", "GOTRUE_WEBAUTHN_RP_ID"),
    Row("auth.webauthn.rp_origins", "GOTRUE_WEBAUTHN_RP_ORIGINS", kinds.words),
    Row("auth.rate_limit.email_sent", None, kinds.integer),  # counts with SMTP alone
    Row("auth.rate_limit.sms_sent", "GOTRUE_RATE_LIMIT_SMS_SENT", kinds.integer),
    Row("auth.rate_limit.anonymous_users", "GOTRUE_RATE_LIMIT_ANONYMOUS_USERS", kinds.integer),
    Row("auth.rate_limit.token_refresh", "GOTRUE_RATE_LIMIT_TOKEN_REFRESH", kinds.integer),
    Row("auth.rate_limit.sign_in_sign_ups", "GOTRUE_RATE_LIMIT_OTP", kinds.integer),
    Row("auth.rate_limit.token_verifications", "GOTRUE_RATE_LIMIT_VERIFY", kinds.integer),
    Row("auth.rate_limit.web3", "GOTRUE_RATE_LIMIT_WEB3", kinds.integer),
    Row("auth.captcha.enabled", "GOTRUE_SECURITY_CAPTCHA_ENABLED", kinds.boolean),
    Row(
        "auth.captcha.provider",
        "GOTRUE_SECURITY_CAPTCHA_PROVIDER",
        kinds.choice("hcaptcha", "turnstile"),
    ),
    Row("auth.captcha.secret", "GOTRUE_SECURITY_CAPTCHA_SECRET"),
    Row("auth.hook.*.enabled", "GOTRUE_HOOK_*_ENABLED", kinds.boolean),
    Row("auth.hook.*.uri", "GOTRUE_HOOK_*_URI"),
    Row("auth.hook.*.secrets", "GOTRUE_HOOK_*_SECRETS"),
    Row("auth.mfa.max_enrolled_factors", "GOTRUE_MFA_MAX_ENROLLED_FACTORS", kinds.integer, "10"),
    Row("auth.mfa.totp.enroll_enabled", "GOTRUE_MFA_TOTP_ENROLL_ENABLED", kinds.boolean, "false"),
    Row("auth.mfa.totp.verify_enabled", "GOTRUE_MFA_TOTP_VERIFY_ENABLED", kinds.boolean, "false"),
    Row("auth.mfa.phone.enroll_enabled", "GOTRUE_MFA_PHONE_ENROLL_ENABLED", kinds.boolean),
    Row("auth.mfa.phone.verify_enabled", "GOTRUE_MFA_PHONE_VERIFY_ENABLED", kinds.boolean),
    Row("auth.mfa.phone.otp_length", "GOTRUE_MFA_PHONE_OTP_LENGTH", kinds.integer),
    Row("auth.mfa.phone.template", "GOTRUE_MFA_PHONE_TEMPLATE"),
    Row("auth.mfa.phone.max_frequency", "GOTRUE_MFA_PHONE_MAX_FREQUENCY", kinds.duration),
    Row("auth.mfa.web_authn.enroll_enabled", "GOTRUE_MFA_WEB_AUTHN_ENROLL_ENABLED", kinds.boolean),
    Row("auth.mfa.web_authn.verify_enabled", "GOTRUE_MFA_WEB_AUTHN_VERIFY_ENABLED", kinds.boolean),
    Row("auth.sessions.timebox", "GOTRUE_SESSIONS_TIMEBOX", kinds.limit),
    Row("auth.sessions.inactivity_timeout", "GOTRUE_SESSIONS_INACTIVITY_TIMEOUT", kinds.limit),
    Row("auth.email.enable_signup", "GOTRUE_EXTERNAL_EMAIL_ENABLED", kinds.boolean, "true"),
    Row("auth.email.enabled", "GOTRUE_EXTERNAL_EMAIL_ENABLED", kinds.boolean),
    Row(
        "auth.email.double_confirm_changes",
        "GOTRUE_MAILER_SECURE_EMAIL_CHANGE_ENABLED",
        kinds.boolean,
        "true",
    ),
    Row("auth.email.enable_confirmations", "GOTRUE_MAILER_AUTOCONFIRM", kinds.negated, "true"),
    Row(
        "auth.email.secure_password_change",
        "GOTRUE_SECURITY_UPDATE_PASSWORD_REQUIRE_REAUTHENTICATION",
        kinds.boolean,
    ),
    Row(
        "auth.email.require_current_password",
        "GOTRUE_SECURITY_UPDATE_PASSWORD_REQUIRE_CURRENT_PASSWORD",
        kinds.boolean,
    ),
    Row("auth.email.max_frequency", "GOTRUE_SMTP_MAX_FREQUENCY", kinds.duration, "1s"),
    Row("auth.email.otp_length", "GOTRUE_MAILER_OTP_LENGTH", kinds.integer, "6"),
    Row("auth.email.otp_expiry", "GOTRUE_MAILER_OTP_EXP", kinds.integer, "3600"),
    Row("auth.email.smtp.enabled", None, kinds.boolean),
    Row("auth.email.smtp.host", "GOTRUE_SMTP_HOST"),
    Row("auth.email.smtp.port", "GOTRUE_SMTP_PORT", kinds.port),
    Row("auth.email.smtp.user", "GOTRUE_SMTP_USER"),
    Row("auth.email.smtp.pass", "GOTRUE_SMTP_PASS"),
    Row("auth.email.smtp.admin_email", "GOTRUE_SMTP_ADMIN_EMAIL"),
    Row("auth.email.smtp.sender_name", "GOTRUE_SMTP_SENDER_NAME"),
    Row("auth.email.template.*.subject", "GOTRUE_MAILER_SUBJECTS_*"),
    Row("auth.email.template.*.content_path", "GOTRUE_MAILER_TEMPLATES_*"),
    Row(
        "auth.email.notification.*.enabled",
        "GOTRUE_MAILER_NOTIFICATIONS_*_ENABLED",
        kinds.boolean,
    ),
    Row("auth.email.notification.*.subject", "GOTRUE_MAILER_SUBJECTS_*_NOTIFICATION"),
    Row("auth.email.notification.*.content_path", "GOTRUE_MAILER_TEMPLATES_*_NOTIFICATION"),
    Row("auth.sms.enable_signup", "GOTRUE_EXTERNAL_PHONE_ENABLED", kinds.boolean, "false"),
    Row("auth.sms.enabled", "GOTRUE_EXTERNAL_PHONE_ENABLED", kinds.boolean),
    Row("auth.sms.enable_confirmations", "GOTRUE_SMS_AUTOCONFIRM", kinds.negated, "true"),
    Row("auth.sms.template", "GOTRUE_SMS_TEMPLATE"),
    Row("auth.sms.max_frequency", "GOTRUE_SMS_MAX_FREQUENCY", kinds.duration, "5s"),
    Row("auth.sms.test_otp.*", None),
    Row("auth.sms.twilio.enabled", None, kinds.boolean),
    Row("auth.sms.twilio.account_sid", "GOTRUE_SMS_TWILIO_ACCOUNT_SID"),
    Row("auth.sms.twilio.message_service_sid", "GOTRUE_SMS_TWILIO_MESSAGE_SERVICE_SID"),
    Row("auth.sms.twilio.auth_token", "GOTRUE_SMS_TWILIO_AUTH_TOKEN"),
    Row("auth.sms.twilio_verify.enabled", None, kinds.boolean),
    Row("auth.sms.twilio_verify.account_sid", "GOTRUE_SMS_TWILIO_VERIFY_ACCOUNT_SID"),
    Row(
        "auth.sms.twilio_verify.message_service_sid",
        "GOTRUE_SMS_TWILIO_VERIFY_MESSAGE_SERVICE_SID",
    ),
    Row("auth.sms.twilio_verify.auth_token", "GOTRUE_SMS_TWILIO_VERIFY_AUTH_TOKEN"),
    Row("auth.sms.messagebird.enabled", None, kinds.boolean),
    Row("auth.sms.messagebird.originator", "GOTRUE_SMS_MESSAGEBIRD_ORIGINATOR"),
    Row("auth.sms.messagebird.access_key", "GOTRUE_SMS_MESSAGEBIRD_ACCESS_KEY"),
    Row("auth.sms.textlocal.enabled", None, kinds.boolean),
    Row("auth.sms.textlocal.sender", "GOTRUE_SMS_TEXTLOCAL_SENDER"),
    Row("auth.sms.textlocal.api_key", "GOTRUE_SMS_TEXTLOCAL_API_KEY"),
    Row("auth.sms.vonage.enabled", None, kinds.boolean),
    Row("auth.sms.vonage.from", "GOTRUE_SMS_VONAGE_FROM"),
    Row("auth.sms.vonage.api_key", "GOTRUE_SMS_VONAGE_API_KEY"),
    Row("auth.sms.vonage.api_secret", "GOTRUE_SMS_VONAGE_API_SECRET"),
    Row("auth.external.*.enabled", "GOTRUE_EXTERNAL_*_ENABLED", kinds.boolean),
    Row("auth.external.*.client_id", "GOTRUE_EXTERNAL_*_CLIENT_ID"),
    Row("auth.external.*.secret", "GOTRUE_EXTERNAL_*_SECRET"),
    Row("auth.external.*.url", "GOTRUE_EXTERNAL_*_URL"),
    Row("auth.external.*.redirect_uri", "GOTRUE_EXTERNAL_*_REDIRECT_URI"),
    Row(
        "auth.external.*.skip_nonce_check", "GOTRUE_EXTERNAL_*_SKIP_NONCE_CHECK", kinds.boolean
    ),
    Row("auth.external.*.email_optional", "GOTRUE_EXTERNAL_*_EMAIL_OPTIONAL", kinds.boolean),
    Row("auth.web3.solana.enabled", "GOTRUE_EXTERNAL_WEB3_SOLANA_ENABLED", kinds.boolean),
    Row("auth.web3.ethereum.enabled", "GOTRUE_EXTERNAL_WEB3_ETHEREUM_ENABLED", kinds.boolean),
    Row("auth.oauth_server.enabled", "GOTRUE_OAUTH_SERVER_ENABLED", kinds.boolean),
    Row("auth.oauth_server.authorization_url_path", "GOTRUE_OAUTH_SERVER_AUTHORIZATION_PATH"),
    Row(
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
    "db.health_timeout": "the database is no container",
    "db.migrations.schema_paths": "they are what `db diff` compares with",
    "db.orioledb_version": "the database is PostgreSQL's own engine",
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
    "local_smtp": "mail without SMTP is at /mailbox",
    "realtime.ip_version": "the stack listens where BIND_HOST says",
    "realtime.max_header_length": "HTTP_HEAD_BYTES bounds the head of a request",
    "remotes": "they are for hosted projects",
    "storage.analytics": "it is of the hosted platform",
    "storage.vector": "it is of the hosted platform",
    "studio": "there is no studio",
}
"""Tables and keys of the CLI's that mean nothing here, each with what there is instead."""

# Tables that count only where their `enabled` says so, and what it is where it is not there.
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
"""What a star may stand for; where it is in none of these, any name."""
