"""What an operator sees of a running stack: probes, metrics, request ids, the access log, status."""

from __future__ import annotations

import asyncio
import os
import signal
import time
from pathlib import Path
from typing import Any

import httpx2
import pytest
from prometheus_client.parser import text_string_to_metric_families
from websockets.asyncio.client import connect
from websockets.exceptions import InvalidStatus

from compat_base.values import jsontext
from tests.harness_couple import sign_up
from tests.harness_stack import Stack, run_stack, start_stack

TIMEOUT = 60  # seconds, for what comes in a moment


def await_ready(stack: Stack) -> None:
    deadline = time.monotonic() + TIMEOUT
    while httpx2.get(f"{stack.url}/readyz", timeout=TIMEOUT).status_code != 200:
        assert time.monotonic() < deadline
        time.sleep(0.05)


def key_of(stack: Stack) -> dict[str, str]:
    return {"apikey": stack.keys["SUPABASE_PUBLISHABLE_KEY"]}


def test_a_live_and_ready_stack_says_so(stack: Stack):
    await_ready(stack)
    assert httpx2.get(f"{stack.url}/livez").text == "ok\n"
    assert httpx2.get(f"{stack.url}/readyz").json() == {"status": "ready", "not_ready": {}}
    assert httpx2.head(f"{stack.url}/readyz").status_code == 200
    assert httpx2.post(f"{stack.url}/readyz").status_code == 405


def test_a_database_that_hangs_is_named_in_time_and_status_says_the_same(tmp_path: Path):
    stack = start_stack(tmp_path)
    try:
        await_ready(stack)
        done = run_stack(tmp_path, "status")
        assert done.returncode == 0
        assert stack.url in done.stdout
        assert f"process:   {stack.process.pid}, since " in done.stdout
        assert "database:  embedded, PostgreSQL " in done.stdout
        assert "ready:     yes" in done.stdout
        server = int((tmp_path / "postgres/data/postmaster.pid").read_text().split()[0])
        backends = [
            int(pid)
            for pid in Path(f"/proc/{server}/task/{server}/children").read_text().split()
        ]  # fmt: skip
        for pid in (server, *backends):
            os.kill(pid, signal.SIGSTOP)
        try:
            time.sleep(1.1)  # the last answer is given for a second
            answer = httpx2.get(f"{stack.url}/readyz", timeout=TIMEOUT)
            assert answer.status_code == 503
            assert answer.json()["not_ready"]["database"] == "no answer within 1 s"
            assert httpx2.get(f"{stack.url}/livez", timeout=TIMEOUT).status_code == 200
            done = run_stack(tmp_path, "status")
            assert done.returncode == 1
            assert "database:  embedded, not reachable" in done.stdout
            assert "ready:     no: database no answer within 1 s" in done.stdout
        finally:
            for pid in (*backends, server):
                os.kill(pid, signal.SIGCONT)
        await_ready(stack)
    finally:
        stack.stop()
    done = run_stack(tmp_path, "status")
    assert (done.returncode, done.stdout) == (3, f"nothing serves from {tmp_path}\n")


def figures(stack: Stack) -> dict[tuple[str, tuple[tuple[str, str], ...]], float]:
    answer = httpx2.get(
        f"{stack.url}/metrics", headers={"apikey": stack.keys["SUPABASE_SECRET_KEY"]}
    )
    assert answer.status_code == 200
    return {
        (sample.name, tuple(sorted(sample.labels.items()))): sample.value
        for family in text_string_to_metric_families(answer.text)
        for sample in family.samples
    }


def test_the_metrics_count_requests_sockets_and_pools(stack: Stack):
    name = ("compat_http_requests_total", (("service", "rest"), ("status", "4xx")))
    sockets = ("compat_open_sockets", (("service", "realtime"),))
    before = figures(stack).get(name, 0)
    httpx2.get(f"{stack.url}/rest/v1/nothing", headers=key_of(stack))
    address = f"{stack.url.replace('http', 'ws', 1)}/realtime/v1/websocket?vsn=2.0.0"

    async def open_one() -> float:
        open_before = figures(stack).get(sockets, 0)
        async with connect(address, additional_headers=key_of(stack)):
            return (await asyncio.to_thread(figures, stack))[sockets] - open_before

    assert asyncio.run(open_one()) == 1
    after = figures(stack)
    assert after[name] == before + 1
    for wanted in (
        ("compat_pool_connections_max", (("pool", "gotrue"),)),
        ("compat_http_request_duration_seconds_count", (("service", "rest"),)),
        ("compat_event_loop_lag_seconds", ()),
        ("process_resident_memory_bytes", ()),
        ("realtime_connections_connected", ()),
        ("pgrst_db_pool_max", ()),
    ):
        assert wanted in after


@pytest.mark.parametrize("path", ["/metrics", "/metrics?x=1"])
def test_the_metrics_are_nobodys_who_comes_through_a_proxy(stack: Stack, path: str):
    proxied = {"x-forwarded-for": "192.0.2.1"}
    assert httpx2.get(stack.url + path, headers=proxied).status_code == 404
    public = proxied | key_of(stack)
    assert httpx2.get(stack.url + path, headers=public).status_code == 404
    secret = proxied | {"authorization": f"Bearer {stack.keys['SUPABASE_SECRET_KEY']}"}
    assert httpx2.get(stack.url + path, headers=secret).status_code == 200


@pytest.mark.parametrize(
    ("path", "status"),
    [
        ("/livez", 200),
        ("/", 200),
        ("/assets/none.js", 404),
        ("/rest/v1/actividades", 401),
        ("/rest/v1/nothing?apikey={key}", 404),
        ("/auth/v1/settings?apikey={key}", 200),
        ("/auth/v1/user?apikey={key}", 403),
        ("/auth/v1/authorize?provider=none", 400),
        ("/realtime/v1/api/ping?apikey={key}", 200),
    ],
)
def test_every_answer_carries_the_request_id_once(stack: Stack, path: str, status: int):
    address = stack.url + path.format(key=stack.keys["SUPABASE_PUBLISHABLE_KEY"])
    answer = httpx2.get(address, headers={"x-request-id": "Trace.1-a_b"})
    assert answer.status_code == status, answer.text
    assert answer.headers.get_list("x-request-id") == ["Trace.1-a_b"]
    made = httpx2.get(address, headers={"x-request-id": "no good"}).headers["x-request-id"]
    assert len(made) == 32


async def test_an_upgrade_and_its_refusal_carry_the_request_id(stack: Stack):
    address = f"{stack.url.replace('http', 'ws', 1)}/realtime/v1/websocket?vsn=2.0.0"
    given = {"x-request-id": "up.1"}
    async with connect(address, additional_headers=given | key_of(stack)) as socket:
        assert socket.response is not None
        assert socket.response.headers["x-request-id"] == "up.1"
    with pytest.raises(InvalidStatus) as refused:
        await connect(address, additional_headers=given)
    assert refused.value.response.headers["x-request-id"] == "up.1"


def test_the_access_log_has_a_line_for_each_request_and_no_secret(tmp_path: Path):
    stack = start_stack(tmp_path, ACCESS_LOG="json")
    try:
        ana = sign_up(stack, "Ana")
        ana.client.get("/rest/v1/profiles?select=id", headers={"x-request-id": "mine"})
        ana.client.get("/auth/v1/verify?token=123456&type=signup")
        keys = stack.keys
    finally:
        stack.stop()
    lines = [line for line in stack.output if line.startswith("{")]
    fields: list[dict[str, Any]] = [jsontext.decode(line) for line in lines]
    [mine] = [each for each in fields if each["request_id"] == "mine"]
    assert (mine["service"], mine["status"], mine["role"], mine["sub"]) == (
        "rest", 200, "authenticated", ana.id,
    )  # fmt: skip
    assert (mine["method"], mine["path"], mine["query"]) == (
        "GET", "/rest/v1/profiles", ["select"],
    )  # fmt: skip
    assert {each["path"] for each in fields} >= {"/auth/v1/signup", "/auth/v1/verify"}
    text = "".join(lines)
    secrets = [*keys.values(), ana.session["access_token"], ana.session["refresh_token"], "123456"]
    assert [secret for secret in secrets if secret in text] == []
    assert ana.password not in text
