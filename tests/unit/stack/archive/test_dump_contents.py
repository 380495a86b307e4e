"""What of a dump a server gets that lacks some of its extensions."""

from __future__ import annotations

import pytest

from compat_stack.archive.dump_contents import (
    MissingExtensions,
    contents_kept,
    lacking_extensions,
    made_objects,
)
from compat_stack.archive.format import BackupError

LINES = (
    ";     Archive created at 2026-01-02",
    "2; 3079 16390 EXTENSION - pgcrypto ",
    "5000; 0 0 COMMENT - EXTENSION pgcrypto ",
    "3; 3079 16391 EXTENSION - pg_net ",
    "216; 1259 16500 TABLE public tasks postgres",
    "5001; 0 16500 TABLE DATA public tasks postgres",
    "3500; 3466 16600 EVENT TRIGGER - noticed postgres",
)
NOTHING = MissingExtensions((), ())


def test_a_server_with_all_extensions_lacks_none():
    assert lacking_extensions(LINES, {"pgcrypto", "pg_net"}) == NOTHING


def test_of_an_extension_of_ours_the_objects_are_made_in_its_place():
    lacking = lacking_extensions(LINES, {"pgcrypto"})
    assert lacking == MissingExtensions(("pg_net",), ())
    assert "create schema if not exists net;" in made_objects(lacking)
    assert "EXTENSION - pg_net" not in contents_kept(LINES, lacking, is_superuser=True)


def test_an_optional_extension_is_left_out():
    lacking = lacking_extensions(LINES, {"pg_net"})
    assert lacking == MissingExtensions((), ("pgcrypto",))
    kept = contents_kept(LINES, lacking, is_superuser=True)
    assert "EXTENSION - pgcrypto" not in kept
    assert "TABLE DATA public tasks" in kept


def test_an_extension_that_nobody_can_do_without_is_named():
    with pytest.raises(BackupError, match="needs the extension plv8"):
        lacking_extensions(["1; 3079 1 EXTENSION - plv8 "], ())


def test_nobody_but_a_superuser_makes_event_triggers():
    assert "EVENT TRIGGER" in contents_kept(LINES, NOTHING, is_superuser=True)
    assert "EVENT TRIGGER" not in contents_kept(LINES, NOTHING, is_superuser=False)


def test_without_anything_of_ours_no_object_is_made():
    assert made_objects(NOTHING) == ""
