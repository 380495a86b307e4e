"""What is refused first: the caller and switched-off features before methods and paths."""

from __future__ import annotations

import pytest
import pytest_asyncio

from tests.harness_auth import AUTO, Auth, admin_token, problem

NO_TOKEN = (401, "no_authorization", "This endpoint requires a valid Bearer token")


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def plain(open_with) -> Auth:
    """An instance where addresses confirm themselves and nothing optional is on."""
    return await open_with(**AUTO)


@pytest.mark.parametrize(
    ("method", "path"),
    [
        ("POST", "/user"),
        ("GET", "/user/nothing"),
        ("GET", "/user/identities/authorize"),
        ("POST", "/reauthenticate"),
        ("GET", "/factors"),
        ("GET", "/admin/nothing"),
        ("PATCH", "/admin/users"),
        ("GET", "/admin"),
        ("GET", "/admin/oauth/clients"),
    ],
)
async def test_without_a_token_neither_method_nor_path_is_told(plain: Auth, method, path):
    assert problem(await plain.call(method, path)) == NO_TOKEN


@pytest.mark.parametrize(
    ("method", "path", "code"),
    [
        ("GET", "/passkeys/nothing", "passkey_disabled"),
        ("GET", "/sso", "saml_provider_disabled"),
        ("GET", "/sso/nothing", "saml_provider_disabled"),
        ("GET", "/oauth/token", "feature_disabled"),
        ("GET", "/oauth/nothing", "feature_disabled"),
    ],
)
async def test_below_a_feature_that_is_off_everything_is_404(plain: Auth, method, path, code):
    assert problem(await plain.call(method, path))[:2] == (404, code)


async def test_with_a_token_the_feature_comes_before_the_method(plain: Auth, email: str):
    token = (await plain.signed_up(email))["access_token"]
    answer = await plain.call("PATCH", "/user/identities/nothing", token=token)
    assert problem(answer)[:2] == (404, "manual_linking_disabled")
    answer = await plain.call("GET", "/admin/oauth/nothing", token=admin_token())
    assert problem(answer)[:2] == (404, "feature_disabled")


async def test_with_a_token_an_unknown_method_is_405_and_an_unknown_path_404(
    plain: Auth, email: str
):
    token = (await plain.signed_up(email))["access_token"]
    wrong = await plain.call("POST", "/user", token=token)
    assert (wrong.status_code, wrong.content) == (405, b"")
    assert sorted(wrong.headers.get_list("allow")) == ["GET", "PUT"]
    assert (await plain.get("/user/nothing", token=token)).status_code == 404
    assert (await plain.get("/admin/nothing", token=admin_token())).status_code == 404


@pytest.mark.parametrize("header", ["Bearer  {}", "Bearer {} x", "Bearer", "Basic {}", "{}"])
async def test_a_bearer_token_stands_after_one_blank(plain: Auth, email: str, header: str):
    token = (await plain.signed_up(email))["access_token"]
    answer = await plain.get("/user", headers={"Authorization": header.format(token)})
    assert problem(answer) == NO_TOKEN
    for right in (f"bEARER {token}", f"Bearer {token} ", f"Bearer {token}\t"):
        answer = await plain.get("/user", headers={"Authorization": right})
        assert answer.status_code == 200


async def test_routes_outside_of_such_routers_tell_their_methods_to_anybody(plain: Auth):
    for path in ("/logout", "/token", "/invite", "/recover"):
        assert (await plain.get(path)).status_code == 405
    assert (await plain.post("/logout/")).status_code == 404


UNKNOWN = "3b241101-e2bb-4255-8caf-4136c566a962"


@pytest.mark.parametrize(
    ("method", "path", "status", "code"),
    [
        ("PATCH", "/admin/users/x", 404, "validation_failed"),
        ("POST", f"/admin/users/{UNKNOWN}", 404, "user_not_found"),
        ("GET", f"/admin/users/{UNKNOWN}/nothing", 404, "user_not_found"),
        ("GET", f"/admin/users/{UNKNOWN}/factors/x/y", 404, "user_not_found"),
        ("PUT", f"/admin/users/{UNKNOWN}/factors/x", 404, "user_not_found"),
        ("DELETE", f"/admin/users/{UNKNOWN}/factors/x", 404, "user_not_found"),
        ("POST", "/admin/sso/providers/x", 404, "sso_provider_not_found"),
        ("GET", "/admin/sso/providers/x/y", 404, "sso_provider_not_found"),
    ],
)
async def test_what_a_path_names_is_looked_for_before_a_wrong_method_is_told(
    plain: Auth, method, path, status, code
):
    assert problem(await plain.call(method, path, token=admin_token()))[:2] == (status, code)


async def test_a_known_user_has_methods_and_unknown_paths_below(plain: Auth, email: str):
    user_id = (await plain.signed_up(email))["user"]["id"]
    wrong = await plain.call("PATCH", f"/admin/users/{user_id}", token=admin_token())
    assert (wrong.status_code, wrong.content) == (405, b"")
    unknown = await plain.get(f"/admin/users/{user_id}/nothing", token=admin_token())
    assert (unknown.status_code, unknown.text) == (404, "404 page not found\n")


@pytest.mark.parametrize("path", ["/factors/x/y/z", "/factors/x", "/factors/x/nothing"])
async def test_below_factors_the_id_is_read_first(plain: Auth, email: str, path):
    token = (await plain.signed_up(email))["access_token"]
    answer = await plain.get(path, token=token)
    assert problem(answer) == (404, "validation_failed", "factor_id must be an UUID")


async def test_a_client_of_the_oauth_server_is_looked_for_before_the_method(open_with):
    service = await open_with(**AUTO, GOTRUE_OAUTH_SERVER_ENABLED="true")
    for path in ("/admin/oauth/clients/x", "/admin/oauth/clients/x/nothing"):
        answer = await service.call("PATCH", path, token=admin_token())
        assert problem(answer) == (400, "validation_failed", "invalid client_id format")


@pytest.mark.parametrize("method", ["PUT", "DELETE", "PATCH"])
async def test_a_callback_without_a_flow_redirects_whatever_the_method(plain: Auth, method):
    answer = await plain.call(method, "/callback?state=x")
    assert answer.status_code == 303
    assert "error_code=bad_oauth_state" in answer.headers["location"]


async def test_an_identity_may_be_called_like_another_routes_path(open_with, email: str):
    service = await open_with(**AUTO, GOTRUE_SECURITY_MANUAL_LINKING_ENABLED="true")
    token = (await service.signed_up(email))["access_token"]
    answer = await service.call("DELETE", "/user/identities/authorize", token=token)
    assert problem(answer)[:2] == (404, "validation_failed")


async def test_a_method_that_nobody_knows_is_405_before_all_else(plain: Auth):
    for path in ("/user", "/health", "/admin/users/x", "/callback"):
        answer = await plain.call("BREW", path)
        assert (answer.status_code, answer.content) == (405, b"")
        assert "allow" not in answer.headers


async def test_where_nobody_is_anonymous_that_is_told_however_often_one_asks(open_with):
    strict = await open_with(
        GOTRUE_RATE_LIMIT_HEADER="x-forwarded-for", GOTRUE_RATE_LIMIT_ANONYMOUS_USERS="1"
    )
    for _ in range(3):
        answer = await strict.call("POST", "/signup", {}, headers={"X-Forwarded-For": "192.0.2.1"})
        assert problem(answer)[:2] == (422, "anonymous_provider_disabled")


async def test_of_a_new_password_the_address_the_nonce_and_then_the_password_are_judged(
    open_with, email: str
):
    careful = await open_with(
        **AUTO,
        GOTRUE_SECURITY_UPDATE_PASSWORD_REQUIRE_REAUTHENTICATION="true",
        GOTRUE_SECURITY_UPDATE_PASSWORD_REQUIRE_CURRENT_PASSWORD="true",
    )
    token = (await careful.signed_up(email))["access_token"]
    await careful.signed_up(f"other-{email}")
    await careful.rows("update auth.sessions set created_at = now() - interval '2 days'")

    taken = {"password": "second one", "email": f"other-{email}"}
    assert problem(await careful.put("/user", taken, token=token))[1] == "email_exists"
    wrong = {"password": "second one", "nonce": "000000"}
    answer = await careful.put("/user", wrong, token=token)
    assert problem(answer)[:2] == (422, "reauthentication_not_valid")
    await careful.get("/reauthenticate", token=token)
    right = wrong | {"nonce": careful.mailbox.otp(email)}
    answer = await careful.put("/user", right, token=token)
    assert problem(answer)[1] == "current_password_required"
