"""What is a message of this project's nodes, heard for the first time, and what is not."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from realtime_compat.cluster.messages import (
    Alive,
    Body,
    BusMessage,
    Call,
    Gone,
    Lost,
    Members,
    Reply,
    Rooms,
    RoomsRouted,
    topic_of,
)
from realtime_compat.cluster.signing import Refusal, Signer, project_of
from realtime_compat.cluster.wire import read, write
from realtime_compat.hub import Published, Tracked, Untracked
from realtime_compat.protocol.messages import Message, RoomName, UserBroadcast
from realtime_compat.protocol.presence import Meta

ROOM = RoomName("room", is_private=False)
HERE, THERE = "aa" * 8, "bb" * 8
TRACKED = Tracked(ROOM, 3, Meta("k", "r", '{"n":1}', None, THERE))
BODIES: list[Body] = [
    Published(ROOM, Message("realtime:room", "broadcast", '{"é":1}')),
    Published(ROOM, UserBroadcast("realtime:room", "e", b"\x00\xff\n", True, "")),
    TRACKED,
    Untracked(ROOM, 3),
    Alive(asks=True, knows=(HERE,)),
    Gone(),
    Lost(ROOM),
    Members((TRACKED,), first=True, last=False),
    Rooms((ROOM, RoomName("other", is_private=True)), are_open=False),
    RoomsRouted((ROOM,)),
    Call(THERE, 3, b"\n{}\x00"),
    Reply(HERE, 3, None),
    Reply(HERE, 3, b""),
]


def pair() -> tuple[Signer, Signer]:
    """Two nodes of one project; the first has been told of the second."""
    project = project_of("a secret")
    here, there = Signer(project, HERE), Signer(project, THERE)
    assert isinstance(
        here.verify(there.sign(BusMessage(THERE, 0, Alive(knows=(HERE,))))), BusMessage
    )
    return here, there


@pytest.mark.parametrize("body", BODIES)
def test_a_message_comes_out_as_it_went_in(body: Body):
    here, there = pair()
    assert here.verify(there.sign(BusMessage(THERE, 7, body))) == BusMessage(THERE, 7, body)


def test_a_message_is_heard_once_and_never_after_a_later_one():
    here, there = pair()
    first, second = (there.sign(BusMessage(THERE, 0, Gone())) for _ in range(2))
    assert isinstance(here.verify(second), BusMessage)
    assert [here.verify(first), here.verify(second)] == [Refusal.REPLAYED] * 2


def test_another_projects_message_is_foreign_even_in_this_channel():
    here, _ = pair()
    stranger = Signer(project_of("another secret"), THERE)
    assert here.verify(stranger.sign(BusMessage(THERE, 0, Gone()))) is Refusal.FOREIGN
    assert project_of("a secret").channel != project_of("another secret").channel


def test_a_message_of_one_channel_is_foreign_in_another():
    here, there = pair()
    channel = here.project.room(topic_of(ROOM))
    assert here.project.topic_of(channel) == topic_of(ROOM)
    message = there.sign(BusMessage(THERE, 0, BODIES[0]), channel)
    assert here.verify(message) is Refusal.FOREIGN
    assert isinstance(here.verify(message, channel), BusMessage)


def test_a_node_is_heard_once_it_has_written_to_this_one():
    project = project_of("a secret")
    here, there = Signer(project, HERE), Signer(project, THERE)
    assert here.verify(there.sign(BusMessage(THERE, 0, Gone()))) is Refusal.UNKNOWN_NODE
    assert list(here.unknown_nodes) == [THERE]
    assert (
        here.verify(there.sign(BusMessage(THERE, 0, Alive(knows=("cc" * 8,)))))
        is Refusal.UNKNOWN_NODE
    )
    assert isinstance(
        here.verify(there.sign(BusMessage(THERE, 0, Alive(knows=(HERE,))))), BusMessage
    )
    assert isinstance(here.verify(there.sign(BusMessage(THERE, 0, Gone()))), BusMessage)


def test_a_nodes_own_message_is_an_echo_once_and_a_replay_then():
    here, _ = pair()
    message = here.sign(BusMessage(HERE, 0, Gone()))
    assert here.verify(message) is None
    assert here.verify(message) is Refusal.REPLAYED


@given(st.binary(max_size=300), st.integers(0, 200), st.booleans())
def test_a_message_changed_anywhere_is_refused(garbage: bytes, place: int, keeps_head: bool):
    here, there = pair()
    message = there.sign(BusMessage(THERE, 0, BODIES[0]))
    changed = message[:place] + garbage + message[place + len(garbage) :]
    data = changed if keeps_head else garbage
    if data != message:
        assert here.verify(data) in {Refusal.FOREIGN, Refusal.UNREADABLE}
        assert sum(here.refused.values()) == 1


@pytest.mark.parametrize(
    "body",
    [
        b'["x",1,"message","t"]\n', b'[1,0,0,"message","t"]\n', b"[]", b"[" * 100_000, b"\xff",
        b'[1,0,0,"track",["t"],false,1,"k","r",{},null,"n"]\n', b'[1,0,0,"unknown"]\n', b"{}", b"null",
        b'[1,0,0,"message","t",false,"t","e"]\n\xff\xfe', b'[1,0,0,"gone",1]\n', b'[true,0,0,"gone"]\n',
        b'[1,0,0,"track","t",false,1,"k","r",[],null,"n"]\n', b'[1,0,0,["gone"]]\n', b'[1,0,0,"members",{},true,true]\n',
        b'[1,0,0,"alive",true,[1]]\n', b'[1,0,0,"untrack","t",0,1]\n',
    ],
)  # fmt: skip
def test_a_body_that_is_none_is_no_message(body: bytes):
    assert read(THERE, body) is None


@given(st.recursive(st.none() | st.booleans() | st.integers() | st.text(), st.lists), st.binary())
def test_no_body_whatever_raises(value: object, payload: bytes):
    for kind in (
        "message", "user", "track", "untrack", "alive", "gone", "members", "lost", "load", "rooms",
        "routed", "call", "reply",
    ):  # fmt: skip
        rest = value if isinstance(value, list) else [value]
        body = write(BusMessage(THERE, 1, Gone())).replace(b'"gone"', f'"{kind}"'.encode())
        read(THERE, body[:-2] + b"," + json.dumps(rest)[1:].encode() + b"\n" + payload)
