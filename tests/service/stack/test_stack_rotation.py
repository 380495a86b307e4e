"""`rotate-keys`: sessions go on, old keys count as long as said, and a crash never leaves a mix."""

from __future__ import annotations

import asyncio
import signal
import subprocess
import sys
from pathlib import Path

import asyncpg
import httpx2
import pytest

from compat_base.values.world import real_world
from compat_stack.keys.installation import Keys, load_keys, parse_env
from tests.harness_couple import Person, make_couple, sign_up
from tests.harness_live import ALL_ACTIVITIES, open_socket
from tests.harness_stack import ROOT, Stack, environment, run_stack, start_stack


def rotate(data_dir: Path, *options: str, **values: str) -> str:
    done = run_stack(data_dir, "rotate-keys", *options, **values)
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout


def status_of(stack: Stack, key: str, token: str | None = None) -> int:
    """Of a read with an API key, and with a user's token."""
    headers = {"apikey": key, "authorization": f"Bearer {token or key}"}
    return httpx2.get(f"{stack.url}/rest/v1/profiles?select=id", headers=headers).status_code


def refresh(stack: Stack, person: Person, key: str) -> httpx2.Response:
    return httpx2.post(
        f"{stack.url}/auth/v1/token?grant_type=refresh_token",
        json={"refresh_token": person.session["refresh_token"]},
        headers={"apikey": key},
    )


async def joins(stack: Stack, key: str, token: str) -> str:
    """The status of a join that brings this token, as clients without a user bring their key."""
    async with open_socket(stack.url, key) as live:
        payload = {"config": {}, "access_token": token}
        return (await live.reply("realtime:r", "phx_join", payload))["status"]


async def first_message(stack: Stack, key: str, ana: Person) -> str:
    async with open_socket(stack.url, key) as live:
        await live.subscribe("rotada", ana.session["access_token"], ALL_ACTIVITIES)
        await asyncio.to_thread(ana.create_activity, "sigue")
        return (await live.await_change(lambda data: True))["record"]["titulo"]


def test_every_key_is_replaced_and_sessions_and_old_keys_go_on(tmp_path: Path):
    stack = start_stack(tmp_path)
    ana, luis = make_couple(stack)
    old = stack.keys
    refused = run_stack(tmp_path, "rotate-keys")
    assert (refused.returncode, "another process works on" in refused.stderr) == (1, True)
    stack.stop()
    printed = rotate(tmp_path, "--all")
    new = parse_env((tmp_path / "keys.env").read_text())
    changed = {name for name in old if old[name] != new[name]}
    assert changed == set(old) - {"SUPABASE_URL", "DATABASE_URL"}
    assert [value for value in {**old, **new}.values() if value in printed and "_" in value] == []
    again = start_stack(tmp_path)
    try:
        for name in ("SUPABASE_PUBLISHABLE_KEY", "SUPABASE_ANON_KEY"):
            for keys in (old, again.keys):
                token = ana.session["access_token"]
                assert status_of(again, keys[name], token) == 200, name
        for name in ("SUPABASE_SECRET_KEY", "SUPABASE_SERVICE_ROLE_KEY"):
            for keys in (old, again.keys):
                assert status_of(again, keys[name]) == 200, name
        for key in (old["SUPABASE_ANON_KEY"], new["SUPABASE_ANON_KEY"]):
            assert asyncio.run(joins(again, key, key)) == "ok"
        ana.client.base_url = again.url
        assert asyncio.run(first_message(again, old["SUPABASE_PUBLISHABLE_KEY"], ana)) == "sigue"
        answer = refresh(again, ana, new["SUPABASE_PUBLISHABLE_KEY"])
        assert answer.status_code == 200
        token = answer.json()["access_token"]
        assert status_of(again, new["SUPABASE_PUBLISHABLE_KEY"], token) == 200
        listed = httpx2.get(f"{again.url}/auth/v1/.well-known/jwks.json").json()["keys"]
        assert len({key["kid"] for key in listed}) == 2
        assert all("d" not in key and "k" not in key for key in listed)
    finally:
        again.stop()

    rotate(tmp_path, "--retire")
    last = start_stack(tmp_path)
    try:
        assert last.keys["SUPABASE_SECRET_KEY"] == new["SUPABASE_SECRET_KEY"]
        for name in ("SUPABASE_PUBLISHABLE_KEY", "SUPABASE_ANON_KEY", "SUPABASE_SECRET_KEY"):
            assert status_of(last, old[name]) == 401, name
        key = new["SUPABASE_PUBLISHABLE_KEY"]
        assert asyncio.run(joins(last, key, old["SUPABASE_ANON_KEY"])) == "error"
        assert status_of(last, key, ana.session["access_token"]) == 401
        assert refresh(last, luis, key).status_code == 200
    finally:
        last.stop()


def test_without_options_only_the_signing_key_is_new(tmp_path: Path):
    start_stack(tmp_path).stop()
    env, signing = (tmp_path / "keys.env").read_text(), (tmp_path / "signing_keys.json").read_text()
    printed = rotate(tmp_path)
    assert (tmp_path / "keys.env").read_text() == env
    assert (tmp_path / "signing_keys.json").read_text() != signing
    assert "tokens of the old signing key count for 168 h" in printed


def test_without_an_overlap_the_old_keys_end_now(tmp_path: Path):
    stack = start_stack(tmp_path)
    ana = sign_up(stack, "Ana")
    old = stack.keys
    stack.stop()
    rotate(tmp_path, "--all", "--overlap", "0")
    again = start_stack(tmp_path)
    try:
        for name in ("SUPABASE_PUBLISHABLE_KEY", "SUPABASE_ANON_KEY", "SUPABASE_SECRET_KEY"):
            assert status_of(again, old[name]) == 401, name
        key = again.keys["SUPABASE_PUBLISHABLE_KEY"]
        assert status_of(again, key, ana.session["access_token"]) == 401
        assert refresh(again, ana, key).status_code == 200
    finally:
        again.stop()


def test_the_passwords_of_an_external_databases_roles_follow_the_secret(
    strict_server, tmp_path: Path
):
    strict_server.run('create database "rotated"')
    url = strict_server.url("rotated")

    def verifier() -> str:
        async def read() -> str:
            connection = await asyncpg.connect(strict_server.url())
            try:
                return await connection.fetchval(
                    "select rolpassword from pg_authid where rolname = 'authenticator'"
                )
            finally:
                await connection.close()

        return asyncio.run(read())

    try:
        start_stack(tmp_path, DATABASE_URL=url).stop()
        before = verifier()
        rotate(tmp_path, "--jwt-secret", DATABASE_URL=url)
        stack = start_stack(tmp_path, DATABASE_URL=url)
        try:
            assert verifier() != before
            assert status_of(stack, stack.keys["SUPABASE_SERVICE_ROLE_KEY"]) == 200
        finally:
            stack.stop()
    finally:
        strict_server.drop("rotated")


KILLED = """
import os, signal, sys
from datetime import timedelta
from pathlib import Path
from compat_base.values.world import real_world
from compat_stack.keys.rotation import Choice, rotate

left = int(sys.argv[2])

def step():
    global left
    left -= 1
    if left < 0:
        os.kill(os.getpid(), signal.SIGKILL)

rotate(Path(sys.argv[1]), Choice(True, True, True, timedelta(hours=1)), real_world(), step)
"""


def fields(keys: Keys) -> tuple[str, ...]:
    return (
        keys.jwt_secret, keys.anon, keys.service_role, keys.publishable, keys.secret,
        keys.signing_keys, keys.retired.encode(),
    )  # fmt: skip


def test_a_rotation_that_is_killed_at_any_step_leaves_all_old_or_all_new(tmp_path: Path):
    outcomes: list[str] = []
    for steps in range(20):
        folder = tmp_path / str(steps)
        start = load_keys(folder, real_world())
        (folder / "keys.env").write_text(
            f"JWT_SECRET={start.jwt_secret}\nSUPABASE_ANON_KEY={start.anon}\n"
            f"SUPABASE_SERVICE_ROLE_KEY={start.service_role}\n"
            f"SUPABASE_PUBLISHABLE_KEY={start.publishable}\nSUPABASE_SECRET_KEY={start.secret}\n"
        )
        old = fields(load_keys(folder, real_world()))
        done = subprocess.run(
            [sys.executable, "-c", KILLED, str(folder), str(steps)],
            cwd=ROOT, env=environment(), check=False,
        )  # fmt: skip
        now = fields(load_keys(folder, real_world()))
        same = [before == after for before, after in zip(old, now, strict=True)]
        assert all(same) or not any(same), steps
        outcomes.append("old" if all(same) else "new")
        if done.returncode == 0:
            break
        assert done.returncode == -signal.SIGKILL
    assert outcomes == ["old"] * 4 + ["new"] * (len(outcomes) - 4)
    assert len(outcomes) == 10


@pytest.mark.parametrize("given", ["-1", "9000", "x", "1.5"])
def test_an_overlap_that_is_no_number_of_hours_is_refused(tmp_path: Path, given: str):
    done = run_stack(tmp_path, "rotate-keys", f"--overlap={given}")
    assert done.returncode == 2
    assert "a whole number of hours up to 8784" in done.stderr
