"""Modules imported in a thread, while the database starts."""

from __future__ import annotations

from collections.abc import Generator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from types import ModuleType

from compat_base.process import import_uncollected, prompt_switching


@contextmanager
def loading(*modules: str) -> Generator[tuple[Future[ModuleType], ...]]:
    """Import modules in turn beside the block; an import's exception is in its result."""
    with ThreadPoolExecutor(1, thread_name_prefix="import") as executor:
        yield tuple(executor.submit(_load, module) for module in modules)


def _load(module: str) -> ModuleType:
    """Import a module, with prompt switches to the thread that starts the database."""
    with prompt_switching():
        return import_uncollected(module)
