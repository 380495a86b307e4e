"""Which table a description of pgoutput's is of, and topics that tell tables apart."""

from __future__ import annotations

import pytest

from compat_base.broker.frames import EVERYBODY, EVERYTHING, TOPIC
from realtime_compat.changes.decode import DecodeError
from realtime_compat.replication.log_protocol import WORKERS, topic_of
from realtime_compat.replication.tables import table_of, table_topic


def test_a_description_names_its_table():
    assert table_of(b"R\0\0\0\7public\0pasos\0d\0\0") == ("public", "pasos")
    assert table_of("R\0\0\0\7pública\0año\0d".encode()) == ("pública", "año")
    assert table_of(b"R\0\0\0\7\0pg_class\0d") == ("pg_catalog", "pg_class")


@pytest.mark.parametrize("message", [b"", b"R", b"R\0\0\0\7public", b"I\0\0\0\7a\0b\0"])
def test_what_describes_no_table_is_refused(message: bytes):
    with pytest.raises(DecodeError):
        table_of(message)


def test_tables_have_topics_of_their_own():
    tables = [("public", "a"), ("public", "b"), ("publica", ""), ("public.a", ""), ("", "public.a")]
    topics = {table_topic(*table) for table in tables}
    assert len(topics) == len(tables)
    assert all(len(topic) == TOPIC for topic in topics)
    assert not topics & {EVERYBODY, EVERYTHING}


def test_changes_of_stored_messages_go_to_every_worker():
    assert topic_of(b"R\0\0\0\7public\0pasos\0d") == table_topic("public", "pasos")
    assert topic_of(b"R\0\0\0\7realtime\0messages\0d") == WORKERS
