"""How settings are read, each kind by itself."""

from __future__ import annotations

from pathlib import Path

import pytest

from compat_base.values.settings import Reader, SettingsError
from compat_stack import setting_kinds as kinds

GIVEN = {
    "PORT": "8000", "ORIGIN": "https://planes.example", "FOLDER": "/srv/bin",
    "URL": "postgresql://db/x", "NETWORKS": "10.0.0.0/8,192.0.2.1",
}  # fmt: skip


@pytest.mark.parametrize(
    ("kind", "name", "value"),
    [
        (kinds.port, "PORT", 8000),
        (kinds.origin, "ORIGIN", "https://planes.example"),
        (kinds.folder, "FOLDER", Path("/srv/bin")),
        (kinds.database_url, "URL", "postgresql://db/x"),
        (kinds.database_port, "PORT", 8000),
        (kinds.database_port, "ABSENT", None),
        (kinds.path(".data"), "ABSENT", Path(".data")),
    ],
)
def test_a_good_value_is_read(kind: kinds.Read[object], name: str, value: object):
    assert kind(Reader(GIVEN), name) == value


def test_networks_are_addresses_and_ranges():
    assert len(kinds.networks(Reader(GIVEN), "NETWORKS")) == 2


@pytest.mark.parametrize(
    ("kind", "text", "problem"),
    [
        (kinds.port, "65536", "X must be at most 65535"),
        (kinds.database_port, "65536", "X must be at most 65535"),
        (kinds.origin, "https://planes.example/path", "X must be an address"),
        (kinds.database_url, "mysql://db", "X must start with postgresql://"),
        (kinds.beside_database_url, "postgresql://db", "X needs DATABASE_URL"),
        (kinds.networks, "everywhere", "X must list addresses and ranges"),
    ],
)
def test_a_bad_value_is_a_problem_that_names_the_setting(
    kind: kinds.Read[object], text: str, problem: str
):
    reader = Reader({"X": text})
    kind(reader, "X")
    with pytest.raises(SettingsError, match=problem):
        reader.finish(None)
