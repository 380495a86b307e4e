"""Which channels are subscribed to: gathered, confirmed in order, all of them after a cut."""

from __future__ import annotations

import asyncio

from realtime_compat.cluster.channels import Channels

A, B = b"a" * 16, b"b" * 16
LONG = 60.0


async def is_subscribed(channels: Channels, topic: bytes) -> bool:
    """Whether nobody would have to wait for a topic."""
    waiting = asyncio.create_task(channels.subscribed(topic, LONG))
    await asyncio.sleep(0)
    await asyncio.sleep(0)
    waiting.cancel()
    return waiting.done()


def subscribed_to(*topics: bytes) -> Channels:
    channels = Channels()
    for topic in topics:
        channels.open(topic)
    channels.take()
    for topic in topics:
        channels.confirmed(topic)
    return channels


async def test_what_is_opened_and_closed_is_gathered():
    channels = Channels()
    channels.open(A)
    channels.open(B)
    assert channels.changed.is_set()
    channels.close(B)
    assert channels.take() == ([A], [])
    assert not channels.changed.is_set()
    channels.close(A)
    channels.open(B)
    assert channels.take() == ([B], [A])
    assert channels.take() == ([], [])


async def test_a_room_is_subscribed_to_once_redis_confirms_it():
    channels = Channels()
    channels.open(A)
    assert not await is_subscribed(channels, A)
    channels.take()
    assert not channels.is_confirmed
    channels.confirmed(A)
    assert channels.is_confirmed
    assert await is_subscribed(channels, A)


async def test_one_that_was_left_and_entered_again_counts_from_its_last_confirmation():
    channels = Channels()
    channels.open(A)
    channels.take()
    channels.close(A)
    channels.take()
    channels.open(A)
    channels.take()
    channels.confirmed(A)
    assert not await is_subscribed(channels, A)
    channels.confirmed(A)
    assert await is_subscribed(channels, A)


async def test_nobody_waits_for_a_room_that_was_left():
    channels = Channels()
    channels.open(A)
    waiting = asyncio.create_task(channels.subscribed(A, LONG))
    await asyncio.sleep(0)
    channels.close(A)
    await waiting


async def test_the_next_connection_subscribes_to_all_that_is_open_and_nobody_waits_meanwhile():
    channels = subscribed_to(A, B)
    channels.close(B)
    channels.lost()
    assert await is_subscribed(channels, A)
    assert channels.is_confirmed
    assert channels.take() == ([A], [])
