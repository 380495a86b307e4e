"""Modules imported in a thread, while the database starts."""

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
    """Import modules in turn beside the block; an import's exception is in its result."""
    with ThreadPoolExecutor(1, thread_name_prefix="import") as executor:
        yield tuple(executor.submit(_load, module) for module in modules)


def _load(module: str) -> ModuleType:
    """Import a module; the interpreter switches to the other thread after half a millisecond.

    The thread that starts the database mostly waits; by default it would wait five each time.
    """
    interval = sys.getswitchinterval()
    sys.setswitchinterval(_SWITCH_SECONDS)
    try:
        return import_uncollected(module)
    finally:
        sys.setswitchinterval(interval)
