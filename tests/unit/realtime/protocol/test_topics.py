"""Topics of a socket: what is held back while a question is open, and taken up after it."""

from __future__ import annotations

from realtime_compat.protocol.channel import Channel, Steps
from realtime_compat.protocol.effects import Ask, Effect, warning
from realtime_compat.protocol.messages import Push, UserPush
from realtime_compat.protocol.questions import AskWrite, WriteAccess
from realtime_compat.protocol.topics import Topics
from tests.harness_realtime import START, caller, joined


def scripted_channel() -> Channel:
    [topic] = joined().connection._topics
    return topic.channel


def steps_of_a_question() -> Steps:
    yield AskWrite("room", caller(), "broadcast")


def push_warning(text: str) -> Steps:
    yield warning(text)


def test_thousands_of_pushes_are_taken_up_in_their_order_however_deep_the_stack():
    def handle(push: Push | UserPush, out: list[Effect]) -> None:
        topics.run(topic, push_warning(push.event), out)

    topics = Topics(handle)
    topic = topics.add(scripted_channel())
    out: list[Effect] = []
    topics.run(topic, steps_of_a_question(), out)
    assert out == [Ask(1, AskWrite("room", caller(), "broadcast"))]
    topic.held.extend(Push(None, None, "t", str(n), "{}") for n in range(3_000))
    assert topics.backlog == 3_000
    effects: list[Effect] = []
    topics.answer(1, WriteAccess(allowed=True), START, effects)
    assert effects == [warning(str(n)) for n in range(3_000)]
    assert topics.backlog == 0


def test_an_answer_for_a_topic_that_is_gone_does_nothing():
    topics = Topics(lambda push, out: None)
    topic = topics.add(scripted_channel())
    out: list[Effect] = []
    topics.run(topic, steps_of_a_question(), out)
    topics.forget(topic, out)
    topics.answer(1, WriteAccess(allowed=True), START, out)
    assert [type(effect) for effect in out] == [Ask]
    assert (len(topics), topics.named(topic.channel.topic)) == (0, None)
