"""Bodies, errors, statuses and headers that every call shares: auth reference 1, 3.9."""

from __future__ import annotations

import pytest

from tests.harness_auth import (
    PASSWORD,
    SECRET,
    Auth,
    admin_token,
    problem,
)  # fmt: skip


async def test_names_in_a_body_are_found_in_any_case(auto: Auth, email: str):
    body = {"Email": email, "PASSWORD": PASSWORD, "data": {"Kept": 1}}
    user = (await auto.post("/signup", body)).json()["user"]
    assert (user["email"], user["user_metadata"]["Kept"]) == (email, 1)
    both = {"EMAIL": "other@example.com", "email": email, "password": PASSWORD}
    assert (await auto.post("/token?grant_type=password", both)).status_code == 200


async def test_both_error_bodies(auth: Auth):
    new = await auth.post("/signup", {"email": "a@b.c", "password": "1"})
    assert new.json() == {
        "code": "weak_password", "message": "Password should be at least 6 characters.",
        "weak_password": {"reasons": ["length"]},
    }  # fmt: skip
    assert new.headers["X-Supabase-Api-Version"] == "2024-01-01"
    old = await auth.post("/signup", {"email": "a@b.c", "password": "1"}, old=True)
    assert old.json() == {
        "code": 422, "error_code": "weak_password",
        "msg": "Password should be at least 6 characters.",
        "weak_password": {"reasons": ["length"]},
    }  # fmt: skip
    assert "X-Supabase-Api-Version" not in old.headers
    plain = await auth.get("/user", old=True)
    assert plain.json() == {
        "code": 401, "error_code": "no_authorization",
        "msg": "This endpoint requires a valid Bearer token",
    }  # fmt: skip
    assert plain.headers["X-Sb-Error-Code"] == "no_authorization"
    assert plain.headers["Vary"] == "Origin"


async def test_spanish_readers_get_spanish_texts_with_the_same_code(auth: Auth):
    answer = await auth.call(
        "POST", "/token?grant_type=password", {"email": "nadie@example.com", "password": "x"},
        headers={"Accept-Language": "es-ES,es;q=0.9,en;q=0.8"},
    )  # fmt: skip
    assert problem(answer) == (
        400, "invalid_credentials", "Correo o contraseña incorrectos",
    )  # fmt: skip


async def test_bodies_that_are_no_json(auth: Auth):
    """How each is worded: tests/unit/gotrue/http/test_json_body."""
    for body in (
        b"",
        b"[1]",
        b'{"email": 5}',
        b"\xff",
        b'{"data":' + b'{"\\u0061":' * 900 + b"1" + b"}" * 901,
    ):
        status, code, text = problem(await auth.post("/signup", body))
        assert (status, code) == (400, "bad_json")
        assert text.startswith("Could not parse request body as JSON: ")


async def test_json_is_read_whatever_the_content_type_says(auto: Auth, email: str):
    await auto.signed_up(email)
    body = f'{{"email": "{email}", "password": "{PASSWORD}", "code_challenge": null}}'.encode()
    answer = await auto.call(
        "POST", "/token?grant_type=password", body, headers={"content-type": "text/plain"}
    )
    assert answer.status_code == 200


@pytest.mark.parametrize("path", ["/signup", "/recover", "/magiclink", "/token?grant_type=pkce"])
async def test_what_says_that_it_is_a_form_is_not_read_as_json(auto: Auth, path):
    headers = {"content-type": "application/x-www-form-urlencoded"}
    status, code, text = problem(await auto.call("POST", path, b"{}", headers=headers))
    assert (status, code) == (400, "bad_json")
    assert text.endswith(("unexpected end of JSON input", "EOF"))


async def test_unknown_paths_wrong_methods_and_large_bodies(auth: Auth):
    missing = await auth.get("/nowhere")
    assert (missing.status_code, missing.text.strip()) == (404, "404 page not found")
    assert missing.headers["content-type"].startswith("text/plain")
    assert missing.headers["x-content-type-options"] == "nosniff"
    for path in ("/admin/custom-providers/%00", "/oauth/authorizations/x%00"):
        assert (await auth.get(path, token=admin_token())).status_code == 404
    wrong = await auth.delete("/signup")
    assert (wrong.status_code, wrong.content, wrong.headers["allow"]) == (405, b"", "POST")
    large = await auth.post("/signup", b'{"x":"' + b"a" * 1_100_000 + b'"}')
    assert problem(large) == (
        413, "request_entity_too_large", "Request body too large (max 1048576 bytes)",
    )  # fmt: skip


async def test_what_a_request_expects_beyond_a_word_that_it_may_go_on(auth: Auth):
    refused = await auth.call("GET", "/settings", headers={"Expect": "tea"})
    assert (refused.status_code, refused.content) == (417, b"")
    awaited = await auth.call("GET", "/settings", headers={"Expect": "100-Continue"})
    assert awaited.status_code == 200


async def test_browsers_of_other_origins_may_call(auth: Auth):
    answer = await auth.call(
        "OPTIONS", "/token",
        headers={
            "Origin": "http://localhost:5173", "Access-Control-Request-Method": "POST",
            "Access-Control-Request-Headers": "content-type,x-client-info",
        },
    )  # fmt: skip
    assert answer.status_code == 204
    assert answer.headers["access-control-allow-origin"] == "*"
    plain = await auth.call("GET", "/health", headers={"Origin": "http://localhost:5173"})
    assert plain.headers["access-control-allow-origin"] == "*"
    assert "X-Total-Count" in plain.headers["access-control-expose-headers"]


async def test_discovery(auth: Auth):
    assert (await auth.get("/health")).json() == {
        "version": "v2.196.0", "name": "GoTrue",
        "description": "GoTrue is a user registration and authentication API",
    }  # fmt: skip
    settings = (await auth.get("/settings")).json()
    assert len(settings["external"]) == 26
    assert settings["external"]["email"] is True
    assert settings["external"]["google"] is False
    assert settings["mailer_autoconfirm"] is False
    assert settings["saml_private_key_next_configured"] is True, (
        "as the original's, where it is off"
    )
    keys = await auth.get("/.well-known/jwks.json")
    assert keys.json() == {"keys": []}
    assert keys.headers["cache-control"] == "public, max-age=600"
    metadata = (await auth.get("/.well-known/openid-configuration")).json()
    assert list(metadata)[5:7] == ["scopes_supported", "response_types_supported"]
    assert metadata["id_token_signing_alg_values_supported"] == ["RS256", "HS256", "ES256"]


async def test_without_a_database_the_service_answers_503(open_with):
    away = await open_with(DATABASE_URL="postgresql://nobody@127.0.0.1:1/none")
    answer = await away.post("/token?grant_type=password", {"email": "a@b.c", "password": "x"})
    assert answer.status_code == 503
    assert (await away.get("/health")).status_code == 200
    assert SECRET not in str(away.observations)


async def test_without_a_free_connection_the_service_answers_503(open_with, auto: Auth):
    """503 is what clients try again; a 500 would say that trying again is of no use."""
    await auto.rows("alter role supabase_auth_admin connection limit 0")
    try:
        full = await open_with()
        answer = await full.post("/recover", {"email": "a@b.es"})
    finally:
        await auto.rows("alter role supabase_auth_admin connection limit -1")
    assert answer.status_code == 503
    assert (await full.post("/recover", {"email": "a@b.es"})).status_code == 200


async def test_a_grant_may_be_a_field_of_a_form_which_leaves_no_json_behind(auto: Auth, email: str):
    await auto.signed_up(email)
    form = {"Content-Type": "application/x-www-form-urlencoded"}
    body = f"grant_type=password&email={email}&password=correct%20horse".encode()
    assert problem(await auto.call("POST", "/token", body, headers=form)) == (
        400, "bad_json", "Could not parse request body as JSON: unexpected end of JSON input",
    )  # fmt: skip
    wrong = "/token?grant_type=password"
    body = b"grant_type=none"
    assert (
        problem(await auto.call("POST", wrong, body, headers=form))[2] == "unsupported_grant_type"
    )


async def test_scim_tells_that_it_has_nothing_yet(auth: Auth, open_with):
    for path in ("/scim/v2", "/scim/v2/Schemas", "/scim/v2/Users/1"):
        refused = (404, "feature_disabled", "SCIM server is disabled")
        assert problem(await auth.get(path)) == refused
    own = await open_with(GOTRUE_EXPERIMENTAL_SCIM_ENABLED="true")
    config = await own.get("/scim/v2/ServiceProviderConfig")
    assert config.headers["content-type"] == "application/scim+json"
    assert config.json()["meta"]["location"].endswith("/scim/v2/ServiceProviderConfig")
    assert config.json()["bulk"] == {"supported": False, "maxOperations": 0, "maxPayloadSize": 0}
    for path in ("/scim/v2/ResourceTypes", "/scim/v2/Schemas"):
        assert (await own.get(path)).json() == {
            "schemas": ["urn:ietf:params:scim:api:messages:2.0:ListResponse"],
            "totalResults": 0, "startIndex": 1, "itemsPerPage": 0, "Resources": [],
        }  # fmt: skip
        answer = await own.get(f"{path}?filter=x")
        assert (answer.status_code, answer.json()["status"]) == (403, "403")
    for path in ("/scim/v2", "/scim/v2/Users", "/scim/v2/Users/1"):
        answer = await own.get(path)
        assert (answer.status_code, answer.json()) == (
            404,
            {
                "schemas": ["urn:ietf:params:scim:api:messages:2.0:Error"], "status": "404",
                "detail": "Endpoint or resource does not exist",
            },
        )  # fmt: skip
    assert (await own.post("/scim/v2/Schemas")).status_code == 405
