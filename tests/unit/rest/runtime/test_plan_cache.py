"""What the plan cache keeps of requests, and what it does not."""

from dataclasses import replace

import pytest

from compat_base.values.http import HttpRequest
from rest_compat.auth.authenticate import Identity
from rest_compat.catalog.model import Column, SchemaCache, Table
from rest_compat.names import QualifiedName
from rest_compat.request.headers import read_headers
from rest_compat.runtime.plan_cache import LongRequest
from rest_compat.runtime.snapshot import make_snapshot
from rest_compat.settings import read_settings

NAME = QualifiedName("public", "emp")
COLUMNS = {"id": Column("id", None, True, "integer", "integer", None, None, ())}
CACHE = SchemaCache(tables={NAME: Table(NAME, None, False, True, True, True, ("id",), COLUMNS)})


@pytest.fixture
def snapshot():
    return make_snapshot(read_settings({"PGRST_DB_SCHEMAS": "public"}), CACHE)


def request(query="", **headers):
    return HttpRequest("GET", "/emp", "/emp", query, tuple(headers.items()))


def planned(snapshot, http_request):
    return snapshot.plans.planned(http_request, snapshot.plans.headers(http_request.headers), CACHE)


def test_a_read_repeated_word_for_word_is_not_read_again(snapshot):
    http_request = request("id=eq.1", accept="application/json", agent="a")
    again = request("id=eq.1", accept="application/json", agent="another")
    assert planned(snapshot, http_request) is planned(snapshot, again)


@pytest.mark.parametrize("other", [request("id=eq.2"), request("id=eq.1", prefer="count=exact")])
def test_a_read_of_other_words_is(snapshot, other):
    assert planned(snapshot, request("id=eq.1")) is not planned(snapshot, other)


def test_headers_sent_again_are_not_read_again(snapshot):
    sent = [("authorization", "Bearer x"), ("origin", "http://a")]
    assert snapshot.plans.headers(tuple(sent)) is snapshot.plans.headers(tuple(sent))


def test_what_is_long_is_not_kept(snapshot):
    sent = (("agent", "a" * 10_000),)
    assert snapshot.plans.headers(sent) is not snapshot.plans.headers(sent)
    http_request = request("id=in.(" + ",".join("1" * 4_000) + ")")
    assert planned(snapshot, http_request) is not planned(snapshot, http_request)


@pytest.mark.parametrize(("length", "is_kept"), [(100, True), (10_000, False)])
def test_a_callers_settings_are_kept_unless_its_claims_are_long(snapshot, length, is_kept):
    identity = Identity("web", f'{{"sub":"{"a" * length}"}}')
    assert (snapshot.plans.caller(identity) is snapshot.plans.caller(identity)) is is_kept


def preamble(snapshot, http_request, role="web"):
    script = planned(snapshot, http_request).prepared.script
    identity = Identity(role, "{}")
    return snapshot.plans.preamble(
        http_request, script, snapshot.plans.headers(http_request.headers), identity
    )


def test_a_preamble_is_made_once_for_each_caller_and_their_headers(snapshot):
    first = preamble(snapshot, request("id=eq.1", authorization="Bearer a"))
    assert preamble(snapshot, request("id=eq.2", authorization="Bearer a")) is first
    other = preamble(snapshot, request("id=eq.1", authorization="Bearer b"), role="other")
    assert b"other" in other.statements[1].args
    assert b"other" not in first.statements[1].args


def test_the_same_headers_of_another_caller_have_another_preamble(snapshot):
    http_request = request("id=eq.1", authorization="Bearer a")
    first, second = (preamble(snapshot, http_request, role=role) for role in ("web", "other"))
    assert (b"web" in first.statements[1].args, b"other" in second.statements[1].args) == (1, 1)


def test_a_read_says_first_that_it_only_reads(snapshot):
    found = preamble(snapshot, request())
    assert found.alone is not None
    assert found.alone[0].args[:4] == (
        b"transaction_isolation", b"read committed", b"transaction_read_only", b"on",
    )  # fmt: skip
    assert found.statements[0].text == "BEGIN ISOLATION LEVEL READ COMMITTED READ ONLY"


@pytest.mark.parametrize("method", ["POST", "DELETE"])
def test_a_write_begins_in_words(snapshot, method):
    http_request = HttpRequest(
        method, "/emp", "/emp", "", (), b'{"id":1}' if method == "POST" else b""
    )
    found = preamble(snapshot, http_request)
    assert found.alone is None
    assert found.statements[0].text == "BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE"


def test_of_a_header_sent_twice_sql_sees_the_last_and_cookies_are_apart():
    sender = read_headers(
        (("origin", "a"), ("origin", "b"), ("cookie", "x=1; y=2"), ("authorization", "bearer t"))
    )
    assert (sender.origin, sender.token) == ("a", "t")
    assert sender.headers == b'{"origin":"b","authorization":"bearer t"}'
    assert sender.cookies == b'{"x":"1","y":"2"}'


@pytest.mark.parametrize(
    "query",
    [
        "or=(" + ",".join(["id.eq.1"] * 200) + ")",
        "&".join(["id=eq.1"] * 600),
        "&".join(["id=is.null"] * 100),
        "select=" + ",".join(["id"] * 200),
        "select=" + "emp(" * 40 + ")" * 40,
    ],
)
def test_a_request_that_takes_long_is_handed_back_to_be_read_beside_the_event_loop(snapshot, query):
    assert isinstance(planned(snapshot, request(query)), LongRequest)


@pytest.mark.parametrize("name", ["id", "columns_with_names_of_some_length"])
def test_what_was_read_beside_the_event_loop_is_kept_while_its_text_is_short(snapshot, name):
    http_request = request("select=" + ",".join([name] * 200))
    handed = planned(snapshot, http_request)
    made = snapshot.plans.planned_long(handed, snapshot.cache)
    again = planned(snapshot, http_request)
    assert (again == made) if name == "id" else isinstance(again, LongRequest)


def test_the_query_that_a_read_shows_is_made_with_its_plan(snapshot):
    http_request = request("select=id&name=eq.b%20c&id=eq.1")
    assert planned(snapshot, http_request).query == "id=eq.1&name=eq.b%20c&select=id"
    long = planned(snapshot, request("&" * 600))
    assert snapshot.plans.planned_long(long, snapshot.cache).query == "=" + "," * 599


def test_a_form_of_many_fields_is_read_beside_the_event_loop_too(snapshot):
    http_request = request("", **{"content-type": "application/x-www-form-urlencoded"})
    form = replace(http_request, method="POST", body=b"&".join([b"id=1"] * 600))
    assert isinstance(planned(snapshot, form), LongRequest)
    short = replace(http_request, method="POST", body=b"id=1")
    assert not isinstance(planned(snapshot, short), LongRequest)


@pytest.mark.parametrize("name", ["accept", "prefer", "range", "content-type"])
def test_a_long_header_that_shapes_a_plan_is_read_beside_the_event_loop_too(snapshot, name):
    handed = planned(snapshot, request("id=eq.1", **{name: "a," * 3_000}))
    assert isinstance(handed, LongRequest)
