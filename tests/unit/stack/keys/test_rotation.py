"""Which keys a rotation replaces, and which of the old still count, until when."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest

from compat_base.values.world import real_world
from compat_stack.keys.installation import Keys, load_keys
from compat_stack.keys.retired import NAME, Retired, RetiredKeysError, fingerprint, read_retired
from compat_stack.keys.rotation import Choice, next_steps, rotate

WORLD = real_world()
DAY = timedelta(days=1)
ALL = Choice(signing_keys=True, api_keys=True, jwt_secret=True, overlap=DAY)
FIELDS = ("jwt_secret", "anon", "service_role", "publishable", "secret", "signing_keys")


def changed(before: Keys, after: Keys) -> set[str]:
    return {name for name in FIELDS if getattr(before, name) != getattr(after, name)}


def rotated(folder: Path, choice: Choice) -> tuple[Keys, Keys]:
    before = load_keys(folder, WORLD)
    rotate(folder, choice, WORLD)
    return before, load_keys(folder, WORLD)


@pytest.mark.parametrize(
    ("chosen", "fields"),
    [
        ("signing_keys", {"signing_keys"}),
        ("api_keys", {"publishable", "secret"}),
        ("jwt_secret", {"jwt_secret", "anon", "service_role"}),
    ],
)
def test_what_is_chosen_is_new_and_nothing_else(tmp_path: Path, chosen: str, fields: set[str]):
    none = Choice(signing_keys=False, api_keys=False, jwt_secret=False, overlap=DAY)
    before, after = rotated(tmp_path, replace(none, **{chosen: True}))
    assert changed(before, after) == fields


def test_replaced_keys_count_until_their_overlap_ends(tmp_path: Path):
    before, after = rotated(tmp_path, ALL)
    assert {each.key for each in after.retired.api} == {
        before.publishable, before.secret, before.anon, before.service_role,
    }  # fmt: skip
    assert after.retired.secrets == (fingerprint(before.jwt_secret),)
    later = WORLD.clock.now() + 2 * DAY
    assert after.retired.at(later) == Retired(secrets=after.retired.secrets)


def test_without_an_overlap_none_of_the_old_counts(tmp_path: Path):
    _, after = rotated(tmp_path, replace(ALL, overlap=timedelta()))
    assert (after.retired.api, after.retired.signing) == ((), ())


def test_retiring_ends_what_was_replaced_earlier(tmp_path: Path):
    rotated(tmp_path, ALL)
    nothing = Choice(signing_keys=False, api_keys=False, jwt_secret=False, overlap=DAY, retire=True)
    before, after = rotated(tmp_path, nothing)
    assert changed(before, after) == set()
    assert (after.retired.api, after.retired.signing) == ((), ())
    assert after.retired.secrets == before.retired.secrets


def test_what_is_to_be_done_next_has_no_secret_in_it(tmp_path: Path):
    before, after = rotated(tmp_path, ALL)
    printed = "\n".join(next_steps(tmp_path, ALL))
    assert "for 24 h" in printed
    for keys in (before, after):
        assert all(getattr(keys, name) not in printed for name in FIELDS)


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"signing": [], "api": [{}], "secrets": []}'])
def test_damaged_retired_keys_are_named_with_the_remedy(tmp_path: Path, text: str):
    (tmp_path / NAME).write_text(text)
    with pytest.raises(RetiredKeysError, match=f"{NAME} is damaged: restore it, or remove it"):
        read_retired(tmp_path)
