"""The stack's settings, keys file and the services' variables."""

from __future__ import annotations

import shlex
import stat
import subprocess
from dataclasses import dataclass, replace
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from cryptography.hazmat.primitives.asymmetric import rsa
from jwt.algorithms import RSAAlgorithm

from compat_base.values import jsontext
from compat_base.values.jwt import check_signature, keys_from_json, secret_key, sign, unpack
from compat_base.values.settings import SettingsError
from compat_base.values.world import real_world
from compat_stack.keys.installation import load_keys, parse_env, save_keys
from compat_stack.process.failures import explain
from compat_stack.services.manifest import AUTH, REALTIME, REST, SERVICES
from compat_stack.services.roles import role_password, role_url
from compat_stack.services.service import Deployment, variables_of
from compat_stack.settings import Settings, lacks_proxy, read_record, read_settings, rows, setting
from tests.architecture.tables import setting_rows

DEPLOYMENT = Deployment("http://127.0.0.1:54321", "postgresql://postgres@/postgres?host=/s", None)


@dataclass(frozen=True, slots=True)
class MoreSettings(Settings):
    """The stack's settings and one more row."""

    greeting: int = setting(
        "GREETING", lambda reader, name: reader.integer(name, 7), "`7`", "how often it greets"
    )


def test_a_setting_is_one_row_that_is_read_and_documented():
    assert read_record(MoreSettings, {}).greeting == 7
    assert read_record(MoreSettings, {"GREETING": "3", "PORT": "1"}).greeting == 3
    with pytest.raises(SettingsError, match="GREETING must be a whole number"):
        read_record(MoreSettings, {"GREETING": "hi"})
    assert ("`GREETING`", "`7`", "how often it greets") in setting_rows(MoreSettings)
    assert rows(MoreSettings).keys() - rows().keys() == {"greeting"}


def test_nothing_set_listens_on_loopback_with_the_embedded_database():
    settings = read_settings({})
    assert (settings.host, settings.port, settings.database_url) == ("127.0.0.1", 54321, None)
    assert settings.url(54321) == "http://127.0.0.1:54321"


@pytest.mark.parametrize(
    ("values", "problem"),
    [
        ({"PORT": "http"}, "PORT must be a whole number"),
        ({"HTTP_HEAD_BYTES": "10"}, "HTTP_HEAD_BYTES must be at least 1024"),
        ({"PORT": "70000"}, "PORT must be at most 65535"),
        (
            {"TRUSTED_PROXIES": "10.0.0.1,proxy"},
            "TRUSTED_PROXIES must list addresses and ranges such as 10.0.0.0/8, and proxy is neither",
        ),
        (
            {"TRUSTED_PROXIES": "10.0.0.1,0.0.0.0/0"},
            "TRUSTED_PROXIES must not have 0.0.0.0/0: every caller could name another address",
        ),
        ({"DATABASE_URL": "mysql://x"}, "DATABASE_URL must start with postgresql://"),
        (
            {"DATABASE_POOLED_URL": "postgresql://pooler/db"},
            "DATABASE_POOLED_URL needs DATABASE_URL, the server itself, beside it",
        ),
        (
            {"DATABASE_READ_URL": "postgresql://replica/db"},
            "DATABASE_READ_URL needs DATABASE_URL, the server itself, beside it",
        ),
        ({"PUBLIC_URL": "planes"}, "PUBLIC_URL must be an address such as https://planes.example"),
        (
            {"PUBLIC_URL": "https://planes.example\\@evil.example"},
            "PUBLIC_URL must be an address such as https://planes.example",
        ),
        (
            {"PUBLIC_URL": "https://planes.example?x"},
            "PUBLIC_URL must be an address such as https://planes.example",
        ),
        (
            {"PUBLIC_URL": "https://u@planes.example"},
            "PUBLIC_URL must be an address such as https://planes.example",
        ),
        (
            {"LOG_LEVEL": "loud"},
            "LOG_LEVEL must be one of debug, info, warning, error, critical",
        ),
    ],
)
def test_a_wrong_setting_is_one_clear_sentence(values: dict[str, str], problem: str):
    with pytest.raises(SettingsError) as raised:
        read_settings(values)
    assert explain(raised.value) == (problem,)


def test_rest_asks_the_replica_as_its_own_role(tmp_path):
    deployment = Deployment("http://h", "postgresql://owner@server:1/db", b"secret")
    urls = {
        "DATABASE_URL": deployment.database_url,
        "DATABASE_READ_URL": "postgresql://replica:2/db",
    }
    keys = load_keys(tmp_path, real_world())
    rest = variables_of(REST, read_settings(urls), deployment, keys)
    uri = urlsplit(rest["PGRST_DB_READ_URI"])
    assert (uri.username, uri.hostname, uri.port) == ("authenticator", "replica", 2)
    assert uri.password == urlsplit(rest["PGRST_DB_URI"]).password


def test_auth_and_rest_alone_use_the_pooler(tmp_path):
    deployment = Deployment("http://h", "postgresql://owner@server:1/db", b"secret")
    urls = {
        "DATABASE_URL": deployment.database_url,
        "DATABASE_POOLED_URL": "postgresql://pooler:2/db",
    }
    keys = load_keys(tmp_path, real_world())
    auth, rest, realtime = (
        variables_of(service, read_settings(urls), deployment, keys)
        for service in (AUTH, REST, REALTIME)
    )
    shown = {
        "auth": auth["DATABASE_URL"],
        "rest": rest["PGRST_DB_URI"],
        "notifications": rest["PGRST_DB_LISTEN_URI"],
        "realtime": realtime["DATABASE_URL"],
    }
    assert {name: url.rpartition("@")[2] for name, url in shown.items()} == {
        "auth": "pooler:2/db",
        "rest": "pooler:2/db",
        "notifications": "server:1/db",
        "realtime": "server:1/db",
    }
    assert rest["PGRST_DB_PREPARED_STATEMENTS"] == "false"


def test_every_address_is_shown_as_one_that_can_be_opened():
    assert read_settings({"BIND_HOST": "0.0.0.0"}).url(80) == "http://127.0.0.1:80"
    assert read_settings({"BIND_HOST": "::1"}).url(80) == "http://[::1]:80"


def test_the_public_address_is_kept_as_browsers_write_it():
    assert read_settings({"PUBLIC_URL": "HTTPS://Planes.Example:443/"}).url(1) == (
        "https://planes.example"
    )


def test_keys_are_made_once_and_read_ever_after(tmp_path):
    made = load_keys(tmp_path, real_world())
    save_keys(tmp_path, made, url=DEPLOYMENT.url, database_url=DEPLOYMENT.database_url)
    again = load_keys(tmp_path, real_world())
    assert (again.anon, again.secret, again.signing_keys, again.vapid) == (
        made.anon, made.secret, made.signing_keys, made.vapid,
    )  # fmt: skip


def test_key_files_are_private(tmp_path):
    save_keys(tmp_path, load_keys(tmp_path, real_world()), url="http://x", database_url="y")
    modes = {path.name: stat.S_IMODE(path.stat().st_mode) for path in tmp_path.iterdir()}
    assert modes == {"keys.env": 0o600, "signing_keys.json": 0o600, "vapid_key.json": 0o600}


def test_a_shell_reads_the_keys_file(tmp_path):
    keys = load_keys(tmp_path, real_world())
    path = save_keys(tmp_path, keys, url="http://x", database_url="postgresql://a@/b?host=/c d'e")
    script = f'. {shlex.quote(str(path))}; printf %s "$DATABASE_URL"'
    done = subprocess.run(["sh", "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout == "postgresql://a@/b?host=/c d'e"
    assert parse_env(path.read_text())["DATABASE_URL"] == done.stdout


@pytest.mark.parametrize(
    ("external_url", "environment", "url"),
    [
        ("http://localhost:54321", {}, "http://localhost:54321"),
        ("http://localhost:54321", {"PORT": "54321"}, "http://localhost:54321"),
        ("http://localhost:54321", {"PORT": "55000"}, "http://127.0.0.1:55000"),
        ("http://[::1]:54321/", {"PORT": "55000"}, "http://127.0.0.1:55000"),
        ("http://127.0.0.1:8080", {"PORT": "55000"}, "http://127.0.0.1:8080"),
        ("https://tunnel.example", {"PORT": "55000"}, "https://tunnel.example"),
        (
            "http://localhost:54321",
            {"PORT": "55000", "PUBLIC_URL": "http://localhost:54321"},
            "http://localhost:54321",
        ),
    ],
)
def test_links_of_a_project_lead_to_the_port_that_it_is_started_at(
    external_url: str, environment: dict[str, str], url: str, tmp_path: Path
):
    (tmp_path / "config.toml").write_text(f'[api]\nexternal_url = "{external_url}"\n')
    settings = read_settings({"SUPABASE_DIR": str(tmp_path), **environment})
    assert settings.url(settings.port) == url


def test_what_is_wrong_with_the_stacks_own_setting_has_its_line_of_the_file(tmp_path: Path):
    (tmp_path / "config.toml").write_text('[api]\nexternal_url = "localhost"\n')
    with pytest.raises(SettingsError, match=r"config\.toml:2: api\.external_url: PUBLIC_URL must"):
        read_settings({"SUPABASE_DIR": str(tmp_path)})
    with pytest.raises(SettingsError, match=r"^PUBLIC_URL must"):
        read_settings({"SUPABASE_DIR": str(tmp_path), "PUBLIC_URL": "nowhere"})


def test_an_external_url_of_another_port_is_said_with_its_line(tmp_path: Path):
    (tmp_path / "config.toml").write_text('[api]\nexternal_url = "http://localhost:54321"\n')
    project = read_settings({"SUPABASE_DIR": str(tmp_path), "PORT": "0"}).project
    assert project is not None
    assert [line.rpartition("config.toml")[2] for line in project.remarks] == [
        ":2: api.external_url is passed over, because PORT is 0"
    ]


def test_a_projects_own_secret_and_keys_are_kept_and_the_others_made(tmp_path):
    own = sign({"role": "anon"}, secret_key("s" * 40))
    (tmp_path / "keys.env").write_text(f"JWT_SECRET={'s' * 40}\nSUPABASE_ANON_KEY={own}\n")
    keys = load_keys(tmp_path, real_world())
    assert (keys.jwt_secret, keys.anon) == ("s" * 40, own)
    check_signature(unpack(keys.service_role), keys_from_json(keys.verification_jwks()))
    save_keys(tmp_path, keys, url=DEPLOYMENT.url, database_url=DEPLOYMENT.database_url)
    assert load_keys(tmp_path, real_world()) == keys


def test_a_projects_own_signing_key_may_be_of_another_kind(tmp_path):
    private = rsa.generate_private_key(public_exponent=65537, key_size=2048)
    jwk = RSAAlgorithm.to_jwk(private, as_dict=True) | {"kid": "own", "alg": "RS256"}
    (tmp_path / "signing_keys.json").write_text(jsontext.encode([jwk]))
    keys = load_keys(tmp_path, real_world())
    assert jsontext.decode(keys.public_jwks())["keys"][0]["kid"] == "own"
    valid = variables_of(AUTH, read_settings({}), DEPLOYMENT, keys)["GOTRUE_JWT_VALID_METHODS"]
    assert valid == "RS256,HS256"


def test_the_roles_keys_verify_with_the_published_set(tmp_path):
    keys = load_keys(tmp_path, real_world())
    jwks = keys_from_json(keys.verification_jwks())
    unpacked = unpack(keys.service_role)
    check_signature(unpacked, jwks)
    assert unpacked.claims()["role"] == "service_role"


def test_the_public_set_holds_no_secret(tmp_path):
    keys = load_keys(tmp_path, real_world())
    published = jsontext.decode(keys.public_jwks())["keys"]
    assert [set(jwk) & {"d", "k"} for jwk in published] == [set()]


def test_keys_do_not_show_in_a_repr(tmp_path):
    keys = load_keys(tmp_path, real_world())
    assert keys.jwt_secret not in repr(keys)


def test_addresses_confirm_themselves_only_without_smtp(tmp_path):
    keys = load_keys(tmp_path, real_world())
    without = variables_of(AUTH, read_settings({}), DEPLOYMENT, keys)
    with_smtp = variables_of(AUTH, read_settings({"GOTRUE_SMTP_HOST": "mail"}), DEPLOYMENT, keys)
    assert without["GOTRUE_MAILER_AUTOCONFIRM"] == "true"
    assert with_smtp["GOTRUE_MAILER_AUTOCONFIRM"] == "false"


def test_the_users_own_variables_win(tmp_path):
    keys = load_keys(tmp_path, real_world())
    settings = read_settings({"PGRST_DB_MAX_ROWS": "5", "GOTRUE_JWT_EXP": "60", "REDIS_URL": "r"})
    assert variables_of(REST, settings, DEPLOYMENT, keys)["PGRST_DB_MAX_ROWS"] == "5"
    assert variables_of(AUTH, settings, DEPLOYMENT, keys)["GOTRUE_JWT_EXP"] == "60"
    assert variables_of(REALTIME, settings, DEPLOYMENT, keys)["REDIS_URL"] == "r"


def test_a_roles_url_keeps_the_address_and_derives_the_password():
    url = "postgresql://admin:secret@db.example:5433/app?sslmode=require"
    changed = role_url(url, "authenticator", b"installation")
    assert changed.startswith("postgresql://authenticator:")
    assert changed.endswith("@db.example:5433/app?sslmode=require")
    assert "secret@" not in changed


def test_a_poolers_url_keeps_the_tenant_of_its_user_and_a_servers_does_not(tmp_path):
    pooled = "postgresql://postgres.planes:secret@pooler:6543/postgres"
    settings = read_settings(
        {"DATABASE_URL": "postgresql://a.b@db/x", "DATABASE_POOLED_URL": pooled}
    )
    deployment = replace(
        DEPLOYMENT, database_url="postgresql://a.b@db/x", passwords=b"installation"
    )
    found = variables_of(AUTH, settings, deployment, load_keys(tmp_path, real_world()))
    user, password = (
        urlsplit(found["DATABASE_URL"]).username,
        urlsplit(found["DATABASE_URL"]).password,
    )
    assert user == "supabase_auth_admin.planes"
    assert password == role_password(b"installation", "supabase_auth_admin")
    assert role_url("postgresql://a.b@db/x", "authenticator", None) == (
        "postgresql://authenticator@db/x"
    )


@pytest.mark.parametrize(
    "name",
    [
        "API_JWT_JWKS", "DB_POOL_SIZE", "JWT_CLAIM_VALIDATORS", "REDIS_URL", "REGION",
        "REALTIME_PUBLICATION", "TENANT_MAX_CONCURRENT_USERS",
    ],
)  # fmt: skip
def test_a_variable_of_realtime_reaches_it(tmp_path, name):
    keys = load_keys(tmp_path, real_world())
    assert variables_of(REALTIME, read_settings({name: "own"}), DEPLOYMENT, keys)[name] == "own"


@pytest.mark.parametrize("name", ["METRICS_JWT_SECRET", "PROMETHEUS_METRICS_ENABLED"])
def test_no_variable_opens_the_metrics_of_a_service_below_its_prefix(tmp_path, name):
    settings, keys = read_settings({name: "true"}), load_keys(tmp_path, real_world())
    assert all(name not in variables_of(each, settings, DEPLOYMENT, keys) for each in SERVICES)


@pytest.mark.parametrize("header", ["", "x-real-ip", "cf-connecting-ip"])
def test_no_variable_takes_the_callers_from_the_limits(header: str, tmp_path):
    settings = read_settings({"GOTRUE_RATE_LIMIT_HEADER": header} if header else {})
    variables = variables_of(AUTH, settings, DEPLOYMENT, load_keys(tmp_path, real_world()))
    assert variables["GOTRUE_RATE_LIMIT_HEADER"] == "x-forwarded-for"


@pytest.mark.parametrize(
    ("values", "store"), [({}, "memory"), ({"DATABASE_URL": "postgresql://x"}, "database")]
)
def test_nodes_on_one_server_count_together(values: dict[str, str], store: str, tmp_path):
    settings = read_settings(values)
    variables = variables_of(AUTH, settings, DEPLOYMENT, load_keys(tmp_path, real_world()))
    assert variables["GOTRUE_RATE_LIMIT_STORE"] == store


@pytest.mark.parametrize(
    ("values", "lacks"),
    [
        ({}, False),
        ({"PUBLIC_URL": "http://localhost:54321"}, False),
        ({"PUBLIC_URL": "https://planes.example"}, True),
        ({"PUBLIC_URL": "https://planes.example", "TRUSTED_PROXIES": "127.0.0.1"}, False),
        ({"PUBLIC_URL": "https://planes.example", "BIND_HOST": "0.0.0.0"}, False),
    ],
)
def test_a_proxy_that_must_be_there_and_is_not_trusted_is_noticed(
    values: dict[str, str], lacks: bool
):
    assert lacks_proxy(read_settings(values)) is lacks
