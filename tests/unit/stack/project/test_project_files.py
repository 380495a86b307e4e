"""A project's folder: TOML with lines, `.env` files, templates, seeds and where its data goes."""

from __future__ import annotations

from pathlib import Path

import pytest

from compat_stack.project.dotenv import BrokenEnvError, read_dotenv
from compat_stack.project.folder import ProjectError, open_project
from compat_stack.project.toml_document import BrokenTomlError, read_document


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    place = tmp_path / "my-app" / "supabase"
    (place / "migrations").mkdir(parents=True)
    (place / "config.toml").write_text('project_id = "my-app"\n')
    return place


def test_keys_are_found_by_line():
    document = read_document('a = 1\n[b.c] # here\n"d.e" = 2\nf.g = 3\n')
    assert document.line(("a",)) == 1
    assert document.line(("b", "c")) == 2
    assert document.line(("b", "c", "d.e")) == 3
    assert document.line(("b", "c", "f", "g")) == 4
    assert document.line(("b", "c", "none")) == 2


def test_broken_toml_names_its_line():
    with pytest.raises(BrokenTomlError) as caught:
        read_document("a = 1\nb = [\n")
    assert caught.value.line >= 2


@pytest.mark.parametrize(
    "text",
    ["x = " + "[" * 100_000, "[" + "a." * 3_000 + "a]\nb = 1", "a." * 3_000 + "a = 1"],
    ids=lambda text: text[:6],
)
def test_toml_of_many_levels_is_refused(text: str):
    with pytest.raises(BrokenTomlError, match="too deep"):
        read_document(text)


@pytest.mark.parametrize("name", ["config.toml", ".env"])
def test_a_file_larger_than_a_megabyte_is_refused_unread(folder: Path, name: str):
    with (folder / name).open("wb") as file:
        file.truncate(50_000_000_000)
    with pytest.raises(ProjectError, match="may have 1048576"):
        open_project(str(folder), {})


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("A=1\nexport B = two # said\n", {"A": "1", "B": "two"}),
        ("A='as $it is'\nB=\"x\\ny\"\n", {"A": "as $it is", "B": "x\ny"}),
        ("A=1\nB=$A-${A}\n", {"A": "1", "B": "1-1"}),
        ('KEY="-----BEGIN\nline\n-----END"\nB=2', {"KEY": "-----BEGIN\nline\n-----END", "B": "2"}),
        ("# nothing\n\nURL=https://a.b/#c\r\n", {"URL": "https://a.b/#c"}),
    ],
)
def test_dotenv_files_are_read_as_the_cli_reads_them(text: str, values: dict[str, str]):
    assert read_dotenv(text) == values


@pytest.mark.parametrize(("text", "line"), [("A=1\nnonsense\n", 2), ("A='secret\n", 1)])
def test_a_broken_dotenv_file_is_named_without_its_values(text: str, line: int):
    with pytest.raises(BrokenEnvError) as caught:
        read_dotenv(text)
    assert caught.value.line == line
    assert "secret" not in str(caught.value)


def test_a_project_is_found_by_its_folder_or_the_one_around_it(folder: Path):
    assert open_project(str(folder), {}) == open_project(str(folder.parent), {})


def test_a_folder_without_a_project_is_refused(tmp_path: Path):
    with pytest.raises(ProjectError, match=r"neither config\.toml nor migrations"):
        open_project(str(tmp_path), {})


def test_the_nearest_dotenv_file_counts_and_the_environment_before_it(folder: Path):
    (folder / "config.toml").write_text(
        '[auth]\nsite_url = "env(SITE)"\njwt_issuer = "env(ISSUER)"'
    )
    (folder / ".env").write_text("SITE=https://near\nISSUER=near\n")
    (folder.parent / ".env").write_text("SITE=https://far\n")
    variables = open_project(str(folder), {"ISSUER": "mine"}).variables
    assert variables["GOTRUE_SITE_URL"] == "https://near"
    assert variables["GOTRUE_JWT_ISSUER"] == "mine"


def test_a_broken_dotenv_file_of_a_project_is_one_sentence(folder: Path):
    (folder / ".env").write_text("A=1\n???\n")
    with pytest.raises(ProjectError, match=r"supabase/.env:2: "):
        open_project(str(folder), {})


def test_templates_are_files_and_a_missing_one_is_said(folder: Path):
    (folder / "templates").mkdir()
    (folder / "templates/invite.html").write_text("hi")
    (folder / "config.toml").write_text(
        '[auth.email.template.invite]\ncontent_path = "./supabase/templates/invite.html"\n'
        '[auth.email.template.recovery]\ncontent_path = "./none.html"\n'
    )
    project = open_project(str(folder), {})
    assert (
        project.variables["GOTRUE_MAILER_TEMPLATES_INVITE"]
        == (folder / "templates/invite.html").as_uri()
    )
    assert "GOTRUE_MAILER_TEMPLATES_RECOVERY" not in project.variables
    assert (
        "supabase/config.toml:4: auth.email.template.recovery.content_path: there is no ./none.html"
        in project.remarks[0]
    )


def test_seeds_are_files_of_patterns_in_order_and_none_twice(folder: Path):
    (folder / "seeds").mkdir()
    for name in ("b.sql", "a.sql"):
        (folder / "seeds" / name).touch()
    (folder / "config.toml").write_text(
        '[db.seed]\nsql_paths = ["seeds/b.sql", "./seeds/*.sql", "no.sql"]'
    )
    project = open_project(str(folder), {})
    assert [file.name for file in project.seeds] == ["b.sql", "a.sql"]
    assert [project.recorded_path(file) for file in project.seeds] == [
        "supabase/seeds/b.sql",
        "supabase/seeds/a.sql",
    ]
    assert "no.sql" in project.remarks[0]


def test_a_folder_among_the_patterns_is_its_files_of_sql_and_those_below_it(folder: Path):
    (folder / "seeds" / "later").mkdir(parents=True)
    for name in ("b.sql", "a.sql", "later/c.sql", "notes.md"):
        (folder / "seeds" / name).touch()
    (folder / "seeds" / "link.sql").symlink_to("a.sql")
    (folder / "config.toml").write_text('[db.seed]\nsql_paths = ["./seeds"]')
    project = open_project(str(folder), {})
    assert [project.recorded_path(file) for file in project.seeds] == [
        "supabase/seeds/a.sql",
        "supabase/seeds/b.sql",
        "supabase/seeds/later/c.sql",
    ]
    assert project.remarks == ()


def test_bytes_that_are_no_utf8_are_replaced_as_by_the_cli_and_said(folder: Path):
    (folder / "config.toml").write_bytes(b"# Produ\xe7\xe3o\n[api]\nmax_rows = 5")
    project = open_project(str(folder), {})
    assert project.variables["PGRST_DB_MAX_ROWS"] == "5"
    assert project.remarks == (
        "supabase/config.toml is not UTF-8 (at byte 7): what is not is read as U+FFFD",
    )


def test_two_projects_of_one_name_have_their_data_apart(folder: Path, tmp_path: Path):
    other = tmp_path / "other" / "supabase"
    other.mkdir(parents=True)
    (other / "config.toml").write_text('project_id = "my-app"\n')
    places = [open_project(str(each), {}).variables["DATA_DIR"] for each in (folder, other)]
    assert places[0] != places[1]
    assert all(place.startswith(".data/projects/my-app-") for place in places)
