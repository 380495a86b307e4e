"""Providers that an administrator adds: auth reference 9.3."""

from __future__ import annotations

from tests.harness_auth import Auth, admin_token, location, problem

ADMIN = admin_token()


async def test_custom_providers(auto: Auth):
    path = "/admin/custom-providers"
    body = {
        "provider_type": "oidc", "identifier": "custom:acme", "name": "Acme",
        "client_id": "c", "client_secret": "s", "issuer": "https://id.acme.example",
    }  # fmt: skip
    made = await auto.post(path, body, token=ADMIN)
    assert made.status_code == 201, made.text
    assert "client_secret" not in made.json()
    assert made.json()["pkce_enabled"] is True
    listed = (await auto.get(f"{path}?type=oidc", token=ADMIN)).json()["providers"]
    assert [provider["identifier"] for provider in listed] == ["custom:acme"]
    changed = await auto.put(f"{path}/custom:acme", {"name": "New"}, token=ADMIN)
    assert changed.json()["name"] == "New"
    assert changed.json()["scopes"] == ["openid"]
    again = await auto.post(path, body, token=ADMIN)
    assert problem(again) == (
        400, "conflict", "A custom OAuth provider with this identifier already exists",
    )  # fmt: skip
    long = {"name": "x" * 101}
    assert problem(await auto.post(path, body | long, token=ADMIN))[1] == "conflict"
    other = {"identifier": "custom:other"}
    assert problem(await auto.post(path, body | other | long, token=ADMIN)) == (
        400, "validation_failed", "name must have at most 100 characters",
    )  # fmt: skip
    unread = await auto.put(f"{path}/acme", ["no object"], token=ADMIN)
    assert "must start with 'custom:'" in problem(unread)[2]
    insecure = await auto.put(f"{path}/custom:acme", {"issuer": "http://x"}, token=ADMIN)
    assert problem(insecure) == (400, "validation_failed", "URL must use HTTPS")
    foreign = await auto.get(f"{path}/acme", token=ADMIN)
    assert problem(foreign) == (
        400, "validation_failed", "identifier must start with 'custom:' prefix, e.g. 'custom:acme'",
    )  # fmt: skip
    assert (await auto.delete(f"{path}/custom:acme", token=ADMIN)).status_code == 204
    assert problem(await auto.get(f"{path}/custom:acme", token=ADMIN))[:2] == (
        404, "custom_provider_not_found",
    )  # fmt: skip


async def test_so_many_custom_providers(open_with):
    auth = await open_with(GOTRUE_CUSTOM_OAUTH_MAX_PROVIDERS="1")
    path = "/admin/custom-providers"
    body = {
        "provider_type": "oidc", "identifier": "custom:one", "name": "One", "client_id": "c",
        "client_secret": "s", "issuer": "https://id.one.example",
    }  # fmt: skip
    assert (await auth.post(path, body, token=ADMIN)).status_code == 201
    again = await auth.post(path, {**body, "identifier": "custom:two"}, token=ADMIN)
    assert problem(again) == (
        400, "over_custom_provider_quota", "Maximum number of custom OAuth/OIDC providers reached",
    )  # fmt: skip
    assert (await auth.delete(f"{path}/custom:one", token=ADMIN)).status_code == 204


async def test_custom_providers_come_back_to_an_address_of_their_own(open_with):
    auth = await open_with(
        GOTRUE_CUSTOM_OAUTH_EXTERNAL_URL="https://id.example/auth/v1/",
        GOTRUE_EXTERNAL_REDIRECTURL="https://app.example/done",
    )
    body = {
        "provider_type": "oauth2", "identifier": "custom:plain", "name": "Plain", "client_id": "c",
        "client_secret": "s", "authorization_url": "https://p.example/a",
        "token_url": "https://p.example/t", "userinfo_url": "https://p.example/u",
    }  # fmt: skip
    assert (await auth.post("/admin/custom-providers", body, token=ADMIN)).status_code == 201
    sent = location(await auth.get("/authorize?provider=custom:plain"))[1]
    assert sent["redirect_uri"] == "https://id.example/auth/v1/callback"
    back = await auth.get(f"/callback?state={sent['state']}&error=access_denied")
    assert location(back)[0] == "https://app.example/done"
    path = "/admin/custom-providers/custom:plain"
    assert (await auth.delete(path, token=ADMIN)).status_code == 204
