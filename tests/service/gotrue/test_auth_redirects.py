"""No door of the service leads a browser to where it was not allowed: auth reference 1.5, 1.6."""

from __future__ import annotations

from typing import Any
from urllib.parse import parse_qs, quote, urlsplit

import pytest
import pytest_asyncio

from tests.harness_auth import PASSWORD, SITE, Auth, admin_token, location

# Taken for the site, or for the allow list's host, by one parser or another
HOSTILE = (
    "http://evil.example\\@localhost:3000/",
    "http://localhost:3000@evil.example/",
    "http://localhost:3000\\@evil.example/",
    "http://evil.example#@localhost:3000/",
    "http:evil.example",
    "//evil.example/",
    "https://evil.example/app.example.com/x",
    "https://app.example.com@evil.example/x",
    "https://app.example.com\\.evil.example/x",
    "https://app.example.com.evil.example/x",
    "https://ａpp.example.com\\@evil.example/x",
    "https://app.example.com%2f@evil.example/x",
    "http%3A%2F%2Flocalhost%3A3000%2F",
    "javascript:alert(1)//localhost:3000",
    "javascript://app.example.com/%0aalert(1)",
    "data:text/html,http://localhost:3000/",
    "blob:http://localhost:3000/x",
)
ADMIN = admin_token()


def _requested(address: str, way: str) -> tuple[str, dict[str, str]]:
    """The query and the headers that name an address in one of the ways there are."""
    if way == "query":
        return f"redirect_to={quote(address, safe='')}", {}
    name = "redirect_to" if way == "header" else "referer"
    return "", {name: address.encode("ascii", "ignore").decode()}


@pytest.mark.parametrize("way", ["query", "header", "referer"])
@pytest.mark.parametrize("address", HOSTILE)
async def test_a_failing_link_leads_to_the_site(auth: Auth, address: str, way: str):
    query, headers = _requested(address, way)
    answer = await auth.get(f"/verify?type=signup&token=bad&{query}", headers=headers)
    assert answer.status_code == 303
    assert location(answer)[0] == SITE
    assert f'href="{SITE}#error=' in answer.text


@pytest.mark.parametrize("way", ["query", "header", "referer"])
async def test_a_mail_carries_the_site_instead(auth: Auth, email: str, way: str):
    await auth.post("/signup", {"email": email, "password": PASSWORD})
    for address in HOSTILE:
        query, headers = _requested(address, way)
        answer = await auth.post(
            f"/resend?{query}", {"type": "signup", "email": email}, headers=headers
        )
        assert answer.status_code == 200, answer.text
        redirect = parse_qs(urlsplit(auth.mailbox.link(email)).query)["redirect_to"]
        assert redirect == [SITE], address


FLOWS = ("signup", "otp", "magiclink", "recover", "invite", "user")


@pytest.mark.parametrize("way", ["query", "header", "referer"])
@pytest.mark.parametrize("flow", FLOWS)
async def test_the_mail_of_every_flow_carries_the_site_instead(
    auth: Auth, auto: Auth, email: str, flow: str, way: str
):
    token = None
    if flow in {"magiclink", "recover", "user"}:
        token = (await auto.signed_up(email))["access_token"]
    for number, address in enumerate(HOSTILE):
        query, headers = _requested(address, way)
        new = f"{number}-{email}"
        recipient = email if flow in {"magiclink", "recover"} else new
        body: dict[str, Any] = {"email": recipient}
        if flow == "signup":
            body["password"] = PASSWORD
        key = ADMIN if flow == "invite" else token
        method = "PUT" if flow == "user" else "POST"
        answer = await auth.call(method, f"/{flow}?{query}", body, token=key, headers=headers)
        assert answer.status_code == 200, answer.text
        redirect = parse_qs(urlsplit(auth.mailbox.link(recipient)).query)["redirect_to"]
        assert redirect == [SITE], address


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def provided(open_with: Any) -> Auth:
    """An instance with a provider, which nobody asks."""
    return await open_with(
        GOTRUE_EXTERNAL_GITHUB_ENABLED="true",
        GOTRUE_EXTERNAL_GITHUB_CLIENT_ID="client",
        GOTRUE_EXTERNAL_GITHUB_SECRET="secret",
        GOTRUE_EXTERNAL_GITHUB_REDIRECT_URI="http://localhost:9999/callback",
    )


@pytest.mark.parametrize("way", ["query", "header", "referer"])
async def test_who_comes_back_from_a_provider_comes_to_the_site(provided: Auth, way: str):
    for address in HOSTILE:
        query, headers = _requested(address, way)
        started = await provided.get(f"/authorize?provider=github&{query}", headers=headers)
        place, sent, _ = location(started)
        assert (place, started.status_code) == ("https://github.com/login/oauth/authorize", 302)
        back = await provided.get(f"/callback?state={quote(sent['state'])}&error=access_denied")
        assert location(back)[0] == SITE, address


async def test_who_signs_out_is_sent_nowhere(auto: Auth, email: str):
    token = (await auto.signed_up(email))["access_token"]
    query, headers = _requested(HOSTILE[0], "query")
    answer = await auto.post(f"/logout?{query}", token=token, headers=headers)
    assert (answer.status_code, "location" in answer.headers) == (204, False)


@pytest.mark.parametrize("address", HOSTILE)
async def test_a_link_by_an_administrator_carries_the_site_instead(
    auto: Auth, email: str, address: str
):
    body = {"type": "magiclink", "email": email, "redirect_to": address}
    made = (await auto.post("/admin/generate_link", body, token=ADMIN)).json()
    assert made["redirect_to"] == SITE
    assert made["action_link"].endswith(f"&redirect_to={SITE}")


async def test_the_link_of_a_mail_is_judged_again_when_it_is_followed(auth: Auth, email: str):
    await auth.post("/signup", {"email": email, "password": PASSWORD})
    token = auth.mailbox.token(email)
    target = quote(HOSTILE[0], safe="")
    answer = await auth.get(f"/verify?type=signup&token={token}&redirect_to={target}")
    place, _, fragment = location(answer)
    assert (place, "access_token" in fragment) == (SITE, True)


@pytest.mark.parametrize(
    ("query", "headers", "place"),
    [
        ("redirect_to=https://app.example.com/q", {"redirect_to": "https://app.example.com/h"},
         "https://app.example.com/h"),
        ("redirect_to=https://app.example.com/q", {"redirect_to": HOSTILE[0]},
         "https://app.example.com/q"),
        ("redirect_to=https://evil.example/", {"referer": "https://app.example.com/r"},
         "https://app.example.com/r"),
        ("redirect_to=https://evil.example/&redirect_to=https://app.example.com/2", {}, SITE),
        ("redirect_to[]=https://app.example.com/q", {}, SITE),
        ("redirect_to=https%253A%252F%252Fapp.example.com%252Fq", {}, SITE),
        ("redirect_to=%00https://app.example.com/q", {}, "https://app.example.com/q"),
        ("redirect_to=https://app.example.com/a%20b/%C3%B1", {},
         "https://app.example.com/a%20b/%C3%B1"),
        ("redirect_to=HTTPS://APP.example.com:443/q", {}, "https://app.example.com/q"),
        ("redirect_to=https://app.example.com/x%0d%0aSet-Cookie:%20a=b", {}, SITE),
        ("redirect_to=https://app.example.com/?error=x%26error_code=y", {},
         "https://app.example.com/"),
    ],
)  # fmt: skip
async def test_the_first_place_that_is_allowed_is_sent_in_its_parsed_form(
    auth: Auth, query: str, headers: dict[str, str], place: str
):
    answer = await auth.get(f"/verify?type=signup&token=bad&{query}", headers=headers)
    assert location(answer)[0] == place
    assert set(answer.headers) <= {
        "location", "content-type", "content-length", "vary", "x-request-id",
        "access-control-allow-origin", "access-control-allow-credentials",
        "access-control-expose-headers",
    }  # fmt: skip


@pytest.mark.parametrize("query", ["", "state=x", "state=6f1e8f8a-1111-4222-8333-444455556666"])
async def test_a_callback_without_a_flow_leads_to_the_site(auth: Auth, query: str):
    target = quote(HOSTILE[0], safe="")
    answer = await auth.get(
        f"/callback?{query}&redirect_to={target}&error=x", headers={"redirect_to": HOSTILE[0]}
    )
    assert location(answer)[0] == SITE


@pytest.mark.parametrize(
    "host",
    [
        "auth.ours.example@evil.example", "auth.ours.example:443@evil.example",
        "auth.ours.example:x@evil.example", "evil.example/auth.ours.example",
        "auth.ours.example/..//evil.example", "auth.ours.example\\@evil.example",
    ],
)  # fmt: skip
async def test_the_link_of_a_mail_names_no_host_that_a_request_makes_up(
    open_with: Any, email: str, host: str
):
    auth = await open_with(GOTRUE_MAILER_EXTERNAL_HOSTS="auth.ours.example")
    body = {"email": email, "password": PASSWORD}
    answer = await auth.post("/signup", body, headers={"X-Forwarded-Host": host})
    assert answer.status_code == 200
    assert auth.mailbox.link(email).startswith("http://localhost:9999/verify?")
