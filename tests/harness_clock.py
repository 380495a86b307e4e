"""The time of day in tests: a process that is told another, and tests that stay within one day."""

from __future__ import annotations

import shutil
import subprocess
import time
from datetime import UTC, datetime, tzinfo
from pathlib import Path

_DAY = 86_400
_LAST_SECONDS = 60  # more than a test takes

# Asked of the kernel itself, so that this library's own name is not called again.
_SOURCE = """
#define _GNU_SOURCE
#include <stdlib.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static long shift(void) {
    const char *text = getenv("CLOCK_SHIFT");
    return text ? atol(text) : 0;
}

int clock_gettime(clockid_t id, struct timespec *at) {
    int status = syscall(SYS_clock_gettime, id, at);
    if (status == 0 && (id == CLOCK_REALTIME || id == CLOCK_REALTIME_COARSE))
        at->tv_sec += shift();
    return status;
}

int gettimeofday(struct timeval *at, void *zone) {
    struct timespec now;
    (void) zone;
    clock_gettime(CLOCK_REALTIME, &now);
    at->tv_sec = now.tv_sec;
    at->tv_usec = now.tv_nsec / 1000;
    return 0;
}

time_t time(time_t *at) {
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    if (at) *at = now.tv_sec;
    return now.tv_sec;
}
"""


def wrong_clock(folder: Path, seconds: int) -> dict[str, str]:
    """The variables of a process whose clock is so many seconds fast; none without a compiler."""
    compiler = shutil.which("cc")
    if compiler is None:
        return {}
    library = folder / "clock.so"
    if not library.exists():
        source = folder / "clock.c"
        source.write_text(_SOURCE)
        command = [compiler, "-shared", "-fPIC", "-o", str(library), str(source)]
        subprocess.run(command, check=True, capture_output=True)
    return {"LD_PRELOAD": str(library), "CLOCK_SHIFT": str(seconds)}


def stay_within_a_day(*zones: tzinfo) -> None:
    """Wait for midnight where it is less than a minute away: here, in UTC or in one of the zones.

    A test that asks for the date twice would else get two dates.
    """
    while (left := min(_seconds_left(zone) for zone in (None, UTC, *zones))) <= _LAST_SECONDS:
        time.sleep(left)


def _seconds_left(zone: tzinfo | None) -> float:
    """Until the date changes in a zone; None is this machine's."""
    now = datetime.now(zone)
    return _DAY - (now.hour * 60 + now.minute) * 60 - now.second - now.microsecond / 1e6
