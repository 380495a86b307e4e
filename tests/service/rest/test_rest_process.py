"""The service as a process: flags, sockets, admin server, signals."""

import http.client
import json
import os
import re
import signal
import socket
import subprocess
import sys
import time
from contextlib import contextmanager

import pytest

from tests.harness_fork import run_program, start_program
from tests.harness_programs import free_port
from tests.harness_rest import SECRET, token

COMMAND = [sys.executable, "-m", "rest_compat"]


def run(*arguments, **options):
    environment = os.environ | {f"PGRST_{name}": value for name, value in options.items()}
    return run_program(["rest_compat", *arguments], env=environment, timeout=60)


def fetch(port, path, **headers):
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
    try:
        connection.request("GET", path, headers=headers)
        answer = connection.getresponse()
        return answer.status, answer.reason, answer.read().decode(), answer.headers
    finally:
        connection.close()


@contextmanager
def running(server, database, command=COMMAND, level="info", **files):
    ports = free_port(), free_port()
    options = {
        "DB_URI": server.url(database, "rest_authenticator"),
        "DB_SCHEMAS": "api",
        "DB_ANON_ROLE": "rest_anon",
        "SERVER_HOST": "127.0.0.1",
        "SERVER_PORT": str(ports[0]),
        "ADMIN_SERVER_PORT": str(ports[1]),
        "LOG_LEVEL": level,
        "LOG_QUERY": str(level == "info").lower(),
        "JWT_SECRET": SECRET,
    }
    environment = os.environ | {f"PGRST_{name}": value for name, value in options.items()}
    process = subprocess.Popen(command, env=environment, **files)
    try:
        deadline = time.monotonic() + 60
        while time.monotonic() < deadline:
            try:
                if fetch(ports[1], "/ready")[0] == 200:
                    break
            except OSError:
                pass
            time.sleep(0.1)
        yield process, ports, options
    finally:
        process.kill()
        process.wait()


@pytest.fixture(params=["info"])
def started(request, server, rest_database, tmp_path):
    with (
        (tmp_path / "out").open("w") as out,
        (tmp_path / "err").open("w") as err,
        running(server, rest_database, level=request.param, stdout=out, stderr=err) as service,
    ):
        yield *service, tmp_path


def test_it_serves_tells_and_stops(started):
    process, (port, admin), options, folder = started
    assert json.loads(fetch(port, "/emp?select=id&id=eq.1")[2]) == [{"id": 1}]
    for path, status in (("/live", 200), ("/ready", 200), ("/nothing", 404)):
        found = fetch(admin, path)
        assert (found[0], found[3]["Server"]) == (status, "postgrest/16.2")
    metrics = fetch(admin, "/metrics")[2].splitlines()
    assert "# HELP pgrst_db_pool_max Max pool connections" in metrics
    assert {"pgrst_db_pool_max 10.0", "pgrst_db_pool_available 1.0"} <= set(metrics)
    assert not [line for line in metrics if "FAIL" in line]
    assert json.loads(fetch(admin, "/schema_cache")[2])["dbTables"]
    assert run("--ready", **options).stdout == f"OK: http://127.0.0.1:{admin}/ready\n"
    process.send_signal(signal.SIGUSR1)
    process.send_signal(signal.SIGUSR2)
    process.send_signal(signal.SIGTERM)
    assert process.wait(20) == 0
    access = (folder / "out").read_text()
    assert '"GET /emp?select=id&id=eq.1 HTTP/1.1" 200' in access
    assert " - rest_anon [" in access
    log = (folder / "err").read_text()
    assert "Starting PostgREST 16.2..." in log
    assert "Schema cache loaded" in log
    assert "select set_config('search_path', $1, true), set_config(" in log
    assert "WITH pgrst_source AS" in log
    assert "Traceback" not in log


@pytest.mark.parametrize("closed", [False, True], ids=["without a reader", "closed"])
def test_it_answers_and_ends_where_nothing_can_be_logged(server, rest_database, closed):
    reader, writer = os.pipe()
    os.close(reader)
    command = ["sh", "-c", 'exec "$@" >&- 2>&-', "sh", *COMMAND] if closed else COMMAND
    with (
        os.fdopen(writer, "wb") as stream,
        running(server, rest_database, command, stdout=stream, stderr=stream) as service,
    ):
        process, ports, _ = service
        assert fetch(ports[0], "/emp?select=id&id=eq.1")[0] == 200
        assert fetch(ports[0], "/nothing")[0] == 404
        process.send_signal(signal.SIGTERM)
        assert process.wait(60) == 0


@pytest.mark.parametrize(("target", "name"), [("/é", "é"), ("*", "*")])
def test_a_target_may_hold_utf8_as_it_is_or_be_an_asterisk(started, target, name):
    _, (port, _), _, _ = started
    with socket.create_connection(("127.0.0.1", port), timeout=60) as connection:
        request = f"GET {target} HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n"
        connection.sendall(request.encode())
        head, _, body = connection.makefile("rb").read().partition(b"\r\n\r\n")
    assert head.startswith(b"HTTP/1.1 404 ")
    assert f"'api.{name}'" in json.loads(body)["message"]


@pytest.mark.parametrize("started", ["debug"], indirect=True)
def test_the_debug_lines_tell_what_becomes_of_each_connection_and_token(started):
    process, (port, _), _, folder = started
    member = token(role="rest_member")
    began = (folder / "err").read_text().count("\n")
    assert fetch(port, "/nothing")[0] == 404
    assert fetch(port, "/emp?select=id&id=eq.1", authorization=f"Bearer {member}")[0] == 200
    process.send_signal(signal.SIGTERM)
    assert process.wait(20) == 0
    lines = (folder / "err").read_text().splitlines()[began:]
    logged = [re.sub(r"Connection [0-9a-f-]{36} ", "Connection … ", one[28:]) for one in lines]
    assert logged == [
        "Looked up a JWT in JWT cache",
        "Trying to borrow a connection from pool",
        "Connection … is being established",
        "Connection … is available due to connection establishment",
        "Connection … is used",
        "Borrowed a connection from the pool",
        "Connection … is available due to session success",
        "Received termination unix signal SIGTERM",
        "Connection … is terminated due to release",
    ]


def test_files_are_read_again_on_a_signal_and_on_a_notification(server, rest_database, tmp_path):
    secret, config = tmp_path / "secret", tmp_path / "rest.conf"
    secret.write_text("a secret of somebody else's, long enough")
    config.write_text('log-level = "error"\n')
    port = free_port()
    options = {
        "DB_URI": server.url(rest_database, "rest_authenticator"),
        "DB_SCHEMAS": "api",
        "DB_CONFIG": "false",
        "SERVER_HOST": "127.0.0.1",
        "SERVER_PORT": str(port),
        "JWT_SECRET": f"@{secret}",
    }
    environment = os.environ | {f"PGRST_{name}": value for name, value in options.items()}
    bearer = {"authorization": f"Bearer {token(role='rest_member')}"}

    def until_status(status):
        deadline = time.monotonic() + 60
        while time.monotonic() < deadline:
            try:
                if fetch(port, "/emp?limit=1", **bearer)[0] == status:
                    return True
            except OSError:
                pass
            time.sleep(0.1)
        return False

    with (tmp_path / "out").open("w") as out:
        process = start_program(["rest_compat", str(config)], env=environment, stdout=out)
        try:
            assert until_status(401)
            assert "GET /emp" not in (tmp_path / "out").read_text()
            secret.write_text(SECRET)
            config.write_text('log-level = "debug"\n')
            process.send_signal(signal.SIGUSR2)
            assert until_status(200)
            assert "Borrowed a connection from the pool" in (tmp_path / "out").read_text()
            secret.write_text("a secret of somebody else's, long enough")
            server.run("notify pgrst, 'reload config'", database=rest_database)
            assert until_status(401)
        finally:
            process.kill()
            process.wait()


def test_the_dump_tells_the_settings_of_the_database(server, rest_database):
    role = f'alter role rest_authenticator in database "{rest_database}"'
    server.run(f"{role} set pgrst.db_max_rows = '7'")
    try:
        uri = server.url(rest_database, "rest_authenticator")
        assert "db-max-rows = 7\n" in run("--dump-config", DB_URI=uri).stdout
        assert 'db-max-rows = ""\n' in run("--dump-config", DB_URI=uri, DB_CONFIG="false").stdout
    finally:
        server.run(f"{role} reset all")


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({}, "ERROR: Admin server is not running. Please check admin-server-port config.\n"),
        (
            {"ADMIN_SERVER_PORT": "3001", "SERVER_HOST": "*4"},
            (
                "ERROR: The `--ready` flag cannot be used when server-host is configured as"
                ' "*4". Please update your server-host config to "localhost".\n'
            ),
        ),
        (
            {"ADMIN_SERVER_PORT": "-1", "SERVER_HOST": "localhost"},
            "ERROR: invalid url - http://localhost:-1/ready\n",
        ),
        (
            {"ADMIN_SERVER_PORT": "1", "SERVER_HOST": "::1"},
            "ERROR: connection refused to http://[::1]:1/ready\n",
        ),
    ],
)
def test_who_cannot_be_asked_is_not_ready(options, words):
    done = run("--ready", **options)
    assert (done.returncode, done.stderr) == (1, words)


def test_reasons_of_sql_reach_the_status_line(started, server, rest_database):
    _, (port, _), _, _ = started
    assert fetch(port, "/rpc/teapot")[:2] == (418, "Tea")


@pytest.mark.parametrize(
    ("flag", "start"),
    [
        ("--help", "Usage:"),
        ("--version", "PostgREST 16.2"),
        ("--example", "# Where"),
        ("--dump-config", "admin-server-host"),
    ],
)
def test_flags_answer_and_end(flag, start):
    done = run(flag)
    assert (done.returncode, done.stdout.startswith(start)) == (0, True)


def test_a_file_is_read_under_the_environment(tmp_path):
    file = tmp_path / "rest.conf"
    file.write_text('db-anon-role = "from file"\nserver-port = 3001\n')
    done = run("--dump-config", str(file), SERVER_PORT="3002")
    assert 'db-anon-role = "from file"\n' in done.stdout
    assert "server-port = 3002\n" in done.stdout


def test_the_schema_is_dumped(server, rest_database):
    done = run("--dump-schema", DB_URI=server.url(rest_database), DB_SCHEMAS="api")
    assert set(json.loads(done.stdout)) == {
        "dbTables", "dbRelationships", "dbRoutines", "dbRepresentations", "dbMediaHandlers",
    }  # fmt: skip


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"JWT_SECRET": "short"}, "The JWT secret must be at least 32 characters long."),
        ({"OPENAPI_MODE": "x"}, "Invalid openapi-mode."),
        (
            {"DB_URI": "postgresql://127.0.0.1:1/x", "DB_POOL_AUTOMATIC_RECOVERY": "false"},
            "Automatic recovery disabled, exiting.",
        ),
    ],
)
def test_what_cannot_work_ends_with_a_sentence(options, words):
    done = run(**options)
    assert done.returncode == 1
    assert words in done.stderr
