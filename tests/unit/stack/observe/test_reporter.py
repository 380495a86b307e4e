"""Request ids, the access log and the readiness of the stack, as plain ASGI."""

from __future__ import annotations

import asyncio
import io
import threading
from typing import Any

import pytest

from compat_base.tasks import Supervisor
from compat_base.values import jsontext
from compat_base.values.events import Observation, silent
from compat_base.values.jwt import secret_key, sign
from compat_base.values.world import real_world
from compat_stack.observe.access_log import (
    AccessLog,
    Subjects,
    query_names,
    without_query_values,
)
from compat_stack.observe.metrics import Metrics
from compat_stack.observe.probes import Readiness
from compat_stack.observe.reporter import Reporter, Sinks
from compat_stack.observe.request_id import with_request_id

WORLD = real_world()
KEY, CLAIMS = secret_key("s" * 32), {"role": "authenticated", "sub": "me"}
TOKEN = sign(CLAIMS, KEY)
SUBJECTS = Subjects(lambda: (KEY,))


def scope(path: str = "/auth/v1/t", query: bytes = b"", **headers: str) -> dict[str, Any]:
    raw = [(name.replace("_", "-").encode(), value.encode()) for name, value in headers.items()]
    return {
        "type": "http", "method": "GET", "path": path, "raw_path": path.encode(),
        "query_string": query, "headers": raw, "client": ("192.0.2.7", 5), "scheme": "http",
    }  # fmt: skip


async def fetch(app: Any, request: dict[str, Any]) -> tuple[str, list[dict[str, Any]]]:
    """The id in the answer, and every message of it."""
    sent: list[dict[str, Any]] = []

    async def receive() -> dict[str, Any]:
        return {"type": "http.request", "body": b"", "more_body": False}

    async def send(message: dict[str, Any]) -> None:
        sent.append(message)

    await app(request, receive, send)
    ids = [value.decode() for name, value in sent[0]["headers"] if name == b"x-request-id"]
    assert len(ids) == 1
    return ids[0], sent


async def echo(request: dict[str, Any], _receive: Any, send: Any) -> None:
    """Answers with the id that it was told, twice where it was told twice."""
    request_id = b",".join(value for name, value in request["headers"] if name == b"x-request-id")
    headers = [(b"X-Request-Id", request_id)]
    await send({"type": "http.response.start", "status": 200, "headers": headers})
    await send({"type": "http.response.body", "body": request_id})


def reporter(app: Any = echo, log: AccessLog | None = None) -> Reporter:
    names = {"rest": "rest", "auth": "auth"}
    return Reporter(
        app, names, WORLD, Sinks(Metrics(), log, subjects=SUBJECTS), frozenset({"rest"})
    )


@pytest.mark.parametrize("given", ["a", "Root=1-67".replace("=", "."), "x" * 128, "A_b.c-9"])
async def test_a_safe_request_id_is_kept(given: str):
    request_id, sent = await fetch(reporter(), scope(x_request_id=given))
    assert (request_id, sent[1]["body"].decode()) == (given, given)


@pytest.mark.parametrize("given", ["", "x" * 129, "a b", "a\tb", 'a"b', "ä", "a,b", "a\n"])
async def test_any_other_request_id_is_made_anew(given: str):
    request_id, sent = await fetch(reporter(), scope(x_request_id=given))
    assert len(request_id) == 32
    assert sent[1]["body"].decode() == request_id != given


async def test_a_line_of_the_access_log_is_one_line_and_no_longer_than_a_client_may_make_it():
    stream = io.StringIO()
    log = AccessLog(stream)
    path = "/rest/v1/a\u2028{}\x85\x9b31m"
    await fetch(reporter(log=log), {**scope(path + "b" * 2_000), "method": "M" * 5_000})
    log.close()
    [line] = stream.getvalue().splitlines()
    assert line.isascii()
    assert jsontext.decode(line)["path"].startswith(path)
    assert len(line) < 1_500


async def test_rest_is_told_an_id_of_ours_only_where_requests_are_logged():
    _, sent = await fetch(reporter(), scope("/rest/v1/t"))
    assert sent[1]["body"] == b""
    _, sent = await fetch(reporter(), scope("/rest/v1/t", x_request_id="abc"))
    assert sent[1]["body"] == b"abc"
    log = AccessLog(io.StringIO())
    request_id, sent = await fetch(reporter(log=log), scope("/rest/v1/t"))
    log.close()
    assert sent[1]["body"].decode() == request_id


async def test_two_request_ids_are_none():
    request = scope(x_request_id="a")
    request["headers"].append((b"x-request-id", b"b"))
    request_id, sent = await fetch(reporter(), request)
    assert sent[1]["body"].decode() == request_id not in {"a", "b"}


async def test_what_is_observed_while_serving_carries_the_request_id():
    observed: list[Observation] = []
    observer = with_request_id(observed.append)

    async def failing(_scope: Any, _receive: Any, send: Any) -> None:
        observer(Observation("failed", facts={"why": "x"}))
        await echo(scope(), None, send)

    await asyncio.create_task(fetch(reporter(failing), scope(x_request_id="abc")))
    observer(Observation("later"))
    assert [dict(each.facts) for each in observed] == [{"why": "x", "request_id": "abc"}, {}]


async def test_an_accepted_socket_is_told_its_request_id():
    async def accepting(_scope: Any, _receive: Any, send: Any) -> None:
        await send({"type": "websocket.accept"})

    request = {**scope(x_request_id="abc"), "type": "websocket"}
    assert (await fetch(reporter(accepting), request))[0] == "abc"


async def test_a_line_has_no_value_of_the_query_and_no_header():
    stream = io.StringIO()
    log = AccessLog(stream)
    query = b"apikey=sb_secret_1&token=123456&select=*&eyJhbGciOi.x.y&code=c0de"
    request = scope(query=query, authorization=f"Bearer {TOKEN}", cookie="sid=1")
    await fetch(reporter(log=log), request)
    log.close()
    [line] = stream.getvalue().splitlines()
    fields = jsontext.decode(line)
    assert (fields["role"], fields["sub"]) == ("authenticated", "me")
    assert fields["query"] == ["apikey", "token", "select", "code"]
    assert {key: fields[key] for key in ("client", "service", "method", "path", "status")} == {
        "client": "192.0.2.7", "service": "auth", "method": "GET", "path": "/auth/v1/t",
        "status": 200,
    }  # fmt: skip
    for secret in ("sb_secret", "123456", "eyJ", "c0de", "sid", TOKEN):
        assert secret not in line


@pytest.mark.parametrize(
    ("query", "names"),
    [
        (b"", []),
        (b"a=1&b.c=2&select=*", ["a", "b.c", "select"]),
        (b"token", []),
        (b"=x", ["?"]),
        (b"x" * 41 + b"=1", ["?"]),
        (b"a%20b=1&\xff=2", ["?", "?"]),
        (b"&".join([b"a=1"] * 100), ["a"] * 30),
    ],
)
def test_only_what_looks_like_a_name_is_logged_of_a_query(query: bytes, names: list[str]):
    assert query_names(query) == names


@pytest.mark.parametrize("bearer", ["Bearer x", "Bearer a.b.c", "Bearer " + "a." * 2, "", "Bearer"])
def test_a_bearer_that_is_no_token_has_no_role(bearer: str):
    assert SUBJECTS.of([(b"authorization", bearer.encode())], 200) == {}


def test_a_refused_token_names_nobody():
    assert SUBJECTS.of([(b"authorization", f"Bearer {TOKEN}".encode())], 401) == {}


def test_a_token_that_anybody_wrote_names_nobody_whatever_the_answer():
    forged = sign(CLAIMS, secret_key("z" * 32))
    head, payload, _ = forged.split(".")
    named = [
        SUBJECTS.of([(b"authorization", f"Bearer {token}".encode())], status)
        for token in (TOKEN, forged, f"{head}.{payload}.", TOKEN)
        for status in (200, 403)
    ]
    assert named == [CLAIMS] * 2 + [{}] * 4 + [CLAIMS] * 2


def test_a_reader_that_stops_costs_lines_and_never_time():
    class Stuck(io.StringIO):
        def write(self, _text: str) -> int:
            requested.set()
            gate.wait(30)
            return 0

    gate, requested = threading.Event(), threading.Event()
    log = AccessLog(Stuck())
    for number in range(10_003):
        log.write({"n": number})
        if number == 0:
            assert requested.wait(30)
    gate.set()
    assert log.dropped == 2


async def test_readiness_names_what_is_not_ready_and_waits_for_nobody():
    ever, rounds = asyncio.Event(), []

    async def stuck() -> str | None:
        rounds.append("stuck")
        await ever.wait()
        return None

    async def down() -> str | None:
        return "is down"

    async def broken() -> str | None:
        raise RuntimeError

    async def fine() -> str | None:
        return None

    checks = {"stuck": stuck, "down": down, "broken": broken, "fine": fine}
    async with Supervisor(silent) as tasks:
        readiness = Readiness(checks, tasks, WORLD.clock, timeout=0.01)
        found = await readiness.problems()
        assert found == {"stuck": "no answer within 0.01 s", "down": "is down", "broken": "failed"}
        assert await asyncio.gather(*(readiness.problems() for _ in range(50))) == [found] * 50
    assert rounds == ["stuck"]


def test_an_observation_has_no_value_of_a_query():
    observed: list[Observation] = []
    observer = without_query_values(observed.append)
    target = "/rpc/calendario?secreto=s3cret&select=id,b:c(d)&eq.s3cret"
    observer(Observation("old", facts={"target": target, "referer": "https://a/?code=s3cret"}))
    observer(Observation("other", facts={"target": "/rows", "referer": None, "status": 200}))
    assert [dict(each.facts) for each in observed] == [
        {"target": "/rpc/calendario?secreto&select", "referer": "https://a/?code"},
        {"target": "/rows", "referer": None, "status": 200},
    ]
