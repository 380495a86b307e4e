"""Photos over HTTP: nobody outside the couple reads, lists, signs, counts, embeds or hears of one.

The names begin with the rows of the planner's design.
"""

from __future__ import annotations

import uuid
from typing import Any

import httpx2
import pytest

from tests.harness_access import Cast
from tests.harness_couple import Person, import_person, make_couple
from tests.harness_live import open_socket
from tests.harness_stack import Stack
from tests.harness_workers import until

REST, STORAGE = "/rest/v1", "/storage/v1"
PHOTOS = {"event": "*", "schema": "public", "table": "recuerdos"}
WEBP = b"RIFF\x1a\x00\x00\x00WEBPVP8L\x0d\x00\x00\x00\x2f\x00\x00\x00\x10\x07\x10\x11\x11\x88\x88\xfe\x07\x00"


def put(person: Person, name: str, content_type: str = "image/webp") -> httpx2.Response:
    return person.client.post(
        f"{STORAGE}/object/recuerdos/{name}", content=WEBP, headers={"content-type": content_type}
    )


def announce(person: Person, plan: str) -> tuple[str, dict[str, Any]]:
    photo = str(uuid.uuid4())
    announced = person.rpc(
        "preparar_recuerdo", id=photo, plan=plan, ancho=1, alto=1, bytes=2 * len(WEBP)
    )
    return photo, announced


def add_photo(person: Person, plan: str) -> tuple[str, str]:
    """The photo's id and its file's name."""
    photo, announced = announce(person, plan)
    for name in (announced["ruta"], announced["miniatura"]):
        assert put(person, name).is_success
    person.rpc("terminar_recuerdo", id=photo)
    return photo, announced["ruta"]


def reads(client: httpx2.Client, name: str) -> list[bool]:
    """Whether somebody gets anything of a photo, each way by itself."""
    folder = name.split("/", maxsplit=1)[0]
    listed = client.post(f"{STORAGE}/object/list/recuerdos", json={"prefix": folder})
    many = client.post(
        f"{STORAGE}/object/sign/recuerdos", json={"expiresIn": 3600, "paths": [name]}
    )
    return [
        client.get(f"{STORAGE}/object/authenticated/recuerdos/{name}").is_success,
        client.get(f"{STORAGE}/object/recuerdos/{name}").is_success,
        client.get(f"{STORAGE}/object/public/recuerdos/{name}").is_success,
        client.get(f"{STORAGE}/render/image/authenticated/recuerdos/{name}").is_success,
        client.get(f"{STORAGE}/object/info/recuerdos/{name}").is_success,
        client.post(f"{STORAGE}/object/sign/recuerdos/{name}", json={"expiresIn": 60}).is_success,
        listed.is_success and listed.json() != [],
        many.is_success and many.json()[0].get("signedURL") is not None,
    ]


NOTHING = [False] * 8


def counted(client: httpx2.Client, path: str) -> tuple[int, Any]:
    answer = client.get(f"{REST}/{path}", headers={"prefer": "count=exact"})
    return answer.status_code, (answer.json() if answer.is_success else answer.json()["code"])


def test_c14_1_an_outsider_and_nobody_get_nothing_of_a_photo(cast: Cast) -> None:
    photo, name = add_photo(cast.luis, cast.activity)
    for person in (cast.ana, cast.luis):
        ways = reads(person.client, name)
        assert (ways[:3], ways[4:]) == ([True, True, False], [True] * 4)
    for client in (cast.eva.client, cast.nobody):
        assert reads(client, name) == NOTHING
    for path in ("recuerdos?select=*", f"recuerdos?id=eq.{photo}"):
        assert counted(cast.eva.client, path) == (200, [])
    assert counted(cast.eva.client, "actividades?select=*,recuerdos(*)") == (200, [])
    assert counted(cast.nobody, "recuerdos?select=*") == (401, "42501")
    for function in ("terminar_recuerdo", "borrar_recuerdo", "recuperar_recuerdo"):
        path = f"{REST}/rpc/{function}"
        assert cast.eva.client.post(path, json={"id": photo}).status_code == 400
        assert cast.nobody.post(path, json={"id": photo}).status_code == 401
    assert counted(cast.ana.client, "actividades?select=recuerdos(id)")[1] == [
        {"recuerdos": [{"id": photo}]}
    ]


def test_c14_1_no_file_is_changed_removed_or_put_where_none_was_announced(cast: Cast) -> None:
    _, name = add_photo(cast.luis, cast.activity)
    folder = name.split("/", maxsplit=1)[0]
    for person in (cast.luis, cast.ana, cast.eva):
        client = person.client
        for made in (f"{folder}/{uuid.uuid4()}", f"{name}.html", f"{person.id}/x", "x"):
            assert not put(person, made).is_success
        assert not client.put(
            f"{STORAGE}/object/recuerdos/{name}", content=WEBP,
            headers={"content-type": "image/webp"},
        ).is_success  # fmt: skip
        client.request("DELETE", f"{STORAGE}/object/recuerdos", json={"prefixes": [name]})
        for way in ("move", "copy"):
            body = {"bucketId": "recuerdos", "sourceKey": name, "destinationKey": f"{name}.2"}
            assert not client.post(f"{STORAGE}/object/{way}", json=body).is_success
        assert not client.put(f"{STORAGE}/bucket/recuerdos", json={"public": True}).is_success
    assert cast.ana.client.get(f"{STORAGE}/object/recuerdos/{name}").content == WEBP


def test_c14_4_what_is_no_picture_of_the_two_kinds_or_too_big_is_refused(cast: Cast) -> None:
    photo, announced = announce(cast.ana, cast.activity)
    for kind in ("image/svg+xml", "text/html", "image/png"):
        assert put(cast.ana, announced["ruta"], kind).json()["error"] == "invalid_mime_type"
    answer = cast.ana.client.post(
        f"{STORAGE}/object/recuerdos/{announced['ruta']}", content=b"x" * (3 * 1024 * 1024 + 1),
        headers={"content-type": "image/webp"},
    )  # fmt: skip
    assert answer.json()["statusCode"] == "413"
    cast.ana.rpc("borrar_recuerdo", id=photo)
    assert not put(cast.ana, announced["ruta"]).is_success


async def test_c14_1_the_former_partner_gets_nothing_and_hears_nothing(stack: Stack) -> None:
    ana, luis = make_couple(stack)
    eva = import_person(stack, "Eva")
    plan = ana.create_activity("Secreto", "2026-12-24")
    photo, name = add_photo(ana, plan)
    signed = luis.client.post(
        f"{STORAGE}/object/sign/recuerdos/{name}", json={"expiresIn": 1}
    ).json()["signedURL"]
    signed = f"{stack.url}{STORAGE}{signed}"
    luis.rpc("desvincular_pareja")
    assert reads(luis.client, name) == NOTHING
    assert ana.client.get(f"{STORAGE}/object/recuerdos/{name}").is_success
    assert counted(luis.client, "recuerdos?select=*") == (200, [])
    key = stack.keys["SUPABASE_PUBLISHABLE_KEY"]
    async with open_socket(stack.url, key) as lefts, open_socket(stack.url, key) as own:
        for person, live in ((luis, lefts), (ana, own)):
            await live.subscribe("planes-extras", person.session["access_token"], PHOTOS)
        ana.rpc("borrar_recuerdo", id=photo)
        await own.await_change(lambda data: data["type"] == "DELETE")
        ana.rpc("recuperar_recuerdo", id=photo)
        await own.await_change(lambda data: data["type"] == "INSERT")
        await lefts.settle()
        eva.rpc("aceptar_invitacion", codigo=luis.rpc("crear_invitacion")["codigo"])
        _, hers = add_photo(eva, luis.create_activity("Otro", "2026-12-24"))
        received = await lefts.await_change(lambda data: data["type"] == "UPDATE")
        assert received["record"]["ruta"] == hers
        assert lefts.changes == []
    until(lambda: not httpx2.get(signed).is_success, "the signed address has ended")
    assert httpx2.get(signed).json()["error"] == "InvalidJWT"


@pytest.mark.parametrize("path", ["recuerdos_borrados", "recuerdos?select=*,autor:autor_id(*)"])
def test_c14_what_is_deleted_and_the_accounts_are_in_no_schema_of_the_api(
    cast: Cast, path: str
) -> None:
    assert counted(cast.ana.client, path)[1] in {"PGRST205", "PGRST200"}
