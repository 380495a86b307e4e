"""The store that the settings name."""

from __future__ import annotations

from pathlib import Path

from storage_compat.files.local import LocalStore
from storage_compat.files.opened import open_store
from storage_compat.settings import read_settings


def test_a_folder_is_the_store_where_no_url_is_set(tmp_path: Path):
    settings = read_settings({
        "AUTH_JWT_SECRET": "s", "DATABASE_URL": "postgresql://x",
        "STORAGE_FILE_BACKEND_PATH": str(tmp_path),
    })  # fmt: skip
    assert isinstance(open_store(settings, lambda: "draft"), LocalStore)
