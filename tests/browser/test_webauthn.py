"""Passkeys and security keys in a real browser with a virtual authenticator, by stock supabase-js."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass
from typing import Any

import pytest
from playwright.async_api import Browser, CDPSession, Page, Route

from tests.harness_programs import free_port
from tests.harness_stack import ROOT, Stack, start_stack

SUPABASE_JS = ROOT / "web/node_modules/@supabase/supabase-js/dist/umd/supabase.js"
# What a phone or a computer has inside, and what is plugged in: supabase-js asks for the first
# where a passkey is made, and for the second where a second factor is.
INSIDE = {
    "protocol": "ctap2", "transport": "internal", "hasResidentKey": True,
    "hasUserVerification": True, "isUserVerified": True, "automaticPresenceSimulation": True,
}  # fmt: skip
PLUGGED = {**INSIDE, "transport": "usb"}
CEREMONY_SECONDS = 60
PASSWORD = "una-buena-clave-9"


@pytest.fixture(scope="module")
def keyed(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stack]:
    """A stack that takes passkeys; their relying party is a domain, so it is called localhost."""
    port = free_port()
    started = start_stack(
        tmp_path_factory.mktemp("keys") / "data",
        PORT=str(port),
        GOTRUE_PASSKEY_ENABLED="true",
        GOTRUE_MFA_WEB_AUTHN_ENROLL_ENABLED="true",
        GOTRUE_MFA_WEB_AUTHN_VERIFY_ENABLED="true",
        GOTRUE_WEBAUTHN_RP_ID="localhost",
        GOTRUE_WEBAUTHN_RP_DISPLAY_NAME="Tests",
        GOTRUE_WEBAUTHN_RP_ORIGINS=f"http://localhost:{port}",
    )
    yield started
    started.stop()


@pytest.fixture
async def page(browser: Browser, keyed: Stack) -> AsyncIterator[Page]:
    """An empty page of the stack's origin with supabase-js as `client`."""
    url = keyed.url.replace("127.0.0.1", "localhost")
    context = await browser.new_context()
    opened = await context.new_page()

    async def empty(route: Route) -> None:
        await route.fulfill(content_type="text/html", body="<!doctype html><title>keys</title>")

    await opened.route("**/keys", empty)
    await opened.goto(f"{url}/keys")
    await opened.add_script_tag(path=SUPABASE_JS)
    await opened.evaluate(
        "([url, key]) => { window.client = supabase.createClient(url, key) }",
        [url, keyed.keys["SUPABASE_ANON_KEY"]],
    )
    yield opened
    await context.close()


@dataclass(frozen=True)
class Authenticator:
    """A virtual authenticator of a page."""

    cdp: CDPSession
    id: str

    async def credentials(self) -> list[dict[str, Any]]:
        """What it keeps."""
        kept = await self.cdp.send("WebAuthn.getCredentials", {"authenticatorId": self.id})
        return kept["credentials"]

    async def forget(self) -> None:
        """Let it keep nothing."""
        await self.cdp.send("WebAuthn.clearCredentials", {"authenticatorId": self.id})


async def _added(page: Page, options: dict[str, Any]) -> Authenticator:
    cdp = await page.context.new_cdp_session(page)
    await cdp.send("WebAuthn.enable")
    added = await cdp.send("WebAuthn.addVirtualAuthenticator", {"options": options})
    return Authenticator(cdp, added["authenticatorId"])


@pytest.fixture
async def inside(page: Page) -> Authenticator:
    """The authenticator inside the page's machine."""
    return await _added(page, INSIDE)


@pytest.fixture
async def plugged(page: Page) -> Authenticator:
    """A security key that is plugged in."""
    return await _added(page, PLUGGED)


@pytest.fixture
async def user(page: Page, request: pytest.FixtureRequest) -> str:
    """The id of somebody who just signed up on the page."""
    email = f"{request.node.name.lower().replace('_', '-')}@example.com"
    answer = await _call(page, "auth.signUp({email, password})", email=email, password=PASSWORD)
    assert answer["error"] is None
    return answer["data"]["user"]["id"]


async def _call(page: Page, call: str, **values: Any) -> dict[str, Any]:
    """What a call of the client resolves to; an error as its code, status and message."""
    names = ", ".join(values)
    async with asyncio.timeout(CEREMONY_SECONDS):
        return await page.evaluate(
            f"async ({{{names}}}) => {{ const {{data, error}} = await client.{call};"
            " return {data, error: error && {code: error.code, status: error.status,"
            " message: error.message}} }",
            values,
        )


async def _claims(page: Page) -> dict[str, Any]:
    answer = await _call(page, "auth.getClaims()")
    assert answer["error"] is None
    return answer["data"]["claims"]


async def test_a_passkey_is_registered_and_signs_in_without_a_name(
    page: Page, inside: Authenticator, user: str
):
    made = await _call(page, "auth.registerPasskey()")
    assert made["error"] is None
    listed = await _call(page, "auth.passkey.list()")
    assert [key["id"] for key in listed["data"]] == [made["data"]["id"]]
    [kept] = await inside.credentials()
    assert (kept["rpId"], kept["isResidentCredential"]) == ("localhost", True)
    assert (await _call(page, "auth.signOut()"))["error"] is None
    session = await _call(page, "auth.signInWithPasskey()")
    assert session["error"] is None
    assert session["data"]["user"]["id"] == user
    claims = await _claims(page)
    assert (claims["sub"], claims["aal"]) == (user, "aal1")
    assert [entry["method"] for entry in claims["amr"]] == ["passkey"]
    [used] = (await _call(page, "auth.passkey.list()"))["data"]
    assert used["last_used_at"]


async def test_one_authenticator_holds_one_passkey_of_a_user(
    page: Page, inside: Authenticator, user: str
):
    assert (await _call(page, "auth.registerPasskey()"))["error"] is None
    again = await _call(page, "auth.registerPasskey()")
    assert again["data"] is None
    assert len((await _call(page, "auth.passkey.list()"))["data"]) == 1


async def test_a_deleted_passkey_does_not_sign_in(page: Page, inside: Authenticator, user: str):
    made = (await _call(page, "auth.registerPasskey()"))["data"]
    gone = await _call(page, "auth.passkey.delete({passkeyId})", passkeyId=made["id"])
    assert gone["error"] is None
    await _call(page, "auth.signOut()")
    refused = await _call(page, "auth.signInWithPasskey()")
    assert refused["error"]["code"] == "webauthn_verification_failed"
    assert refused["error"]["status"] == 400


async def test_a_security_key_is_enrolled_and_raises_a_session(
    page: Page, plugged: Authenticator, user: str, request: pytest.FixtureRequest
):
    made = await _call(page, "auth.mfa.webauthn.register({friendlyName: 'llave'})")
    assert made["error"] is None
    claims = await _claims(page)
    assert claims["aal"] == "aal2"
    assert claims["amr"][0]["method"] == "mfa/webauthn"
    await _call(page, "auth.signOut()")
    email = f"{request.node.name.lower().replace('_', '-')}@example.com"
    signed_in = await _call(
        page, "auth.signInWithPassword({email, password})", email=email, password=PASSWORD
    )
    assert signed_in["error"] is None
    levels = await _call(page, "auth.mfa.getAuthenticatorAssuranceLevel()")
    assert (levels["data"]["currentLevel"], levels["data"]["nextLevel"]) == ("aal1", "aal2")
    factors = (await _call(page, "auth.mfa.listFactors()"))["data"]
    [factor] = factors["webauthn"]
    assert (factor["friendly_name"], factor["status"]) == ("llave", "verified")
    raised = await _call(page, "auth.mfa.webauthn.authenticate({factorId})", factorId=factor["id"])
    assert raised["error"] is None
    assert (await _claims(page))["aal"] == "aal2"


async def test_without_its_key_a_session_is_not_raised(
    page: Page, plugged: Authenticator, user: str
):
    assert (await _call(page, "auth.mfa.webauthn.register({friendlyName: 'una'})"))["error"] is None
    [factor] = (await _call(page, "auth.mfa.listFactors()"))["data"]["webauthn"]
    await plugged.forget()
    refused = await _call(page, "auth.mfa.webauthn.authenticate({factorId})", factorId=factor["id"])
    assert refused["data"] is None
    assert refused["error"] is not None
