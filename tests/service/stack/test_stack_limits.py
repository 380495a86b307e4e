"""The limits as they are shipped: what a guesser and a flood meet at the stack's own address."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import httpx2
import pytest

from tests.harness_couple import PASSWORD, Person, sign_up
from tests.harness_proxy import haproxy, nginx
from tests.harness_stack import Stack, start_stack

CODE = "ZZZZZZZZ"


@pytest.fixture(scope="module")
def proxied(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stack]:
    """A stack behind a proxy on loopback, so that a test can come from any address."""
    data = tmp_path_factory.mktemp("proxied") / "data"
    started = start_stack(data, TRUSTED_PROXIES="127.0.0.1")
    yield started
    started.stop()


@pytest.fixture(scope="module")
def bare(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stack]:
    """A stack with nothing in front."""
    started = start_stack(tmp_path_factory.mktemp("bare") / "data")
    yield started
    started.stop()


def caller(stack: Stack, address: str) -> httpx2.Client:
    """A client that a proxy would see at this address."""
    headers = {"apikey": stack.keys["SUPABASE_PUBLISHABLE_KEY"], "x-forwarded-for": address}
    return httpx2.Client(base_url=stack.url, headers=headers, timeout=60)


@pytest.fixture(scope="module")
def ana(proxied: Stack) -> Person:
    return sign_up(proxied, "Ana")


def sign_in(client: httpx2.Client, email: str, password: str) -> httpx2.Response:
    body = {"email": email, "password": password}
    return client.post("/auth/v1/token?grant_type=password", json=body)


def test_six_hundred_wrong_codes_in_a_row_are_stopped(proxied: Stack, ana: Person):
    seen = Counter[int]()
    with caller(proxied, "203.0.113.1") as client:
        for n in range(600):
            body = {"type": "recovery", "email": ana.email, "token": f"{n:06}"}
            seen[client.post("/auth/v1/verify", json=body).status_code] += 1
    assert set(seen) == {403, 429}
    assert seen[403] <= 40  # thirty, and what five minutes' rate gives back meanwhile


def test_wrong_passwords_are_stopped_and_the_right_one_elsewhere_is_not(
    proxied: Stack, ana: Person
):
    with caller(proxied, "203.0.113.2") as client:
        answers = [sign_in(client, ana.email, f"wrong{n}") for n in range(120)]
    seen = Counter(answer.status_code for answer in answers)
    assert set(seen) == {400, 429}
    assert seen[400] <= 20
    refused = answers[-1]
    assert refused.json()["error_code"] == "over_request_rate_limit"
    assert 1 <= int(refused.headers["retry-after"]) <= 30
    with caller(proxied, "203.0.113.3") as other:
        assert sign_in(other, ana.email, PASSWORD).status_code == 200


def test_sixty_mails_are_stopped(proxied: Stack):
    with caller(proxied, "203.0.113.4") as client:
        answers = [
            client.post("/auth/v1/recover", json={"email": f"{n}@example.com"}) for n in range(60)
        ]
    seen = Counter(answer.status_code for answer in answers)
    assert set(seen) == {200, 429}
    assert seen[200] <= 36


@pytest.mark.parametrize(
    "claim",
    ["x-forwarded-for", "x-real-ip", "forwarded", "sb-forwarded-for", "cf-connecting-ip"],
)
def test_no_claimed_address_brings_new_tries(bare: Stack, claim: str):
    key = bare.keys["SUPABASE_PUBLISHABLE_KEY"]
    seen = Counter[int]()
    with httpx2.Client(base_url=bare.url, headers={"apikey": key}, timeout=60) as client:
        for n in range(40):
            value = f"for=198.51.100.{n}" if claim == "forwarded" else f"198.51.100.{n}"
            body = {"type": "recovery", "email": f"{claim}@example.com", "token": "000000"}
            answer = client.post("/auth/v1/verify", json=body, headers={claim: value})
            seen[answer.status_code] += 1
    assert seen[429] >= 5


def test_an_address_before_a_trusted_proxy_s_own_word_is_not_believed(proxied: Stack):
    key = proxied.keys["SUPABASE_PUBLISHABLE_KEY"]
    seen = Counter[int]()
    with httpx2.Client(base_url=proxied.url, headers={"apikey": key}, timeout=60) as client:
        for n in range(40):
            forwarded = {"x-forwarded-for": f"198.51.100.{n}, 203.0.113.5"}
            body = {"type": "recovery", "email": "x@example.com", "token": "000000"}
            seen[client.post("/auth/v1/verify", json=body, headers=forwarded).status_code] += 1
    assert seen[429] >= 5


def test_behind_several_proxies_the_caller_is_whom_the_outermost_saw(
    proxied: Stack, ana: Person, tmp_path: Path
):
    port = urlsplit(proxied.url).port or 0
    appending = "proxy_set_header X-Forwarded-For $proxy_add_x_forwarded_for;"
    claims = {
        "apikey": proxied.keys["SUPABASE_PUBLISHABLE_KEY"],
        "x-forwarded-for": ", ".join(["198.51.100.1", "[2001:db8::1]:9", *["127.0.0.1"] * 200]),
        "x-real-ip": "198.51.100.2",
        "forwarded": 'for="[2001:db8::2]";host=evil.example',
    }
    transport = httpx2.HTTPTransport(local_address="127.0.0.9")
    with (
        nginx(tmp_path, port, appending) as inner,
        haproxy(tmp_path, inner, "option forwardfor") as outer,
        httpx2.Client(base_url=f"http://127.0.0.1:{outer}", transport=transport) as client,
    ):
        body = {"email": ana.email, "password": PASSWORD}
        answer = client.post("/auth/v1/token?grant_type=password", json=body, headers=claims)
    assert answer.status_code == 200, answer.text
    assert audited(proxied)[0] == "127.0.0.9"


def audited(stack: Stack) -> list[str]:
    """The addresses in the audit log, the newest first."""
    key = stack.keys["SUPABASE_SECRET_KEY"]
    answer = httpx2.get(f"{stack.url}/auth/v1/admin/audit", headers={"apikey": key}, timeout=60)
    entries: list[dict[str, Any]] = answer.json()
    return [entry["ip_address"] for entry in entries]


def test_the_audit_log_names_the_address(proxied: Stack, ana: Person):
    with caller(proxied, "203.0.113.6") as client:
        assert sign_in(client, ana.email, PASSWORD).status_code == 200
    assert "203.0.113.6" in audited(proxied)


def test_wrong_invitation_codes_are_counted_by_address(proxied: Stack):
    people = [sign_up(proxied, "Luis") for _ in range(6)]
    refusals: list[str] = []
    for person in people[:5]:
        for _ in range(4):
            answer = guess(person, "203.0.113.7")
            refusals.append(answer.json()["message"])
    assert {text.partition(".")[0] for text in refusals} == {
        "No hay ninguna invitación con ese código"
    }
    assert "demasiados códigos" in guess(people[5], "203.0.113.7").json()["message"]
    assert "No hay ninguna" in guess(people[5], "203.0.113.8").json()["message"]


def guess(person: Person, address: str) -> httpx2.Response:
    """A wrong invitation code of a person, seen by the proxy at an address."""
    return person.client.post(
        "/rest/v1/rpc/ver_invitacion", json={"codigo": CODE}, headers={"x-forwarded-for": address}
    )
