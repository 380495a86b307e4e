"""Who is in a room: differences, references, sizes."""

from __future__ import annotations

import json

import pytest

from realtime_compat.protocol.presence import Diff, Meta, Room


def test_tracking_updating_and_leaving():
    room = Room()
    first = room.track(("n", 1), "u", '{"a":1}', "r1")
    assert first.to_json() == '{"joins":{"u":{"metas":[{"a":1,"phx_ref":"r1"}]}},"leaves":{}}'
    assert not room.track(("n", 1), "u", '{"a":1}', "r2")
    update = json.loads(room.track(("n", 1), "u", '{"a":2}', "r3").to_json())
    assert update["joins"]["u"]["metas"] == [{"a": 2, "phx_ref": "r3", "phx_ref_prev": "r1"}]
    assert update["leaves"]["u"]["metas"] == [{"a": 1, "phx_ref": "r1"}]
    room.track(("n", 2), "u", '{"b":1}', "r4")
    assert [meta["phx_ref"] for meta in json.loads(room.state_json())["u"]["metas"]] == ["r3", "r4"]
    assert room.untrack(("n", 1)).leaves[0].ref == "r3"
    assert room.untrack(("n", 1)) == Diff()


def test_a_rooms_size_is_that_of_the_metas_it_has():
    room = Room()
    empty = room.size
    room.track(("n", 1), "u", '{"a":"' + "x" * 5000 + '"}', "r1")
    assert 5000 < room.size < 5500
    room.put(("m", 1), Meta("u", "r2", '{"a":"' + "y" * 700 + '"}'))
    room.track(("n", 1), "u", "{}", "r3")
    assert 700 < room.size < 1300
    room.untrack(("n", 1))
    room.untrack(("m", 1))
    assert room.size == empty == 0


@pytest.mark.parametrize("value", ["{}", " { } ", '{"phx_ref":"mine","a":{}}'])
def test_clients_see_the_reference_that_the_server_gave(value: str):
    meta = Meta("u", "r2", value, "r1")
    shown = json.loads(value) | {"phx_ref": "r2", "phx_ref_prev": "r1"}
    assert json.loads(meta.to_json()) == shown


def test_an_object_is_the_same_in_another_order_but_true_is_not_one():
    room = Room()
    room.track(("n", 1), "u", '{"a":1,"b":[true]}', "r1")
    assert not room.track(("n", 1), "u", '{"b":[true],"a":1}', "r2")
    assert room.track(("n", 1), "u", '{"a":1,"b":[1]}', "r3")


@pytest.mark.parametrize("part", ["1" * 5_000, "[" * 2_000 + "]" * 2_000])
def test_an_object_that_is_passed_on_but_not_decoded_is_another_in_another_order(part: str):
    room = Room()
    room.track(("n", 1), "u", f'{{"a":1,"b":{part}}}', "r1")
    assert not room.track(("n", 1), "u", f'{{"a":1,"b":{part}}}', "r2")
    assert room.track(("n", 1), "u", f'{{"b":{part},"a":1}}', "r3")


def test_differences_one_after_another_are_one():
    one, two = Meta("u", "r1", "{}"), Meta("u", "r2", "{}")
    assert Diff((one,)).then(Diff((two,), (one,))) == Diff((one, two), (one,))
