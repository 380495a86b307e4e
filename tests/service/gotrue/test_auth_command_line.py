"""The command line: users, migrations, files of variables, settings read again: auth reference 14."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys

import httpx2
import pytest

from tests.harness_auth import BASE, PASSWORD, Auth
from tests.harness_fork import run_program, start_program
from tests.harness_programs import free_port

TIMEOUT = 600  # seconds for a process that must end


async def test_the_command_line_makes_and_deletes_users(auto: Auth, server, services_database):
    url = server.url(services_database, "supabase_auth_admin")

    async def run(*arguments: str) -> subprocess.CompletedProcess[str]:
        values = {**os.environ, **BASE, "DATABASE_URL": url}
        command = ["gotrue_compat", *arguments]
        return await asyncio.to_thread(run_program, command, env=values, timeout=TIMEOUT)

    made = await run("admin", "createuser", "--confirm", "cli@example.com", PASSWORD)
    assert made.returncode == 0, made.stderr
    assert (await auto.sign_in("cli@example.com")).status_code == 200
    again = await run("admin", "createuser", "cli@example.com", PASSWORD)
    assert (again.returncode, "already been registered" in again.stderr) == (1, True)
    gone = await run("admin", "deleteuser", "cli@example.com")
    assert gone.stdout.startswith("deleted cli@example.com")
    assert (await run("admin", "deleteuser", "cli@example.com")).returncode == 1


async def test_the_command_line_sets_role_and_audience(auto: Auth, server, services_database):
    url = server.url(services_database, "supabase_auth_admin")
    values = {**os.environ, **BASE, "DATABASE_URL": url, "GOTRUE_MAILER_AUTOCONFIRM": "true"}

    async def run(*arguments: str) -> int:
        command = ["gotrue_compat", "admin", *arguments]
        return (
            await asyncio.to_thread(run_program, command, env=values, timeout=TIMEOUT)
        ).returncode

    assert await run("createuser", "editor@example.com", PASSWORD, "editor", "--aud", "team") == 0
    [made] = await auto.rows(
        "select aud, role, email_confirmed_at is not null as confirmed from auth.users"
        " where email = 'editor@example.com'"
    )
    assert dict(made) == {"aud": "team", "role": "editor", "confirmed": True}
    assert await run("deleteuser", "editor@example.com") == 1
    assert await run("--aud", "team", "deleteuser", "editor@example.com") == 0


async def test_the_command_line_names_every_missing_variable():
    done = await asyncio.to_thread(
        subprocess.run, [sys.executable, "-m", "gotrue_compat"], capture_output=True, text=True,
        env={"PATH": os.environ["PATH"]}, check=False, timeout=TIMEOUT,
    )  # fmt: skip
    assert done.returncode == 1
    for name in ("GOTRUE_SITE_URL", "GOTRUE_JWT_SECRET", "API_EXTERNAL_URL", "DATABASE_URL"):
        assert f"{name} must be set" in done.stderr


def test_the_command_line_migrates_an_empty_database(server):
    server.run("create database empty_for_auth")
    try:
        values = {**os.environ, **BASE, "DATABASE_URL": server.url("empty_for_auth")}
        done = run_program(["gotrue_compat", "migrate"], env=values, timeout=TIMEOUT)
        assert done.returncode == 0, done.stderr
        assert "applied 0003_users" in done.stdout
    finally:
        server.drop("empty_for_auth")


def bootstrapped(server, name: str) -> str:
    """A database as the original's own script leaves it: a role that is no superuser, a schema."""
    server.run(f"create database {name}")
    server.run("create schema auth authorization supabase_auth_admin", database=name)
    server.run(f"grant create on database {name} to supabase_auth_admin")
    return server.url(name, "supabase_auth_admin")


def run_alone(url: str, *arguments: str) -> tuple[int, str]:
    """The command until it ends, or serves and is asked to end: its status and what it printed."""
    values = {**BASE, "DATABASE_URL": url, "GOTRUE_API_HOST": "127.0.0.1", "PORT": "0"}
    process = start_program(["gotrue_compat", *arguments], env=os.environ | values)
    printed = ""
    assert process.stdout is not None
    with process.stdout as lines:
        for line in lines:
            printed += line
            if "listening on" in line:
                process.terminate()
    return process.wait(timeout=TIMEOUT), printed


@pytest.mark.parametrize("arguments", [("migrate",), ()], ids=["migrate", "bare"])
def test_a_role_that_is_no_superuser_migrates_its_own_schema(server, arguments):
    """The bare command migrates, then serves, as the original's."""
    url = bootstrapped(server, "bootstrapped")
    try:
        status, printed = run_alone(url, *arguments)
        assert status == 0, printed
        assert "applied 0003_users" in printed
        assert "0001_roles" not in printed
        assert ("listening on" in printed) == (not arguments)
        assert run_alone(url, "migrate") == (0, "")
    finally:
        server.drop("bootstrapped")


def test_a_schema_that_the_stack_migrated_is_left_to_it(server, services_database):
    url = server.url(services_database, "supabase_auth_admin")
    assert run_alone(url, "migrate") == (0, "")
    status, printed = run_alone(url)
    assert (status, "listening on" in printed) == (0, True), printed


async def test_variables_of_a_file_fill_what_the_environment_leaves_unset(tmp_path):
    lines = [f"{name}='{value}'" for name, value in BASE.items() if name != "GOTRUE_SITE_URL"]
    (tmp_path / ".env").write_text("\n".join(["# ours", *lines]), encoding="utf-8")
    environment = {"PATH": os.environ["PATH"]}
    done = await asyncio.to_thread(
        run_program, ["gotrue_compat"], env=environment, cwd=tmp_path, timeout=TIMEOUT
    )
    assert "GOTRUE_SITE_URL must be set" in done.stderr
    assert "GOTRUE_JWT_SECRET" not in done.stderr


async def _public_setting(port: int, name: str) -> object:
    async with httpx2.AsyncClient() as client:
        return (await client.get(f"http://127.0.0.1:{port}/settings")).json()[name]


async def test_settings_are_read_again_at_a_signal(server, services_database, tmp_path):
    """Those that hold take the place of the old ones; those that do not change nothing."""
    variables = BASE | {
        "DATABASE_URL": server.url(services_database, "supabase_auth_admin"),
        "GOTRUE_API_HOST": "127.0.0.1", "PORT": "0", "GOTRUE_RELOADING_SIGNAL_ENABLED": "true",
    }  # fmt: skip
    file = tmp_path / "auth.env"

    def write(**more: str) -> None:
        lines = [f"{name}='{value}'" for name, value in (variables | more).items()]
        file.write_text("\n".join(lines), encoding="utf-8")

    write()
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-u", "-m", "gotrue_compat", "-c", str(file), "serve",
        env={"PATH": os.environ["PATH"]}, stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.STDOUT,
    )  # fmt: skip
    try:
        assert process.stdout is not None

        async def line_with(word: str) -> str:
            async with asyncio.timeout(60):
                async for line in process.stdout:  # pyright: ignore[reportOptionalIterable]
                    if word in line.decode():
                        return line.decode()
            raise AssertionError(word)

        port = int((await line_with("listening on")).rpartition(":")[2])
        assert await _public_setting(port, "disable_signup") is False
        write(GOTRUE_DISABLE_SIGNUP="true")
        process.send_signal(signal.SIGUSR1)
        await line_with("reloaded")
        assert await _public_setting(port, "disable_signup") is True
        write(GOTRUE_SITE_URL="", GOTRUE_DISABLE_SIGNUP="false")
        process.send_signal(signal.SIGUSR1)
        assert "GOTRUE_SITE_URL must be set" in await line_with("reload_refused")
        assert await _public_setting(port, "disable_signup") is True
    finally:
        process.terminate()
        assert await process.wait() == 0


def test_the_command_line_tells_the_version_it_stands_in_for():
    done = subprocess.run(
        [sys.executable, "-m", "gotrue_compat", "version"],
        env={"PATH": os.environ["PATH"]}, capture_output=True, text=True, check=False, timeout=TIMEOUT,
    )  # fmt: skip
    assert (done.returncode, done.stdout) == (0, "v2.196.0\n")


async def test_prometheus_finds_the_figures_at_an_address_of_their_own(server, services_database):
    figures = free_port()
    variables = BASE | {
        "DATABASE_URL": server.url(services_database, "supabase_auth_admin"),
        "GOTRUE_API_HOST": "127.0.0.1", "PORT": "0", "GOTRUE_METRICS_ENABLED": "true",
        "GOTRUE_METRICS_EXPORTER": "prometheus", "OTEL_EXPORTER_PROMETHEUS_HOST": "127.0.0.1",
        "OTEL_EXPORTER_PROMETHEUS_PORT": str(figures),
    }  # fmt: skip
    process = start_program(["gotrue_compat", "serve"], env=os.environ | variables)
    assert process.stdout is not None
    with process.stdout as lines:
        served = next(line for line in lines if "listening on" in line).split()[-1]
        async with httpx2.AsyncClient() as client:
            await client.get(f"{served}/settings")
            await client.get(f"{served}/admin/users/nobody")
            await client.get(f"{served}/nothing")
            answer = await client.get(f"http://127.0.0.1:{figures}/metrics")
        process.terminate()
    assert process.wait(timeout=TIMEOUT) == 0
    assert answer.headers["content-type"].startswith("text/plain; version=")
    for line in (
        'http_status_codes_total{code="200",http_route="/settings"} 1.0',
        'http_status_codes_total{code="401",http_route="/admin/users/{user_id}"} 1.0',
        'http_status_codes_total{code="404",http_route="noroute"} 1.0',
        "gotrue_running 1.0",
        "global_auth_version_minor 196.0",
    ):
        assert line in answer.text


async def test_figures_of_one_process_are_not_given_for_several():
    values = {
        **BASE, "PATH": os.environ["PATH"], "DATABASE_URL": "postgresql://127.0.0.1:1/none",
        "WORKERS": "2", "GOTRUE_METRICS_ENABLED": "true", "GOTRUE_METRICS_EXPORTER": "prometheus",
    }  # fmt: skip
    done = await asyncio.to_thread(
        run_program, ["gotrue_compat", "serve"], env=values, timeout=TIMEOUT
    )
    assert (done.returncode, "set WORKERS=1" in done.stderr) == (1, True)
