"""What no honest client sends is refused with the original's kind of error, never with a 500."""

from __future__ import annotations

import pytest

from tests.harness_storage import Storage

DIGITS = "9" * 5000  # more than Python turns into a number


@pytest.mark.parametrize("limit", [DIGITS, f"{DIGITS}KB", 10**400, -1, {}, [], "1.5TB"])
async def test_a_limit_that_is_no_size_is_refused(storage: Storage, limit: object):
    answer = await storage.call(
        "POST", "/bucket", json={"name": "hostile", "file_size_limit": limit}
    )
    assert 400 <= answer.status_code < 500, answer.text


@pytest.mark.parametrize("number", [DIGITS, "9" * 30, 10**30, "-1", "1e400", "²"])
async def test_a_number_of_a_list_that_is_none_is_refused(storage: Storage, number: object):
    await storage.call("POST", "/bucket", json={"name": "listed"})
    for field in ("limit", "offset"):
        answer = await storage.call(
            "POST", "/object/list/listed", json={"prefix": "", field: number}
        )
        assert answer.status_code < 500, (field, answer.text)
    answer = await storage.call("GET", "/bucket", params={"limit": number})
    assert answer.status_code < 500, answer.text


@pytest.mark.parametrize(
    "headers",
    [
        {"x-client-info": f"supabase-py/{DIGITS}.1"},
        {"user-agent": f"supabase-py/storage3 v{DIGITS}.1.1"},
    ],
)
async def test_a_version_of_a_client_may_have_any_length(storage: Storage, headers: dict[str, str]):
    answer = await storage.call("GET", "/bucket", headers=headers)
    assert answer.status_code == 200, answer.text


FILE = 'Content-Disposition: form-data; name=""; filename="f"'


@pytest.mark.parametrize(
    ("before", "file", "after"),
    [
        ([f'Content-Disposition: form-data; name="{number}"' for number in range(11)], FILE, []),
        (['Content-Disposition: form-data; name="again"'] * 11, FILE, []),
        (['Content-Disposition: form-data; name="again"'] * 5, FILE, [FILE] * 100),
        ([], FILE, [FILE] * 1000),
    ],
)
async def test_a_form_of_many_parts_is_refused(
    storage: Storage, before: list[str], file: str, after: list[str]
):
    await storage.call("POST", "/bucket", json={"name": "forms"})
    heads = [*before, file, *after]
    body = "".join(f"--x\r\n{head}\r\n\r\nv\r\n" for head in heads) + "--x--\r\n"
    answer = await storage.call(
        "POST",
        "/object/forms/many",
        content=body,
        headers={"content-type": "multipart/form-data; boundary=x"},
    )
    assert answer.json()["message"] == "Request stream closed before upload could begin", (
        answer.text
    )
    assert (await storage.call("GET", "/object/info/forms/many")).status_code == 400


async def test_a_list_of_names_may_hold_as_many_as_its_limit(storage: Storage):
    await storage.call("POST", "/bucket", json={"name": "named"})
    names = [f"none-{number}" for number in range(1000)]
    answer = await storage.call("DELETE", "/object/named", json={"prefixes": names})
    assert (answer.status_code, answer.json()) == (200, [])
