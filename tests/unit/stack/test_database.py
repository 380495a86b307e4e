"""The database of the settings."""

from __future__ import annotations

from pathlib import Path

from compat_base.process import Shutdown
from compat_stack.database import running_database
from compat_stack.settings import read_settings


def test_a_server_of_the_settings_is_neither_made_nor_stopped(tmp_path: Path):
    url = "postgresql://db.example/postgres"
    settings = read_settings({"DATABASE_URL": url, "DATA_DIR": str(tmp_path)})
    with running_database(settings, Shutdown()) as found:
        assert found == url
    assert list(tmp_path.iterdir()) == []
