"""Our extensions as plain scripts."""

from __future__ import annotations

import pytest

from compat_stack.embedded.contributed import contributed_script, own_schema, recording
from compat_stack.embedded.extension_paths import CONTRIB

NAMES = sorted(path.stem for path in (CONTRIB / "extension").glob("*.control"))


@pytest.mark.parametrize("name", sorted(set(NAMES) - {"supabase_vault"}))
def test_a_plain_script_has_nothing_that_create_extension_alone_understands(name: str) -> None:
    script = contributed_script(name, "My Schema")
    assert script is not None
    home = own_schema(name) or "My Schema"
    assert script.startswith(f'create schema if not exists "{home}";')
    assert "@extschema" not in script
    assert "pg_extension_config_dump" not in script


def test_those_that_the_originals_keep_in_a_schema_of_their_own_are_there() -> None:
    assert (own_schema("pgmq"), own_schema("pg_tle"), own_schema("pgjwt")) == (
        "pgmq",
        "pgtle",
        None,
    )


@pytest.mark.parametrize("name", ["plv8", "supabase_vault", "../platform/0001_roles", "*", ""])
def test_what_is_not_ours_has_no_script(name: str) -> None:
    assert contributed_script(name, "extensions") is None


def test_a_name_is_recorded_as_a_literal() -> None:
    assert "('it''s')" in recording("it's")
