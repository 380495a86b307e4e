"""Leader election between processes by file locks: one leads, another is its standby.

A process takes the standby's lock first and releases it only once it leads, so a process that
starts later cannot overtake the standby. The leader's position, and the name of what it reads, are
in memory that all of them share.
"""

from __future__ import annotations

import fcntl
import mmap
import struct
import tempfile
import threading

_STANDBY, _LEADER = 0, 1  # the bytes that are locked
_POSITION, _NAME = struct.Struct("@Q"), struct.Struct("64p")
_AT, _NAME_AT = 8, 16


class Leadership:
    """The locks and the position of one kind of work; made before the forks.

    The locks are of the process that takes them (`fcntl`), not of this object, and a file that has
    no name leaves nothing behind.
    """

    def __init__(self) -> None:
        self._file = tempfile.TemporaryFile(buffering=0)  # noqa: SIM115 — as long as the process
        self._file.truncate(mmap.PAGESIZE)
        self._memory = mmap.mmap(self._file.fileno(), mmap.PAGESIZE)
        self._is_leader = False
        self._guard = threading.Lock()

    def stand_by(self) -> bool:
        """Try to become the standby."""
        return self._lock(_STANDBY)

    def lead(self) -> bool:
        """Try to become the leader, as the standby; another process can be that from then on."""
        if not self._lock(_LEADER):
            return False
        self._is_leader = True
        self._unlock(_STANDBY)
        return True

    def step_down(self) -> None:
        """Release both locks."""
        with self._guard:
            self._is_leader = False
            self._unlock(_LEADER)
            self._unlock(_STANDBY)

    def is_vacant(self) -> bool:
        """Whether no other process leads."""
        if not self._lock(_LEADER):
            return False
        if not self._is_leader:
            self._unlock(_LEADER)
        return True

    @property
    def position(self) -> int:
        """The position of the leader, or of the last one."""
        return _POSITION.unpack_from(self._memory, _AT)[0]

    @property
    def name(self) -> str:
        """The name of what the leader reads, or the last one read."""
        return _NAME.unpack_from(self._memory, _NAME_AT)[0].decode()

    def set_name(self, name: str) -> None:
        """Set the name of what this leader reads: at most 63 bytes."""
        with self._guard:
            if self._is_leader:
                _NAME.pack_into(self._memory, _NAME_AT, name.encode())

    def begin(self, position: int) -> None:
        """Set the position at which this leader begins."""
        with self._guard:
            if self._is_leader:
                _POSITION.pack_into(self._memory, _AT, position)

    def advance(self, position: int) -> None:
        """Advance the position: never back, and not after stepping down."""
        with self._guard:
            if self._is_leader and position > self.position:
                _POSITION.pack_into(self._memory, _AT, position)

    def close(self) -> None:
        """Give the file back."""
        self._memory.close()
        self._file.close()

    def _lock(self, byte: int) -> bool:
        try:
            fcntl.lockf(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB, 1, byte)
        except (BlockingIOError, PermissionError):  # what POSIX leaves to choose
            return False
        return True

    def _unlock(self, byte: int) -> None:
        fcntl.lockf(self._file, fcntl.LOCK_UN, 1, byte)
