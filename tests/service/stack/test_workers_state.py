"""Nothing is sticky: limits, flows, long polls and figures hold over all workers."""

from __future__ import annotations

import base64
import hashlib
import json
import os
import re
import signal
import time
from collections.abc import Iterator
from email import message_from_bytes, policy
from urllib.parse import parse_qs, urlsplit

import pytest

from tests.harness_stack import Stack, start_stack
from tests.harness_workers import Client, client_of_each, is_ready, until

WORKERS = 2
JOIN = {"config": {"broadcast": {"self": True}}}


@pytest.fixture(scope="module")
def stack(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stack]:
    started = start_stack(
        tmp_path_factory.mktemp("workers") / "data",
        WORKERS=str(WORKERS),
        GOTRUE_RATE_LIMIT_AUTHORIZE="30/1h",
    )
    yield started
    started.stop()


@pytest.fixture
def pair(stack: Stack) -> Iterator[tuple[Client, Client]]:
    until(lambda: is_ready(stack), "ready")
    with client_of_each(stack, stack.keys["SUPABASE_ANON_KEY"], WORKERS) as found:
        one, other = found.values()
        yield one, other


def test_a_flow_by_mail_begins_at_one_worker_and_ends_at_another(
    stack: Stack, pair: tuple[Client, Client]
):
    one, other = pair
    email, verifier = "ana@example.com", "v" * 50
    digest = hashlib.sha256(verifier.encode()).digest()
    challenge = base64.urlsafe_b64encode(digest).rstrip(b"=").decode()
    status, body, _ = one.request(
        "POST", "/auth/v1/signup", {"email": email, "password": "una larga contraseña"}
    )
    assert status == 200, body
    requested = {"email": email, "code_challenge": challenge, "code_challenge_method": "s256"}
    status, body, _ = one.request("POST", "/auth/v1/recover", requested)
    assert status == 200, body
    until(lambda: list(stack.data_dir.glob("mailbox/*.eml")), "the mail")
    mail = next(iter(stack.data_dir.glob("mailbox/*.eml"))).read_bytes()
    text = message_from_bytes(mail, policy=policy.default).get_content()
    link = re.search(r'https?://[^"<\s]+/verify\?[^"<\s]+', text)
    assert link is not None
    address = urlsplit(link[0].replace("&amp;", "&"))
    status, _, headers = other.request("GET", f"{address.path}?{address.query}")
    assert status == 303
    code = parse_qs(urlsplit(headers["location"]).query)["code"][0]
    sent = {"auth_code": code, "code_verifier": verifier}
    status, body, _ = one.request("POST", "/auth/v1/token?grant_type=pkce", sent)
    assert status == 200, body
    session = json.loads(body)
    authorization = f"Bearer {session['access_token']}"
    assert other.request("GET", "/auth/v1/user", authorization=authorization)[0] == 200
    refreshed = {"refresh_token": session["refresh_token"]}
    assert other.request("POST", "/auth/v1/token?grant_type=refresh_token", refreshed)[0] == 200


def test_of_a_limit_of_thirty_thirty_pass_in_all_workers_together(pair: tuple[Client, Client]):
    statuses = [
        client.request("GET", "/auth/v1/authorize?provider=nadie")[0]
        for _ in range(25)
        for client in pair
    ]
    assert sum(status != 429 for status in statuses) == 30


class LongPoll:
    """A stock client's long poll, each request at the next worker."""

    def __init__(self, clients: tuple[Client, Client]) -> None:
        self._clients = clients
        self._turn = 0
        self.token = ""

    def _next(self) -> Client:
        self._turn += 1
        return self._clients[self._turn % len(self._clients)]

    def _path(self) -> str:
        token = f"&token={self.token}" if self.token else ""
        return f"/realtime/v1/longpoll?vsn=2.0.0&apikey={self._clients[0].key}{token}"

    def open(self) -> None:
        answer = json.loads(self._next().request("GET", self._path())[1])
        assert answer["status"] == 410
        self.token = answer["token"]

    def poll(self) -> tuple[int, list[list[object]]]:
        answer = json.loads(self._next().request("GET", self._path())[1])
        return answer["status"], [json.loads(each) for each in answer.get("messages", [])]

    def push(self, *frame: object) -> int:
        return json.loads(self._next().request("POST", self._path(), list(frame))[1])["status"]


def events(poll: LongPoll, count: int) -> list[object]:
    """The events of so many frames."""
    found: list[object] = []
    end = time.monotonic() + 60
    while len(found) < count:
        assert time.monotonic() < end
        status, frames = poll.poll()
        assert status in {200, 204}
        found += [frame[3] for frame in frames]
    return found


def test_a_long_poll_goes_on_at_any_worker(pair: tuple[Client, Client]):
    poll = LongPoll(pair)
    poll.open()
    assert poll.push("1", "1", "realtime:poll", "phx_join", JOIN) == 200
    assert "phx_reply" in events(poll, 1)
    sent = {"type": "broadcast", "event": "e", "payload": {}}
    for number in range(4):
        assert poll.push("1", str(number + 2), "realtime:poll", "broadcast", sent) == 200
    received: list[object] = []
    while received.count("broadcast") < 4:
        received += events(poll, 1)
    assert received.count("broadcast") == 4


def test_a_long_poll_whose_worker_died_is_gone(stack: Stack):
    until(lambda: is_ready(stack), "ready")
    with client_of_each(stack, stack.keys["SUPABASE_ANON_KEY"], WORKERS) as found:
        (dying, one), (_, other) = found.items()
        poll = LongPoll((one, one))
        poll.open()
        os.kill(dying, signal.SIGKILL)
        left = LongPoll((other, other))
        left.token = poll.token
        until(lambda: left.poll()[0] == 410, "it is gone")


@pytest.mark.parametrize("token", ["x" * 48, "0" * 48, "0" * 32, "%00" * 48])
def test_a_token_that_nobody_gave_opens_a_session_or_is_gone(
    pair: tuple[Client, Client], token: str
):
    poll = LongPoll(pair)
    poll.token = token
    assert poll.poll()[0] == 410


def test_the_figures_are_those_of_all_workers(stack: Stack, pair: tuple[Client, Client]):
    for client in pair:
        assert client.request("GET", "/auth/v1/settings")[0] == 200
    key = stack.keys["SUPABASE_SECRET_KEY"]
    shown = [client.request("GET", "/metrics", authorization=f"Bearer {key}") for client in pair]
    for status, body, _ in shown:
        assert status == 200
        text = body.decode()
        assert 'compat_open_sockets{service="realtime",worker="1"}' in text or (
            'compat_event_loop_lag_seconds{worker="1"}' in text
        )
        assert 'compat_event_loop_lag_seconds{worker="2"}' in text
        counted = re.search(r'compat_http_requests_total\{.*"auth".*"2xx".*\} (\S+)', text)
        assert counted is not None
        assert float(counted[1]) >= 2
