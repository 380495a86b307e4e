"""What one process notes of a key is known to all that were forked."""

from __future__ import annotations

import os

from compat_base.workers.shared_times import SharedTimes

KEY = ("authenticated", '{"sub":"ana"}')


def test_a_key_has_its_latest_time():
    times = SharedTimes()
    assert times.get(KEY) == 0.0
    times.put(KEY, 2.5)
    times.put(KEY, 1.5)
    assert times.get(KEY) == 2.5


def test_what_one_process_notes_another_reads():
    times = SharedTimes()
    pid = os.fork()
    if not pid:
        times.put(KEY, 7.25)
        os._exit(0)
    os.waitpid(pid, 0)
    assert times.get(KEY) == 7.25
