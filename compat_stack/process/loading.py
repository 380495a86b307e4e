"""Modules imported in a thread, beside what waits for the database."""

from __future__ import annotations

import sys
from collections.abc import Generator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from types import ModuleType

from compat_base.process import import_uncollected

_SWITCH_SECONDS = 0.0005


@contextmanager
def loading(*modules: str) -> Generator[tuple[Future[ModuleType], ...]]:
    """Modules imported in turn beside the block; what an import raises is in its result."""
    with ThreadPoolExecutor(1, thread_name_prefix="import") as executor:
        yield tuple(executor.submit(_load, module) for module in modules)


def _load(module: str) -> ModuleType:
    """Import a module; the thread that starts the database, which mostly waits, is let in often.

    That is after half a millisecond instead of five.
    """
    interval = sys.getswitchinterval()
    sys.setswitchinterval(_SWITCH_SECONDS)
    try:
        return import_uncollected(module)
    finally:
        sys.setswitchinterval(interval)
