"""The processors that this process may use, and how many processes serve.

The least of its CPU affinity and its cgroups' quotas.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path, PurePosixPath

from compat_base.values.settings import Reader

MOST_WORKERS = 64
_ROOT = Path("/sys/fs/cgroup")
_MEMBERSHIP = Path("/proc/self/cgroup")


def read_workers(reader: Reader, name: str = "WORKERS") -> int:
    """How many processes serve: a number, or `auto` for one a processor."""
    if reader.text(name, "1") == "auto":
        return min(usable_cpus(), MOST_WORKERS)
    workers = reader.integer(name, 1, minimum=1)
    if workers > MOST_WORKERS:
        reader.problem(f"{name} must be at most {MOST_WORKERS}")
    return workers


def share(size: int, workers: int, least: int = 2) -> int:
    """A worker's part of a pool."""
    return size if workers == 1 else max(least, size // workers)


def usable_cpus() -> int:
    """At least 1; a quota of two and a half processors counts as 2."""
    found = [float(_allowed())]
    with suppress(OSError):
        found += quotas(_MEMBERSHIP.read_text(encoding="utf-8"), _read)
    return max(1, int(min(found)))


def _allowed() -> int:
    """By this process's affinity, where the system knows one."""
    if sys.platform == "linux":
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def quotas(membership: str, read: Callable[[str], str | None]) -> Iterator[float]:
    """The processors that each cgroup above this process allows.

    `membership` is /proc/self/cgroup; `read` gives a file below the cgroups' root, or None. Both
    versions of cgroups are looked at, and the root too, which is a container's own.
    """
    for line in membership.splitlines():
        _, _, rest = line.partition(":")
        controllers, _, path = rest.partition(":")
        if controllers and "cpu" not in controllers.split(","):
            continue
        for folder in _upwards(path):
            allowed = _version_1(folder, read) if controllers else _version_2(folder, read)
            if allowed is not None:
                yield allowed


def _upwards(path: str) -> Iterator[str]:
    own = PurePosixPath(path.lstrip("/"))
    yield from (str(each) for each in (own, *own.parents))


def _version_2(folder: str, read: Callable[[str], str | None]) -> float | None:
    words = (read(f"{folder}/cpu.max") or "").split()
    return _ratio(*words) if len(words) == 2 else None  # noqa: PLR2004 — quota and period


def _version_1(folder: str, read: Callable[[str], str | None]) -> float | None:
    quota = read(f"cpu/{folder}/cpu.cfs_quota_us")
    period = read(f"cpu/{folder}/cpu.cfs_period_us")
    return _ratio(quota.strip(), period.strip()) if quota and period else None


def _ratio(quota: str, period: str) -> float | None:
    """None where there is no quota: `max`, or -1."""
    if not (quota.isdigit() and period.isdigit() and int(period)):
        return None
    return int(quota) / int(period)


def _read(name: str) -> str | None:
    with suppress(OSError):
        return (_ROOT / name).read_text(encoding="ascii")
    return None
