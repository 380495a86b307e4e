"""Settings to a store. Libraries of remote stores are loaded only where one is set."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module

from storage_compat.files.local import LocalStore
from storage_compat.files.port import ByteStore
from storage_compat.settings import Settings


def open_store(settings: Settings, draft_name: Callable[[], str]) -> ByteStore:
    """The store that the settings name."""
    files = settings.files
    if files.url is None:
        return LocalStore(
            files.folder, settings.tenant, is_durable=files.is_durable, draft_name=draft_name
        )
    scratch = files.folder / ".tmp"
    scratch.mkdir(mode=0o700, parents=True, exist_ok=True)
    remote = import_module("storage_compat.files.remote")
    return remote.RemoteStore(
        files.url, settings.tenant, scratch, files.options, seconds=files.seconds
    )
