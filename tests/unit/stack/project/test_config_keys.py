"""config.toml as variables of the services, and what is said of what it gets wrong."""

from __future__ import annotations

import pytest

from compat_base.values.settings import SettingsError
from compat_stack.project import kinds
from compat_stack.project.config import Bucket, Config, read_config
from compat_stack.project.keys import NOT_SERVED, OPTIONS


def read(text: str, **environment: str) -> Config:
    return read_config(text, environment, "supabase/config.toml", "folder")


def refused(text: str) -> tuple[str, ...]:
    with pytest.raises(SettingsError) as caught:
        read(text)
    return caught.value.problems


def test_an_empty_file_means_what_the_cli_takes_it_for():
    config = read("")
    assert config.project_id == "folder"
    assert config.variables["PORT"] == "54321"
    assert config.variables["DATABASE_PORT"] == "54322"
    assert config.variables["GOTRUE_MAILER_AUTOCONFIRM"] == "true"
    assert config.variables["GOTRUE_SITE_URL"] == "http://127.0.0.1:3000"
    assert config.variables["PGRST_DB_SCHEMAS"] == "public,graphql_public"
    assert config.seeds == ("seed.sql",)
    assert config.remarks == ()


TWILIO = """
[auth.sms.twilio]
enabled = true
account_sid = "AC"
message_service_sid = "MG"
auth_token = "token"
content_sid = "HX1"
"""


@pytest.mark.parametrize(
    ("text", "variable", "value"),
    [
        ('[api]\nschemas = ["public", "shop"]', "PGRST_DB_SCHEMAS", "public,shop"),
        ("[api]\nmax_rows = 50", "PGRST_DB_MAX_ROWS", "50"),
        ("[db]\nport = 55432", "DATABASE_PORT", "55432"),
        ("[auth]\nenable_signup = false", "GOTRUE_DISABLE_SIGNUP", "true"),
        ("[auth]\njwt_expiry = 60", "GOTRUE_JWT_EXP", "60"),
        ("[auth.email]\nenable_confirmations = true", "GOTRUE_MAILER_AUTOCONFIRM", "false"),
        ('[auth.email]\nmax_frequency = "1m0s"', "GOTRUE_SMTP_MAX_FREQUENCY", "1m0s"),
        ('[auth.sms.test_otp]\n4152127777 = "123456"', "GOTRUE_SMS_TEST_OTP", "4152127777:123456"),
        ("[auth.sms]\notp_length = 8", "GOTRUE_SMS_OTP_LENGTH", "8"),
        ("[auth.sms]\notp_expiry = 300", "GOTRUE_SMS_OTP_EXP", "300"),
        (
            TWILIO,
            "GOTRUE_SMS_TWILIO_CONTENT_SID",
            "HX1",
        ),
        ('[auth.email.template.invite]\nsubject = "Hi"', "GOTRUE_MAILER_SUBJECTS_INVITE", "Hi"),
        ('[storage]\nfile_size_limit = "5MB"', "UPLOAD_FILE_SIZE_LIMIT", "5242880"),
        ("[auth.mfa.totp]\nenroll_enabled = true", "GOTRUE_MFA_TOTP_ENROLL_ENABLED", "true"),
        ('auth = { site_url = "https://a.b" }', "GOTRUE_SITE_URL", "https://a.b"),
        (
            '[auth.hook.send_email]\nenabled = true\nuri = "http://a"',
            "GOTRUE_HOOK_SEND_EMAIL_URI",
            "http://a",
        ),
    ],
)
def test_a_key_is_a_variable(text: str, variable: str, value: str):
    assert read(text).variables[variable] == value


def test_the_password_sets_are_those_that_the_auth_service_reads():
    variables = read('[auth]\npassword_requirements = "lower_upper_letters_digits"').variables
    sets = variables["GOTRUE_PASSWORD_REQUIRED_CHARACTERS"].split(":")
    assert [each[0] for each in sets] == ["a", "A", "0"]


@pytest.mark.parametrize("option", OPTIONS, ids=lambda option: option.key)
def test_every_option_has_a_kind_that_refuses_a_table(option):
    with pytest.raises(ValueError, match=r"\w"):
        option.kind({"a": 1})


def test_no_key_is_both_served_and_not():
    keys = {option.key for option in OPTIONS}
    assert keys.isdisjoint(NOT_SERVED)


def test_a_provider_has_what_env_names():
    text = '[auth.external.github]\nenabled = true\nclient_id = "env(ID)"\nsecret = "env(SECRET)"'
    variables = read(text, ID="me", SECRET="hush").variables
    assert variables["GOTRUE_EXTERNAL_GITHUB_CLIENT_ID"] == "me"
    assert variables["GOTRUE_EXTERNAL_GITHUB_SECRET"] == "hush"
    assert variables["GOTRUE_EXTERNAL_GITHUB_ENABLED"] == "true"


def test_a_missing_variable_leaves_its_table_off_and_is_said_with_its_line():
    text = '[auth.external.github]\nenabled = true\nclient_id = "a"\nsecret = "env(SECRET)"'
    config = read(text)
    assert config.variables["GOTRUE_EXTERNAL_GITHUB_ENABLED"] == "false"
    assert "GOTRUE_EXTERNAL_GITHUB_CLIENT_ID" not in config.variables
    assert config.remarks == (
        "supabase/config.toml:4: env(SECRET) is not set, in .env neither: [auth.external.github] is left off",
    )


def test_a_missing_variable_of_what_is_off_is_no_remark():
    text = '[auth.external.apple]\nenabled = false\nsecret = "env(SECRET)"\n[studio]\nopenai_api_key = "env(KEY)"'
    assert read(text).remarks == ()


def test_an_unknown_key_is_named():
    config = read(
        "[api]\nport = 1\nprot = 2\n[auth.external.myspace]\nenabled = true\n[colour]\na = 1"
    )
    assert config.remarks == (
        "supabase/config.toml:3: api.prot is no key that is known here, and is not read",
        "supabase/config.toml:5: auth.external.myspace.enabled is no key that is known here, and is not read",
        "supabase/config.toml:7: colour.a is no key that is known here, and is not read",
    )


def test_what_is_not_served_is_told_apart_from_what_is_unknown():
    config = read("[edge_runtime]\nenabled = true\n[functions.hello]\nverify_jwt = false")
    assert config.remarks == ()
    assert config.not_served == (
        "[edge_runtime]: functions are not served",
        "[functions]: functions are not served",
    )


def test_what_the_cli_knows_beside_its_own_file_is_told_apart_from_what_is_unknown():
    config = read(
        '[db.migrations.checks.policy_exists_rls_disabled]\nlevel = "off"\n'
        '[local.services.auth]\nversion = "bundled"\n[compute.api]\nexposure = "public"'
    )
    assert config.remarks == ()
    assert [each.split(":")[0] for each in config.not_served] == [
        "[db.migrations.checks]",
        "[local]",
        "[compute]",
    ]


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("[api\n", "supabase/config.toml:1: "),
        ("a = 1\na = 2", "supabase/config.toml:2: "),
        (
            '[api]\n\nmax_rows = "many"',
            "supabase/config.toml:3: api.max_rows must be a whole number",
        ),
        ("[db]\nport = 70000", "supabase/config.toml:2: db.port must be a port from 1 to 65535"),
        ('[auth]\nenable_signup = "perhaps"', "auth.enable_signup must be true or false"),
        ('[storage]\nfile_size_limit = "big"', 'must be a size such as "50MiB"'),
        ("[api]\nschemas = [1]", "api.schemas must be a list of strings"),
        ('[auth]\npassword_requirements = "strong"', "must be one of nothing, letters_digits"),
    ],
)
def test_what_is_wrong_is_one_sentence_with_its_line(text: str, sentence: str):
    problems = refused(text)
    assert len(problems) == 1
    assert sentence in problems[0]


def test_every_problem_is_told_at_once():
    assert len(refused('[api]\nmax_rows = "x"\nport = "y"')) == 2


def test_a_variable_of_the_clis_name_wins_over_the_file():
    assert (
        read("[api]\nmax_rows = 5", SUPABASE_API_MAX_ROWS="7").variables["PGRST_DB_MAX_ROWS"] == "7"
    )


def test_mail_leaves_the_machine_only_by_a_server_that_is_on():
    smtp = '[auth.rate_limit]\nemail_sent = 9\n[auth.email.smtp]\nhost = "mail"\nenabled = {}'
    on, off = read(smtp.format("true")).variables, read(smtp.format("false")).variables
    assert (on["GOTRUE_SMTP_HOST"], on["GOTRUE_RATE_LIMIT_EMAIL_SENT"]) == ("mail", "9")
    assert "GOTRUE_SMTP_HOST" not in off
    assert off["GOTRUE_RATE_LIMIT_EMAIL_SENT"] == "360000"


def test_phones_need_somebody_who_sends():
    alone = read("[auth.sms]\nenable_signup = true")
    assert alone.variables["GOTRUE_EXTERNAL_PHONE_ENABLED"] == "false"
    assert "sign-in by phone is left off" in alone.remarks[0]
    coded = read('[auth.sms]\nenable_signup = true\n[auth.sms.test_otp]\n34600000001 = "123456"')
    assert coded.variables["GOTRUE_EXTERNAL_PHONE_ENABLED"] == "true"


def test_secrets_of_the_vault_are_read_and_one_that_nobody_set_is_said():
    config = read('[db.vault]\nkey = "env(KEY)"\nother = "plain"\ngone = "env(GONE)"', KEY="k")
    assert config.secrets == (("key", "k"), ("other", "plain"))
    assert "env(GONE) is not set" in config.remarks[0]


def test_the_hosted_version_is_the_clis_where_the_file_does_not_say():
    assert read("").major_version == 17
    assert read("[db]\nmajor_version = 15").major_version == 15


def test_passkeys_without_a_site_are_left_off_and_said_with_their_line():
    text = '[auth.passkey]\nenabled = true\n[auth.webauthn]\nrp_id = "env(HOST)"\n'
    text += 'rp_display_name = "a"\nrp_origins = ["https://a.example"]'
    without = read(text)
    assert without.variables["GOTRUE_PASSKEY_ENABLED"] == "false"
    assert any(":2: [auth.webauthn] lacks" in line for line in without.remarks)
    assert read(text, HOST="a.example").variables["GOTRUE_PASSKEY_ENABLED"] == "true"


@pytest.mark.parametrize("key", ["enabled", "enable_signup"])
def test_the_email_provider_has_an_old_and_a_new_name(key: str):
    config = read(f"[auth.email]\n{key} = false")
    assert config.variables["GOTRUE_EXTERNAL_EMAIL_ENABLED"] == "false"


def test_buckets_are_read_with_their_limits():
    text = (
        '[storage.buckets.images]\npublic = true\nfile_size_limit = "1KiB"\n'
        'allowed_mime_types = ["image/png"]\n[storage.buckets.bare]\n'
    )
    assert read(text).buckets == (
        Bucket("images", True, 1024, ("image/png",), None),
        Bucket("bare", False, None, None, None),
    )


def test_services_and_steps_are_switched_off():
    config = read(
        "[realtime]\nenabled = false\n[db.seed]\nenabled = false\n[db.migrations]\nenabled = false"
    )
    assert config.switched_off == {"realtime"}
    assert config.seeds == ()
    assert not config.applies_migrations


@pytest.mark.parametrize(
    ("given", "size"), [("50MiB", 52428800), ("1GB", 1 << 30), ("10kb", 10240), (7, 7)]
)
def test_sizes_are_powers_of_1024(given: object, size: int):
    assert kinds.size(given) == str(size)


def test_a_limit_of_nothing_is_none():
    assert [kinds.limit(text) for text in ("0s", "0h0m", "24h")] == ["", "", "24h"]


def test_redirect_addresses_that_match_nothing_are_left_out_and_said_with_their_line():
    config = read(
        '[auth]\nadditional_redirect_urls = ["env(WEB)/callback", "https://a.example/**", "**"]'
    )
    assert config.variables["GOTRUE_URI_ALLOW_LIST"] == "https://a.example/**,**"
    remark = "'env(WEB)/callback' has no scheme, matches no address and is left out"
    assert config.remarks == (f"supabase/config.toml:2: {remark}",)
