"""Headers that browsers read, and tokens whose header cannot be read."""

import base64
import json

import pytest

from tests.harness_rest import serving, token

ORIGIN = {"Origin": "http://a"}


def cross_origin(response):
    return {name for name in response.headers if name.startswith("access-control-")}


async def test_a_preflight_names_no_headers_that_it_was_not_asked_for(api):
    response = await api("OPTIONS", "/emp", **ORIGIN, Access_Control_Request_Method="PATCH")
    assert cross_origin(response) == {
        "access-control-allow-origin",
        "access-control-allow-methods",
        "access-control-max-age",
    }
    assert "content-length" not in response.headers


async def test_a_preflight_names_a_header_once(api):
    response = await api(
        "OPTIONS",
        "/emp",
        **ORIGIN,
        Access_Control_Request_Method="GET",
        Access_Control_Request_Headers="accept,x",
    )
    listed = "Authorization, accept, x, Accept-Language, Content-Language"
    assert response.headers["access-control-allow-headers"] == listed


@pytest.mark.parametrize("requested", [{}, {"Access_Control_Request_Method": "TRACE"}])
async def test_options_that_are_no_preflight_have_the_headers_of_options_alone(api, requested):
    response = await api("OPTIONS", "/emp", **ORIGIN, **requested)
    assert response.headers["allow"].startswith("OPTIONS,GET,HEAD")
    assert cross_origin(response) == {"access-control-allow-origin"}
    response = await api("OPTIONS", "/nowhere", **ORIGIN, **requested)
    assert (response.status_code, cross_origin(response)) == (404, set())


async def test_an_answer_has_one_allowed_origin_whatever_is_configured(server, rest_database):
    async with serving(server, rest_database, SERVER_CORS_ALLOWED_ORIGINS="http://a") as limited:
        for method, origin in (("OPTIONS", "http://a"), ("OPTIONS", "http://b")):
            response = await limited(method, "/emp", Origin=origin)
            assert response.headers.get_list("access-control-allow-origin") == ["*"]
        response = await limited("GET", "/emp", Origin="http://a")
        assert response.headers.get_list("access-control-allow-origin") == ["http://a"]
        response = await limited("GET", "/emp", Origin="http://b")
        assert cross_origin(response) == set()


@pytest.mark.parametrize("algorithm", ["PS256", "ES256K", "FOO", "NONE"])
async def test_a_token_of_an_algorithm_that_is_not_known_cannot_be_read(api, algorithm):
    header = base64.urlsafe_b64encode(json.dumps({"alg": algorithm}).encode()).rstrip(b"=")
    _, claims, signature = token(role="rest_member").split(".")
    sent = f"Bearer {header.decode()}.{claims}.{signature}"
    response = await api("GET", "/emp", Authorization=sent)
    message = "JWT cryptographic operation failed"
    assert (response.status_code, response.json()["message"]) == (401, message)
    assert response.headers["www-authenticate"].endswith(f'error_description="{message}"')
