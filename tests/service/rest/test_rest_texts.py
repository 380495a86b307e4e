"""Texts that are cut or refused: NUL in a value, half a character in JSON."""

import pytest


@pytest.mark.parametrize(
    "query",
    [
        "name=eq.Ann%00x",
        "or=(name.eq.Ann%00x,id.eq.9)",
        "name=in.(Ann%00x,Q)",
        "data->k->>z%00a=eq.deep",
    ],
)
async def test_a_value_ends_at_a_nul(api, query):
    response = await api("GET", f"/emp?select=name&{query}")
    assert (response.status_code, response.json()) == (200, [{"name": "Ann"}])


async def test_a_text_ends_at_a_nul(api):
    response = await api("POST", "/rpc/shown", raw=b"a\0b\xff", Content_Type="text/plain")
    assert (response.status_code, response.json()) == (200, "a")


async def test_a_role_ends_at_a_nul(api):
    response = await api("GET", "/emp", role="rest_member\0x")
    assert response.status_code == 200
    assert (await api("GET", "/emp", role="no\0x")).json()["message"] == 'role "no" does not exist'


@pytest.mark.parametrize("body", [rb'{"body":"\ud800"}', rb'[{"body":"\udc00x"},{"body":"a"}]'])
async def test_half_a_character_is_no_json(api, body):
    response = await api("POST", "/note", raw=body, Content_Type="application/json")
    assert (response.status_code, response.json()["code"]) == (400, "PGRST102")
    assert response.json()["message"] == "Empty or invalid json"


async def test_half_a_character_is_postgresqls_to_refuse_where_columns_are_named(api):
    body = rb'[{"id":70,"name":"\uD800"}]'
    response = await api("POST", "/dept?columns=id,name", raw=body, Content_Type="application/json")
    assert (response.status_code, response.json()["code"]) == (400, "22P02")


@pytest.mark.parametrize(
    ("query", "answer"),
    [
        ('select="nam%00x":name&id=eq.1', [{"nam": "Ann"}]),
        ('select="name%00x"&id=eq.1', [{"name": "Ann"}]),
        ("select=name&id%00x=eq.1", [{"name": "Ann"}]),
        ("select=data->>%00x", "42601"),
    ],
)
async def test_a_name_ends_at_a_nul(api, query, answer):
    response = await api("GET", f"/emp?{query}")
    found = response.json()
    assert (found["code"] if response.status_code == 400 else found) == answer
