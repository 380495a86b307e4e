"""`backup` and `restore`: a machine that is lost comes back, and a bad file touches nothing."""

from __future__ import annotations

import asyncio
import io
import json
import os
import re
import resource
import shutil
import signal
import stat
import subprocess
import sys
import tarfile
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Self

import httpx2
import pytest

from compat_stack.archive.format import CHECKSUMS, DATABASE, HEADER, read_archive
from compat_stack.embedded import postgres
from tests.harness_couple import PASSWORD, Person, make_couple, sign_up
from tests.harness_fork import start_program
from tests.harness_live import ALL_ACTIVITIES, open_socket
from tests.harness_stack import END_SECONDS, ROOT, Stack, environment, run_stack, start_stack
from tests.harness_states import PAUSE
from tests.harness_template import give_database

WRITERS = 3
WRITES = 400  # at most, each


def schema_of(url: str) -> list[str]:
    """The schema as pg_dump words it, ownership and grants included; brackets and order vary."""
    programs = postgres.embedded_cluster(Path("/nowhere")).programs
    done = subprocess.run(
        [programs / "pg_dump", "--schema-only", "--dbname", url],
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    return sorted(
        re.sub(r"^\\(un)?restrict .*$|[() ]", "", done.stdout, flags=re.MULTILINE).split("\n")
    )


def names_in(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def refresh(stack: Stack, person: Person) -> httpx2.Response:
    return httpx2.post(
        f"{stack.url}/auth/v1/token?grant_type=refresh_token",
        json={"refresh_token": person.session["refresh_token"]},
        headers={"apikey": stack.keys["SUPABASE_PUBLISHABLE_KEY"]},
    )


def upload(stack: Stack, content: bytes) -> None:
    service = {"apikey": stack.keys["SUPABASE_SECRET_KEY"]}
    url = f"{stack.url}/storage/v1"
    httpx2.post(f"{url}/bucket", json={"name": "kept"}, headers=service).raise_for_status()
    answer = httpx2.post(f"{url}/object/kept/a/b.txt", content=content, headers=service)
    answer.raise_for_status()


def lose(stack: Stack) -> None:
    """The machine is gone: every process killed at once, the data folder deleted."""
    database = stack.database_pid
    os.kill(stack.process.pid, signal.SIGKILL)
    os.kill(database, signal.SIGKILL)
    stack.process.wait(timeout=END_SECONDS)
    stack.listener.join()
    shutil.rmtree(stack.data_dir)


@contextmanager
def overwriting(stack: Stack) -> Iterator[None]:
    """An object that is written again and again: its earlier bytes are removed all the time."""
    service = {"apikey": stack.keys["SUPABASE_SECRET_KEY"]}
    ends, has_begun = threading.Event(), threading.Event()

    def write() -> None:
        with httpx2.Client(base_url=f"{stack.url}/storage/v1", headers=service) as client:
            for number in range(WRITES * WRITES):
                client.put("/object/kept/now", content=b"%d" % number).raise_for_status()
                has_begun.set()
                if ends.wait(PAUSE):
                    return

    writing = threading.Thread(target=write)
    writing.start()
    try:
        assert has_begun.wait(30)
        yield
    finally:
        ends.set()
        writing.join()


class Load:
    """People who sign up and write; `written` are the titles that the service acknowledged."""

    def __init__(self, stack: Stack) -> None:
        self.written: list[str] = []
        self._stack = stack
        self._ends = threading.Event()
        self._has_begun = threading.Barrier(WRITERS + 1)
        self._threads = [threading.Thread(target=self._write, args=(n,)) for n in range(WRITERS)]

    def __enter__(self) -> Self:
        for thread in self._threads:
            thread.start()
        self._has_begun.wait(30)
        return self

    def __exit__(self, *_: object) -> None:
        self._ends.set()
        for thread in self._threads:
            thread.join()

    def _write(self, number: int) -> None:
        person = sign_up(self._stack, f"Escritor{number}")
        for count in range(WRITES):
            title = f"plan {number}-{count}"
            person.create_activity(title)
            self.written.append(title)
            if count == 0:
                self._has_begun.wait(30)
            if self._ends.wait(PAUSE):
                return


@pytest.fixture
def folders(tmp_path: Path) -> Iterator[Callable[[str], Path]]:
    """Data folders whose PostgreSQL, where one was left running, is stopped after the test."""
    made: list[Path] = []

    def folder(name: str) -> Path:
        made.append(tmp_path / name)
        return made[-1]

    yield folder
    for path in made:
        postgres.stop(postgres.embedded_cluster(path / "postgres"))


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A backup of a stack with one person in it."""
    folder = tmp_path_factory.mktemp("made")
    stack = start_stack(folder / "data")
    try:
        sign_up(stack, "Ana")
        assert run_stack(stack.data_dir, "backup", str(folder / "a.backup")).returncode == 0
    finally:
        stack.stop()
    return folder / "a.backup"


async def receives_a_change(stack: Stack, person: Person, token: str) -> bool:
    key = stack.keys["SUPABASE_PUBLISHABLE_KEY"]
    async with open_socket(stack.url, key) as live:
        await live.subscribe("vuelta", token, ALL_ACTIVITIES)
        await asyncio.to_thread(person.create_activity, "después de volver")
        change = await live.await_change(lambda data: data["type"] == "INSERT")
    return change["record"]["titulo"] == "después de volver"


def test_a_lost_machine_comes_back_from_a_backup_taken_under_load(folders, tmp_path: Path):
    stack = start_stack(folders("first"))
    ana, luis = make_couple(stack)
    secret = ana.create_activity("Viaje secreto")
    eva = sign_up(stack, "Eva")
    keys, file = stack.keys, tmp_path / "x.backup"
    upload(stack, b"a file " * 200_000)
    with Load(stack) as load, overwriting(stack):
        before = list(load.written)
        done = run_stack(stack.data_dir, "backup", str(file))
    assert (done.returncode, done.stderr) == (0, "")
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    schema = schema_of(keys["DATABASE_URL"])
    lose(stack)

    done = run_stack(folders("second"), "restore", str(file))
    assert (done.returncode, done.stderr) == (0, "")
    again = start_stack(folders("second"))
    try:
        printed = "".join(again.output)
        assert "migrating" not in printed
        assert "setting up" not in printed
        assert {**again.keys, "SUPABASE_URL": "", "DATABASE_URL": ""} == {
            **keys, "SUPABASE_URL": "", "DATABASE_URL": "",
        }  # fmt: skip
        assert schema_of(again.keys["DATABASE_URL"]) == schema
        service = {"apikey": keys["SUPABASE_SECRET_KEY"]}
        read = httpx2.get(
            f"{again.url}/storage/v1/object/authenticated/kept/a/b.txt", headers=service
        )
        assert read.content == b"a file " * 200_000
        overwritten = httpx2.get(
            f"{again.url}/storage/v1/object/authenticated/kept/now", headers=service
        )
        assert overwritten.text.isdecimal(), overwritten.text
        rows = httpx2.get(f"{again.url}/rest/v1/actividades?select=titulo", headers=service).json()
        assert set(before) - {row["titulo"] for row in rows} == set()

        for person in (ana, luis, eva):
            person.client.base_url = again.url
        assert [row["id"] for row in luis.activities()] == [secret]
        assert eva.activities() == []
        answer = refresh(again, ana)
        assert answer.status_code == 200, answer.text
        again_in = httpx2.post(
            f"{again.url}/auth/v1/token?grant_type=password",
            json={"email": ana.email, "password": PASSWORD},
            headers={"apikey": keys["SUPABASE_ANON_KEY"]},
        )
        assert again_in.status_code == 200
        assert asyncio.run(receives_a_change(again, ana, answer.json()["access_token"]))
    finally:
        again.stop()


def test_a_backup_of_a_stopped_stack_leaves_it_stopped(folders, tmp_path: Path):
    data = folders("data")
    give_database(data)
    assert run_stack(data, "migrate").returncode == 0
    assert run_stack(data, "backup", str(tmp_path / "x.backup")).returncode == 0
    assert postgres.running_pid(postgres.embedded_cluster(data / "postgres")) is None


def test_the_embedded_database_moves_to_a_server_and_back(server, folders, made, tmp_path: Path):
    server.run('create database "moved"')
    url = server.url("moved")
    outside, back = folders("outside"), folders("back")
    try:
        done = run_stack(outside, "restore", str(made), DATABASE_URL=url)
        assert (done.returncode, done.stderr) == (0, "")
        started = start_stack(outside, DATABASE_URL=url)
        try:
            assert "migrating" not in "".join(started.output)
            luis = sign_up(started, "Luis")
            file = tmp_path / "y.backup"
            done = run_stack(outside, "backup", str(file), DATABASE_URL=url)
            assert (done.returncode, done.stderr) == (0, "")
        finally:
            started.stop()
    finally:
        server.drop("moved")
    assert run_stack(back, "restore", str(file)).returncode == 0
    again = start_stack(back)
    try:
        assert refresh(again, luis).status_code == 200
    finally:
        again.stop()


def test_what_the_embedded_superuser_owned_becomes_another_servers_user(
    server, folders, made, tmp_path: Path
):
    """The other server knows no `supabase_admin`: what it owned is whoever connects there's."""
    cluster = postgres.embedded_cluster(tmp_path / "pg", durable=False)
    postgres.start(cluster)
    try:
        subprocess.run(
            [cluster.programs / "psql", "-q", "-v", "ON_ERROR_STOP=1", cluster.url()],
            input="create role operator superuser login; create database planner owner operator;"
            " create role aside superuser login;",
            text=True, check=True,
        )  # fmt: skip
        subprocess.run(
            [cluster.programs / "psql", "-q", cluster.url("planner", "aside")],
            input=f"alter role {postgres.SUPERUSER} rename to first_of_all", text=True, check=True,
        )  # fmt: skip
        url = cluster.url("planner", "operator")
        done = run_stack(folders("data"), "restore", str(made), DATABASE_URL=url)
        assert (done.returncode, done.stderr) == (0, "")
        owners = subprocess.run(
            [cluster.programs / "psql", "-At", url],
            input="select distinct relowner::regrole from pg_class where relnamespace ="
            " 'public'::regnamespace; select nspowner::regrole from pg_namespace where nspname ="
            " 'compat'; select count(*) from pg_event_trigger; select count(*) from pg_roles where"
            " rolname = 'supabase_admin';",
            text=True, check=True, capture_output=True,
        ).stdout.split()  # fmt: skip
        assert owners == ["postgres", "operator", "2", "0"]
    finally:
        postgres.stop(cluster)


@pytest.mark.skipif(not Path("/usr/lib/postgresql/15/bin").exists(), reason="no PostgreSQL 15")
def test_a_new_major_version_is_the_same_pair_of_commands(folders, tmp_path: Path):
    old, new, file = folders("old"), folders("new"), tmp_path / "x.backup"
    programs = "/usr/lib/postgresql/15/bin"
    stack = start_stack(old, PG_BIN=programs)
    try:
        ana = sign_up(stack, "Ana")
    finally:
        stack.stop()
    assert run_stack(old, "backup", str(file), PG_BIN=programs).returncode == 0
    assert run_stack(new, "restore", str(file)).returncode == 0
    again = start_stack(new)
    try:
        assert refresh(again, ana).status_code == 200
    finally:
        again.stop()


@pytest.mark.skipif(not Path("/usr/lib/postgresql/15/bin").exists(), reason="no PostgreSQL 15")
def test_an_older_major_version_is_refused(folders, made, tmp_path: Path):
    programs = "/usr/lib/postgresql/15/bin"
    data = folders("data")
    done = run_stack(data, "restore", str(made), PG_BIN=programs)
    assert done.returncode == 1
    assert done.stderr == (
        "error: the backup is of PostgreSQL 18, and this server is 15: restore it into version 18"
        " or newer\n"
    )
    assert names_in(data) == ["lock"]


def test_a_folder_that_is_not_empty_is_refused_and_replaced_where_asked(folders, made):
    data = folders("data")
    give_database(data)
    assert run_stack(data, "migrate").returncode == 0
    keys = (data / "keys.env").read_text() if (data / "keys.env").exists() else None
    signing = (data / "signing_keys.json").read_text()
    done = run_stack(data, "restore", str(made))
    assert done.returncode == 1
    assert f"{data} is not empty" in done.stderr
    assert (data / "signing_keys.json").read_text() == signing
    done = run_stack(data, "restore", str(made), "--replace")
    assert (done.returncode, done.stderr) == (0, "")
    assert (data / "signing_keys.json").read_text() != signing
    [aside] = data.glob("replaced-*")
    assert (aside / "signing_keys.json").read_text() == signing
    assert (aside / "postgres/data/PG_VERSION").exists()
    assert keys is None or (aside / "keys.env").read_text() == keys


def test_a_database_that_is_not_empty_is_refused_and_replaced_where_asked(server, folders, made):
    server.run('create database "full"')
    server.run("create table public.mine (id int)", database="full")
    url = server.url("full")
    data = folders("data")
    try:
        done = run_stack(data, "restore", str(made), DATABASE_URL=url)
        assert done.returncode == 1
        assert "the database of DATABASE_URL is not empty" in done.stderr
        assert names_in(data) == ["lock"]
        done = run_stack(data, "restore", str(made), "--replace", DATABASE_URL=url)
        assert (done.returncode, done.stderr) == (0, "")
    finally:
        server.drop("full")


def test_a_running_stack_is_not_restored_into(made, tmp_path: Path):
    stack = start_stack(tmp_path / "data")
    try:
        done = run_stack(stack.data_dir, "restore", str(made), "--replace")
        assert done.returncode == 1
        assert "another process works on" in done.stderr
    finally:
        stack.stop()


def test_a_backup_never_replaces_a_file(folders, made):
    before = made.read_bytes()
    data = folders("data")
    give_database(data)
    assert run_stack(data, "migrate").returncode == 0
    done = run_stack(data, "backup", str(made))
    assert done.stderr == f"error: {made} exists: choose another name, or remove it\n"
    assert made.read_bytes() == before


def test_a_full_disk_is_one_sentence_and_leaves_no_half_file(folders, tmp_path: Path):
    data = folders("data")
    give_database(data)
    assert run_stack(data, "migrate").returncode == 0
    file = tmp_path / "x.backup"

    def small_files() -> None:
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, 100_000))

    stack = start_stack(data)
    try:
        done = subprocess.run(
            [sys.executable, "-m", "compat_stack", "backup", str(file)],
            cwd=ROOT, env=environment(DATA_DIR=str(data)), preexec_fn=small_files,
            capture_output=True, text=True, check=False, timeout=60,
        )  # fmt: skip
    finally:
        stack.stop()
    assert done.returncode == 1
    assert done.stderr.count("\n") == 1
    assert done.stderr.startswith("error: ")
    assert names_in(tmp_path) == ["data"]


def repacked(made: Path, to: Path, change: Callable[[list[tuple[str, bytes]]], None]) -> Path:
    """The backup with other members."""
    with tarfile.open(made) as tar:
        members = [(m.name, tar.extractfile(m).read()) for m in tar]
    change(members)
    with tarfile.open(to, "w:", format=tarfile.GNU_FORMAT) as tar:
        for name, data in members:
            info = tarfile.TarInfo(name)
            info.size = len(data)
            if data.startswith(b"->"):
                info.type, info.linkname, info.size = tarfile.SYMTYPE, data[2:].decode(), 0
            tar.addfile(info, io.BytesIO(data))
    return to


def newer(members: list[tuple[str, bytes]]) -> None:
    header = json.loads(members[0][1])
    members[0] = (HEADER, json.dumps({**header, "format": 2, "program": "9.9"}).encode())


def changed(members: list[tuple[str, bytes]]) -> None:
    place = [name for name, _ in members].index(DATABASE)
    data = bytearray(members[place][1])
    data[len(data) // 2] ^= 1
    members[place] = (DATABASE, bytes(data))


def member(name: str, data: bytes = b"x") -> Callable[[list[tuple[str, bytes]]], None]:
    return lambda members: members.insert(1, (name, data))


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        (newer, "was made by a newer version of this program (9.9): restore it with that one"),
        (changed, "is damaged: its checksums do not fit its contents"),
        (member("../keys.env"), "has an entry '../keys.env', which no backup has"),
        (member("/etc/cron.d/x"), "has an entry '/etc/cron.d/x', which no backup has"),
        (member("mailbox/../../x.eml"), "has an entry 'mailbox/../../x.eml', which no backup has"),
        (
            member("mailbox/a.eml", b"->/etc/passwd"),
            "has an entry 'mailbox/a.eml', which no backup",
        ),
        (member("keys.env"), "has the entry 'keys.env' twice, which no backup has"),
        (lambda members: members.pop(0), "is no backup of this program"),
        (lambda members: members.pop(), "is incomplete: its end is missing"),
        (lambda members: members.clear(), "is incomplete: its end is missing"),
    ],
)
def test_a_bad_backup_is_one_sentence_and_touches_nothing(made, tmp_path: Path, change, sentence):
    file = repacked(made, tmp_path / "bad.backup", change)
    done = run_stack(tmp_path / "data", "restore", str(file))
    assert done.returncode == 1
    assert done.stderr.startswith(f"error: {file} {sentence}")
    assert done.stderr.count("\n") == 1
    assert names_in(tmp_path / "data") == ["lock"]
    assert names_in(tmp_path) == ["bad.backup", "data"]


@pytest.mark.parametrize("part", [0.0, 0.3, 0.99])
def test_a_truncated_backup_is_one_sentence(made, tmp_path: Path, part: float):
    data = made.read_bytes()
    file = tmp_path / "cut.backup"
    file.write_bytes(data[: int(len(data.rstrip(bytes(1))) * part)])
    done = run_stack(tmp_path / "data", "restore", str(file))
    assert done.returncode == 1
    assert done.stderr.startswith(f"error: {file} is ")
    assert done.stderr.count("\n") == 1
    assert names_in(tmp_path / "data") == ["lock"]


@pytest.mark.parametrize("content", [b"hello", b"\x1f\x8b" + bytes(2000), b"PK\x03\x04" * 500])
def test_a_foreign_file_is_one_sentence(tmp_path: Path, content: bytes):
    file = tmp_path / "photo.jpg"
    file.write_bytes(content)
    done = run_stack(tmp_path / "data", "restore", str(file))
    assert done.stderr == f"error: {file} is damaged, or no backup of this program\n"


def test_a_restore_that_was_killed_leaves_a_mark_and_can_be_run_again(folders, made):
    data = folders("data")
    values = environment(DATA_DIR=str(data))
    with start_program(["compat_stack", "restore", str(made)], env=values) as process:
        assert process.stdout is not None
        assert any("making the database" in line for line in process.stdout)
        process.kill()
    done = run_stack(data, "serve")
    assert done.stderr == f"error: a restore into {data} was cut off: run `restore` again\n"
    done = run_stack(data, "restore", str(made))
    assert (done.returncode, done.stderr) == (0, "")
    assert not (data / "restoring").exists()


def test_every_member_of_a_backup_is_checked_and_listed(made):
    with tarfile.open(made) as tar:
        names = tar.getnames()
    assert names[0] == HEADER
    assert names[-1] == CHECKSUMS
    assert set(read_archive(made).names) == set(names) - {CHECKSUMS}
