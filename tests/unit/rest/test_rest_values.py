"""Small values: media types, windows, names alike, role paths, settings, view origins, errors."""

import contextlib
import re
from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from compat_base.postgres.faults import Fault
from compat_base.values import jsontext
from compat_base.values.pgarray import listed_text
from compat_base.values.settings import SettingsError
from rest_compat import errors
from rest_compat.auth.role_claim import RoleClaimError, find_roles, parse_role_claim_path
from rest_compat.catalog.view_origins import view_origins
from rest_compat.http.media_types import Kind, accepted, decode_media_type
from rest_compat.http.ranges import ALL, Window, content_range, range_status, window_of_header
from rest_compat.observe.access_log import access_line
from rest_compat.plan.similarity import nearest
from rest_compat.process.config_file import EXAMPLE, dump_config, parse_config_file
from rest_compat.request.parsec import shown
from rest_compat.request.preferences import applied, parse_preferences
from rest_compat.request.query_string import canonical, decode_pairs
from rest_compat.settings import read_settings


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("application/json; charset=utf-8", Kind.JSON),
        ("ApplicatIon/vnd.PgRsT.object+json", Kind.OBJECT),
        ("application/vnd.pgrst.object;nulls=stripped", Kind.OBJECT_STRIPPED),
        ("application/vnd.pgrst.array+json", Kind.JSON),
        ("application/vnd.pgrst.plan", Kind.PLAN),
        ("*/*", Kind.ANY),
        ("application/vnd.twkb", Kind.OTHER),
        ("nonsense", Kind.OTHER),
    ],
)
def test_media_types_are_told_apart(text, kind):
    assert decode_media_type(text).kind is kind


def test_accept_is_sorted_by_weight():
    kinds = [media.kind for media in accepted("text/csv;q=0.5, application/json, */*;q=0.1")]
    assert kinds == [Kind.JSON, Kind.CSV, Kind.ANY]


@pytest.mark.parametrize(
    ("header", "types"),
    [
        ("", []),
        ("text/csv;q=0.5;x=y, application/json;q=0.9", ["application/json", "text/csv"]),
        ("*/*, text/*, text/csv", ["text/csv", "text/*", "*/*"]),
        ("text/csv;q=.5, application/json;q=0.9", ["text/csv", "application/json"]),
        ("a/b; c = d ; q=0", ["a/b;c=d"]),
        ("text/csv,", ["text/csv", ""]),
    ],
)
def test_accept_is_read_as_the_original_reads_it(header, types):
    assert [media.mime() for media in accepted(header)] == types


@pytest.mark.parametrize(
    ("query", "pairs"),
    [
        ("&a=1&&b&", (("", None), ("a", "1"), ("", None), ("b", None))),
        ("=x;a=%zz", (("", "x"), ("a", "%zz"))),
        ("", ()),
    ],
)
def test_nothing_between_two_separators_is_a_key_without_a_name(query, pairs):
    assert decode_pairs(query) == pairs


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ('a"\\', '"a\\"\\\\"'),
        ("é1", '"\\233\\&1"'),
        ("\x0eH", '"\\SO\\&H"'),
        ("\x01\t", '"\\SOH\\t"'),
    ],
)
def test_unprintable_characters_are_told_by_name_or_number(text, told):
    assert shown(text) == told


def test_a_plan_names_its_parameters_in_normal_form():
    media = decode_media_type(
        'application/vnd.pgrst.plan+text ; options=wal|analyze; for="text/csv"'
    )
    assert media.mime() == 'application/vnd.pgrst.plan+text; for="text/csv"; options=analyze|wal'


@pytest.mark.parametrize(
    ("text", "window"),
    [("0-9", Window(0, 9)), ("5-", Window(5)), ("items=0-9", ALL), ("-5", ALL), ("", ALL)],
)
def test_range_headers_are_strict(text, window):
    assert window_of_header(text) == window


@given(first=st.integers(0, 50), count=st.integers(0, 50), total=st.none() | st.integers(0, 100))
def test_every_page_has_a_status_and_a_content_range(first, count, total):
    last = first + count - 1
    assert range_status(first, last, total) in {200, 206, 416}
    assert content_range(first, last, total).count("/") == 1


def test_the_nearest_name_is_found_and_nothing_far_off():
    assert nearest(["films", "actors"], "film", 0.75) == "films"
    assert nearest(["films", "actors"], "zebra", 0.33) is None


@pytest.mark.parametrize(
    ("path", "role"),
    [
        ("$.role", "a"),
        ("$.app.roles[1]", "y"),
        ("$['https://x/role']", "u"),
        ('$.app.roles[?(@ == "y")]', "y"),
        ("$.app.roles[-1]", "y"),
        ("$.app.*", ["x", "y"]),
        ('$.app.roles[?search(@, "^x")]', "x"),
        (".role", "a"),
        ('."https://x/role"', "u"),
        ('.app.roles[?(@ ^== "y")]', "y"),
        ("$.nothing.here", None),
    ],
)
def test_roles_are_found_where_the_path_leads(path, role):
    claims = {"role": "a", "app": {"roles": ["x", "y"]}, "https://x/role": "u"}
    found = find_roles(parse_role_claim_path(path), claims)
    assert (found[0] if found else None) == role


@given(st.text(max_size=30))
def test_any_role_path_is_read_or_refused(text):
    with contextlib.suppress(RoleClaimError):
        find_roles(parse_role_claim_path(text), {"a": [1, {"b": 2}]})


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


def test_the_dump_of_the_settings_reads_back_as_the_same_settings():
    settings = read_settings({"PGRST_DB_ANON_ROLE": 'a"b', "PGRST_DB_MAX_ROWS": "5"})
    text = dump_config(settings)
    assert 'jwt-role-claim-key = "$$.role"\n' in text
    again = read_settings({}, file=parse_config_file(text, {}))
    assert dump_config(again) == text


def test_the_example_file_is_a_valid_one():
    assert read_settings({}, file=parse_config_file(EXAMPLE, {})).server_port == 3000


def test_files_take_variables_of_the_environment():
    assert parse_config_file('db-uri = "$(X)$$" # why', {"X": "y"}) == {"db-uri": "y$"}


def test_preferences_keep_their_first_valid_value():
    said = parse_preferences(
        ["return=minimal, return=representation", "count=none"], allow_transaction=False
    )
    assert (said.representation, said.count, said.invalid) == ("minimal", None, ("count=none",))
    assert applied(said) == "return=minimal"


def test_the_canonical_query_is_sorted_joined_and_encoded():
    assert canonical("b=2&a=x%20y&b=1&c") == "a=x%20y&b=2,1&c="


@given(st.text(alphabet=st.characters(min_codepoint=1, max_codepoint=255), max_size=60))
def test_any_query_string_is_split_or_is_no_text(query):
    with contextlib.suppress(UnicodeDecodeError):
        decode_pairs(query)
        canonical(query)


@given(st.lists(st.text(max_size=8), min_size=1, max_size=5))
def test_array_texts_never_leave_their_quotes(values):
    text = listed_text(values)
    assert text.startswith("{")
    assert text.endswith("}")
    assert "\0" not in text


def test_only_the_outermost_target_list_tells_a_views_origins():
    tree = (
        "({QUERY :rtable ({RTE :eref {ALIAS :colnames (\\} \\{)} :subquery {QUERY :targetList"
        " ({TARGETENTRY :resno 1 :resorigtbl 5 :resorigcol 5}) :override 0}})"
        " :targetList ({TARGETENTRY :expr {VAR :varno 1} :resno 1 :resname a\\{b"
        " :ressortgroupref 0 :resorigtbl 7 :resorigcol 3 :resjunk false} {TARGETENTRY :expr"
        " {SUBLINK :subselect {QUERY :targetList ({TARGETENTRY :resno 1 :resorigtbl 9"
        " :resorigcol 9})}} :resno 2 :resorigtbl 0 :resorigcol 0}) :override 0})"
    )
    assert view_origins(tree) == {1: (7, 3)}


@pytest.mark.parametrize(
    ("state", "message", "status"),
    [
        ("23505", "", 409),
        ("42501", "", 403),
        ("42P01", "", 404),
        ("42883", "", 404),
        ("42883", "function xmlagg(x)", 406),
        ("22023", 'role "x" does not exist', 401),
        ("22023", "bad", 400),
        ("57014", "", 500),
        ("53300", "", 503),
        ("53400", "", 500),
        ("21000", "UPDATE requires a WHERE clause", 400),
        ("21000", "", 500),
        ("P0001", "", 400),
        ("P0002", "", 500),
        ("40001", "", 500),
        ("25006", "", 405),
        ("PT418", "", 418),
        ("PTxxx", "", 500),
        ("22P02", "", 400),
        ("0L000", "", 403),
        ("42P17", "", 500),
    ],
)
def test_sqlstates_have_their_statuses(state, message, status):
    assert errors.problem_of_fault(Fault(state, message), authenticated=True).status == status


@pytest.mark.parametrize(
    ("message", "detail", "details"),
    [
        ("nope", None, "Invalid JSON value for MESSAGE: 'nope'"),
        ('{"code":"a","message":"b"}', None, "DETAIL is missing in the RAISE statement"),
        ('{"code":"a","message":"b"}', "{}", "Invalid JSON value for DETAIL: '{}'"),
        ('{"code":"a"}', "{}", 'Invalid JSON value for MESSAGE: \'{"code":"a"}\''),
    ],
)
def test_raised_json_that_cannot_be_read_is_explained(message, detail, details):
    problem = errors.problem_of_fault(Fault("PGRST", message, detail), authenticated=True)
    assert (problem.code, problem.status, problem.details) == ("PGRST121", 500, details)


@pytest.mark.parametrize("text", ['a" 200 0 "b', "a\x9bb", "a\u2028b", "a\\"])
def test_a_client_cannot_end_a_field_of_the_access_log(text: str):
    facts: dict[str, Any] = {
        "client": "192.0.2.1", "role": "anon", "method": "GET", "target": f"/t?{text}",
        "status": 200, "size": "3", "referer": text, "agent": text,
    }  # fmt: skip
    line = access_line(facts, datetime(2026, 11, 22, tzinfo=UTC))
    assert len(line.splitlines()) == 1
    fields = re.fullmatch(
        r'192\.0\.2\.1 - anon \[[^]]+\] ("(?:[^"\\]|\\.)*") 200 3 ("(?:[^"\\]|\\.)*")'
        r' ("(?:[^"\\]|\\.)*")',
        line,
    )
    assert fields is not None
    assert [jsontext.decode(each) for each in fields.groups()] == [
        f"GET /t?{text} HTTP/1.1", text, text,
    ]  # fmt: skip
