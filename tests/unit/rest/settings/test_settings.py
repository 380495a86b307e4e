"""Settings of every source, their refusals, and that they hide their secrets."""

import pytest

from compat_base.values.settings import SettingsError
from rest_compat.process.config_file import parse_config_file
from rest_compat.settings import read_settings


@pytest.mark.parametrize(
    ("name", "value", "problem"),
    [
        ("DB_SCHEMAS", "pg_catalog", "db-schemas does not allow schema: 'pg_catalog'"),
        ("JWT_SECRET", "short", "The JWT secret must be at least 32 characters long."),
        ("OPENAPI_MODE", "x", "Invalid openapi-mode. Check your configuration."),
        ("ADMIN_SERVER_PORT", "3000", "admin-server-port cannot be the same as server-port"),
        ("JWT_AUD", "a:b c", "jwt-aud should be a string or a valid URI"),
        ("JWT_ROLE_CLAIM_KEY", "role", "failed to parse role-claim-key value (role)"),
        ("SERVER_UNIX_SOCKET_MODE", "888", "Invalid server-unix-socket-mode: not an octal"),
    ],
)
def test_wrong_settings_are_refused_in_the_originals_words(name, value, problem):
    with pytest.raises(SettingsError) as raised:
        read_settings({f"PGRST_{name}": value})
    assert raised.value.problems == (problem,)


def test_settings_come_from_file_environment_and_database_in_that_order():
    settings = read_settings(
        {"PGRST_DB_MAX_ROWS": "2", "PGRST_APP_SETTINGS_X": "y"},
        file={"db-max-rows": "1", "db-anon-role": "anon", "max-rows": "9"},
        database={"db_max_rows": "3"},
    )
    assert (settings.max_rows, settings.anon_role) == (3, "anon")
    assert settings.app_settings == (("app.settings.X", "y"),)


@pytest.mark.parametrize(
    ("uri", "is_refused"),
    [
        ("https://example.com:8443/base", False),
        ("http://[::1]:3000", False),
        ("example.com", True),
        ("ftp://example.com", True),
        ("https://example.com?x=1", True),
        ("https://user@example.com", True),
        ("https://example.com:99999", True),
        ("https://example.com/a b", True),
    ],
)
def test_a_proxy_uri_has_a_host_and_nothing_but_a_port_and_a_path(uri, is_refused):
    if is_refused:
        with pytest.raises(SettingsError, match="Malformed proxy uri"):
            read_settings({"PGRST_OPENAPI_SERVER_PROXY_URI": uri})
    else:
        assert read_settings({"PGRST_OPENAPI_SERVER_PROXY_URI": uri}).openapi_proxy == uri


def test_a_function_s_schema_ends_at_the_first_dot():
    settings = read_settings({"PGRST_DB_PRE_REQUEST": "a.b.c", "PGRST_DB_ROOT_SPEC": "root"})
    assert str(settings.pre_request) == "a.b.c"
    assert (settings.pre_request.schema, settings.root_spec.schema) == ("a", "")


def test_a_secret_file_may_hold_any_bytes(tmp_path):
    file = tmp_path / "secret"
    file.write_bytes(bytes(range(128, 168)) + b"\n")
    settings = read_settings({"PGRST_JWT_SECRET": f"@{file}"})
    assert settings.jwt_keys[0].public == bytes(range(128, 168))


def test_a_bare_word_in_an_app_setting_tells_what_it_was():
    text = "app.settings.a = false\napp.settings.b = 13\nserver-port = 3001\n"
    assert parse_config_file(text, {}) == {
        "app.settings.a": "Bool False",
        "app.settings.b": "Number 13.0",
        "server-port": "3001",
    }


def test_secrets_are_not_shown():
    secret = "x" * 32
    assert secret not in repr(read_settings({"PGRST_JWT_SECRET": secret, "PGRST_DB_URI": secret}))
