"""Messages between the machine's log reader and its workers, over the broker; pure."""

from __future__ import annotations

from typing import TypeAlias

from compat_base.broker.frames import TOPIC
from realtime_compat.replication.tables import table_of, table_topic

GROUP = 4  # of the broker's lines
READERS = 2  # processes of a machine: the one that streams, and its standby
WORKERS = b"log".ljust(TOPIC, b".")  # the topic of every worker
_OWN_SCHEMA = "realtime"  # of stored messages, which any worker may have a room for

# The first byte of a message of the reader
UP = b"U"  # a new stream, from now on
STATE = b"S"  # the running stream, at the request of a worker
TAKEN_OVER = b"O"  # the stream goes on in another process
DOWN = b"D"  # the stream has ended; the reason
PART = b"T"  # a part of a transaction
SKIPPED = b"X"  # a part that is too large to be passed on; the oids of its tables
STANDBY = b"G"  # the standby has a slot; or the reason why it has none
# Messages of workers
RESTART = b"R"  # open the stream anew
REQUEST_STATE = b"?"  # send STATE

LogPosition: TypeAlias = tuple[int, int]
"""Where a transaction's commit stands in the log, and how many of its changes are meant."""


def topic_of(relation: bytes) -> bytes:
    """The topic of the changes of a table, by pgoutput's description of it. Raises DecodeError."""
    schema, name = table_of(relation)
    return WORKERS if schema == _OWN_SCHEMA else table_topic(schema, name)
