"""Kept keys that cannot be used: each is one sentence that names the file and the remedy."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest

from compat_base.values.world import World, real_world
from compat_stack.keys.installation import (
    Keys,
    KeysError,
    load_keys,
    make_keys,
    parse_env,
    save_keys,
)
from compat_stack.process.failures import explain

WORLD = real_world()


class Earlier:
    """A clock of twenty years ago."""

    def now(self):
        return WORLD.clock.now() - timedelta(days=7300)

    def monotonic(self) -> float:
        return 0.0


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A data folder with an installation's keys."""
    keys = load_keys(tmp_path, WORLD)
    save_keys(tmp_path, keys, url="http://127.0.0.1:1", database_url="postgresql:///x")
    return tmp_path


def refusal(folder: Path) -> str:
    with pytest.raises(KeysError) as refused:
        load_keys(folder, WORLD)
    (sentence,) = explain(refused.value)
    assert "\n" not in sentence
    return sentence


def test_kept_keys_are_the_same_each_time(folder: Path):
    assert load_keys(folder, WORLD) == load_keys(folder, WORLD)


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b"\xff\xfe\x00\x81junk", "is damaged, it is no text"),
        (b"", "is empty"),
        (b"\n \n# only a comment\n", "is empty"),
        (b"SUPABASE_URL=x\n", "has no JWT_SECRET"),
        (b"JWT_SECRET=\n", "has no JWT_SECRET"),
        (b"SUPABASE_URL=x\nJWT_SECRET='abc\n", "line 2 has a quote that is not closed"),
        (b"JWT_SECRET='a\x00b'\n", "has control characters"),
    ],
    ids=repr,
)
def test_a_damaged_keys_file_is_one_sentence(folder: Path, content: bytes, reason: str):
    (folder / "keys.env").write_bytes(content)
    message = refusal(folder)
    assert str(folder / "keys.env") in message
    assert reason in message
    assert "restore it from a backup" in message


@pytest.mark.parametrize(
    "content",
    [
        b"\xff\xfe", b"", b"{", b"[]", b"{}", b"[1]", b"null", b'[{"kty":"EC"}]',
        b'[{"kty":"RSA","n":"?","e":"?"}]',
    ],
)  # fmt: skip
def test_a_damaged_signing_key_file_is_one_sentence(folder: Path, content: bytes):
    (folder / "signing_keys.json").write_bytes(content)
    message = refusal(folder)
    assert str(folder / "signing_keys.json") in message
    assert "restore it from a backup" in message


def test_a_damaged_key_of_push_services_is_one_sentence(folder: Path):
    path = folder / "vapid_key.json"
    for content, reason in ((b"\xff\xfe", "it is no text"), (b"[1", "it is no JSON")):
        path.write_bytes(content)
        assert f"{path} is damaged ({reason}): restore it from a backup" in refusal(folder)


def test_a_public_key_alone_signs_nothing(folder: Path):
    path = folder / "signing_keys.json"
    keys = [{k: v for k, v in key.items() if k != "d"} for key in json.loads(path.read_text())]
    path.write_text(json.dumps(keys))
    assert "no list with a private key" in refusal(folder)


@pytest.mark.parametrize("name", ["SUPABASE_ANON_KEY", "SUPABASE_SERVICE_ROLE_KEY"])
def test_a_key_of_another_secret_is_named(folder: Path, name: str):
    other = make_keys(WORLD, "another secret of the same length as before")
    kept = load_keys(folder, WORLD)
    field = {"SUPABASE_ANON_KEY": "anon", "SUPABASE_SERVICE_ROLE_KEY": "service_role"}[name]
    mixed = replace(kept, **{field: getattr(other, field)})
    save_keys(folder, mixed, url="", database_url="")
    message = refusal(folder)
    assert message.startswith(f"{name} in {folder / 'keys.env'} was not made with the JWT_SECRET")


def test_a_key_that_has_expired_is_named(folder: Path):
    old = make_keys(World(Earlier(), WORLD.entropy), load_keys(folder, WORLD).jwt_secret)
    save_keys(folder, old, url="", database_url="")
    assert "SUPABASE_ANON_KEY" in refusal(folder)
    assert "expired" in refusal(folder)


def test_a_key_without_a_value_is_made(folder: Path):
    path = folder / "keys.env"
    lines = path.read_text().splitlines()
    path.write_text("\n".join("SUPABASE_SECRET_KEY=" if "SECRET_KEY" in x else x for x in lines))
    assert load_keys(folder, WORLD).secret.startswith("sb_secret_")


def test_keys_are_kept_as_soon_as_they_are_made(tmp_path: Path):
    assert load_keys(tmp_path, WORLD) == load_keys(tmp_path, WORLD)


def test_what_else_a_keys_file_says_is_left_in_it(tmp_path: Path):
    (tmp_path / "keys.env").write_text("JWT_SECRET=x\nMINE='a b'\n")
    load_keys(tmp_path, WORLD)
    assert parse_env((tmp_path / "keys.env").read_text())["MINE"] == "a b"


def test_a_projects_own_secret_is_enough(tmp_path: Path):
    (tmp_path / "keys.env").write_text("export JWT_SECRET='of a project'\n")
    assert load_keys(tmp_path, WORLD).jwt_secret == "of a project"


def given(folder: Path, **environment: str) -> Keys:
    return load_keys(folder, WORLD, given=environment)


def test_nodes_that_are_given_the_same_secret_have_the_same_keys(tmp_path: Path):
    secret = {"JWT_SECRET": "s" * 32}
    one = given(tmp_path / "a", **secret)
    other = load_keys(tmp_path / "b", World(Earlier(), WORLD.entropy), given=secret)
    names = ("jwt_secret", "anon", "service_role", "publishable", "secret", "signing_keys", "vapid")
    assert [getattr(one, name) for name in names] == [getattr(other, name) for name in names]
    strange = given(tmp_path / "c", JWT_SECRET="t" * 32)
    assert not {getattr(one, name) for name in names} & {getattr(strange, name) for name in names}


def test_keys_of_the_environment_stay_and_are_before_those_of_the_folder(folder: Path):
    kept, secret = load_keys(folder, WORLD), "s" * 32
    first = given(folder, JWT_SECRET=secret, SUPABASE_SECRET_KEY="sb_secret_mine")
    assert (first.jwt_secret, first.secret) == (secret, "sb_secret_mine")
    assert first.publishable != kept.publishable
    assert given(folder, JWT_SECRET=secret, SUPABASE_SECRET_KEY="sb_secret_mine") == first


def test_without_a_secret_the_environment_has_no_keys(folder: Path):
    assert given(folder, SUPABASE_SECRET_KEY="sb_secret_mine") == load_keys(folder, WORLD)


def test_a_secret_that_could_be_guessed_is_refused(tmp_path: Path):
    with pytest.raises(KeysError, match="JWT_SECRET must have 32 characters or more"):
        given(tmp_path, JWT_SECRET="s" * 31)


@pytest.mark.parametrize("operations", [None, [], ["verify"]])
def test_one_key_signs_also_where_a_projects_file_names_no_operations(operations):
    (made,) = json.loads(make_keys(WORLD).signing_keys)
    given = [made | {"key_ops": operations}, made | {"kid": "two", "key_ops": operations}]
    keys = replace(make_keys(WORLD), signing_keys=json.dumps(given))
    signers = [
        key["kid"] for key in json.loads(keys.jwt_keys()) if "sign" in (key["key_ops"] or ())
    ]
    assert signers == [made["kid"]]
