"""A project's folder: config.toml, `.env` files, migrations, seeds and roles.

Read only: nothing in it is ever changed.
"""

from __future__ import annotations

import glob
import hashlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from compat_base.values.errors import OperatorError
from compat_stack.project.config import Bucket, Config, read_config
from compat_stack.project.dotenv import BrokenEnvError, read_dotenv

_MOST_BYTES = 1_048_576  # of config.toml and of each `.env` file
_TEMPLATES = "GOTRUE_MAILER_TEMPLATES_"
EXPERIMENTAL = "SUPABASE_EXPERIMENTAL"
"""The CLI's variable for `--experimental`."""
_TRUE = frozenset({"1", "t", "T", "true", "TRUE", "True"})


class ProjectError(OperatorError):
    """A project's folder cannot be served: one sentence that names the file."""


@dataclass(frozen=True, slots=True)
class Project:
    """A project: its name, its folder `supabase/`, and the variables that config.toml sets.

    `seeds` and `roles` are files in the order in which they are run; their paths are recorded
    relative to the parent of the project's folder, as the CLI does. `schemas` are the files that
    `--experimental` applies in place of migrations.
    """

    name: str
    folder: Path
    variables: Mapping[str, str]
    buckets: tuple[Bucket, ...]
    seeds: tuple[Path, ...]
    schemas: tuple[Path, ...]
    roles: Path | None
    migrations: Path | None
    exposes_new_tables: bool
    major_version: int
    secrets: tuple[tuple[str, str], ...]
    switched_off: frozenset[str]
    places: Mapping[str, str]
    remarks: tuple[str, ...]
    not_served: tuple[str, ...]

    def located(self, sentence: str, environment: Mapping[str, str]) -> str:
        """A sentence about a variable, with the line of config.toml that sets it."""
        name = sentence.partition(" ")[0].rstrip(":")
        place = self.places.get(name) if name not in environment else None
        return f"{place}: {sentence}" if place else sentence

    def recorded_path(self, file: Path) -> str:
        """A file's path as the CLI records it: `supabase/seed.sql`."""
        try:
            below = file.relative_to(self.folder)
        except ValueError:
            return file.as_posix()
        return (Path(self.folder.name) / below).as_posix()


def open_project(given: str, environment: Mapping[str, str]) -> Project:
    """Read a project's folder, or the one that has it as `supabase/`.

    Raises ProjectError, and SettingsError for what is wrong in config.toml.
    """
    folder = _find(Path(given).expanduser().absolute())
    replaced: list[str] = []
    known = _with_dotenv(folder, environment, replaced)
    file = folder / "config.toml"
    text = _read(file, replaced) if file.is_file() else ""
    config = read_config(text, known, str(_shown(file)), folder.parent.name)
    config = _with_signing_keys(_with_templates(config, folder), folder)
    seeds, missing = _seeds(config, folder)
    missing += tuple(_missing_objects(config, folder))
    migrations = folder / "migrations"
    roles = folder / "roles.sql"
    return Project(
        name=config.project_id,
        folder=folder,
        variables={
            "DATA_DIR": f".data/projects/{_slug(config.project_id, folder)}",
            **config.variables,
        },
        buckets=config.buckets,
        seeds=seeds,
        schemas=_schemas(config, folder) if known.get(EXPERIMENTAL) in _TRUE else (),
        roles=roles if roles.is_file() else None,
        migrations=migrations if config.applies_migrations and migrations.is_dir() else None,
        exposes_new_tables=config.exposes_new_tables,
        major_version=config.major_version,
        secrets=config.secrets,
        switched_off=config.switched_off,
        places=config.places,
        remarks=(*replaced, *config.remarks, *missing),
        not_served=config.not_served,
    )


def _find(folder: Path) -> Path:
    if not folder.exists():
        raise ProjectError(f"there is no {folder}")
    for candidate in (folder, folder / "supabase"):
        if (candidate / "config.toml").is_file():
            return candidate
    for candidate in (folder, folder / "supabase"):
        if (candidate / "migrations").is_dir():
            return candidate
    raise ProjectError(
        f"{folder} is no Supabase project: it has neither config.toml nor migrations"
    )


def _with_dotenv(
    folder: Path, environment: Mapping[str, str], replaced: list[str]
) -> dict[str, str]:
    """The environment, completed from the `.env` files, the nearest first."""
    known = dict(environment)
    kind = environment.get("SUPABASE_ENV") or "development"
    names = [f".env.{kind}.local", *([] if kind == "test" else [".env.local"]), f".env.{kind}"]
    for place in (folder, folder.parent):
        for name in (*names, ".env"):
            file = place / name
            if not file.is_file():
                continue
            try:
                found = read_dotenv(_read(file, replaced))
            except BrokenEnvError as error:
                raise ProjectError(f"{_shown(file)}:{error.line}: {error.reason}") from error
            known = found | known
    return known


def _with_templates(config: Config, folder: Path) -> Config:
    """Mail templates as file URLs; missing files are left out with a remark."""
    variables, remarks = dict(config.variables), list(config.remarks)
    for variable, given in config.variables.items():
        if not variable.startswith(_TEMPLATES):
            continue
        # The CLI looks for these beside its folder, and for notifications in it.
        places = [folder.parent / given, folder / given]
        file = next((each for each in places if each.is_file()), None)
        if file is None:
            del variables[variable]
            place = config.places.get(variable, variable)
            remarks.append(f"{place}: there is no {given}, and the mail has its usual text")
        else:
            variables[variable] = file.resolve().as_uri()
    return replace(config, variables=variables, remarks=tuple(remarks))


def _with_signing_keys(config: Config, folder: Path) -> Config:
    """The file of signing keys as a variable; a missing file is a remark, as with the CLI."""
    if config.signing_keys is None:
        return config
    file = folder / config.signing_keys
    if file.is_file():
        return replace(config, variables={**config.variables, "SIGNING_KEYS_FILE": str(file)})
    remark = (
        f"there is no {config.signing_keys} of [auth] signing_keys_path: tokens are signed by the"
        " stack's own key; `supabase gen signing-key` makes one"
    )
    return replace(config, remarks=(*config.remarks, remark))


def _seeds(config: Config, folder: Path) -> tuple[tuple[Path, ...], tuple[str, ...]]:
    found: dict[Path, None] = {}
    missing: list[str] = []
    for pattern in config.seeds:
        matches = tuple(_matches(folder, pattern))
        found |= dict.fromkeys(matches)
        if not matches and config.names_seeds:
            missing.append(f"no file is of the pattern {pattern} of [db.seed] sql_paths")
    return tuple(found), tuple(missing)


def _schemas(config: Config, folder: Path) -> tuple[Path, ...]:
    matches = (path for pattern in config.schemas for path in _matches(folder, pattern))
    return tuple(dict.fromkeys(matches))


def _missing_objects(config: Config, folder: Path) -> Iterator[str]:
    for bucket in config.buckets:
        if bucket.objects_path is not None and not (folder / bucket.objects_path).exists():
            yield (
                f"there is no {bucket.objects_path} of [storage.buckets.{bucket.name}]"
                " objects_path: nothing is uploaded"
            )


def _matches(folder: Path, pattern: str) -> Iterator[Path]:
    """The files of a pattern by name; a folder stands for the `.sql` files below it, no links."""
    matches = glob.glob(  # noqa: PTH207 — patterns may begin with ../
        pattern, root_dir=folder, include_hidden=True
    )
    for match in sorted(matches):
        found = Path(folder, match)
        if found.is_dir():
            below = sorted(found.rglob("*.sql"), key=Path.as_posix)
            yield from (file for file in below if file.is_file() and not file.is_symlink())
        elif found.is_file():
            yield found


def _read(file: Path, replaced: list[str]) -> str:
    """A file's text; bytes that are not UTF-8 are U+FFFD, as with the CLI, and reported."""
    try:
        size = file.stat().st_size
        if size > _MOST_BYTES:
            raise ProjectError(f"{_shown(file)} has {size} bytes, and may have {_MOST_BYTES}")
        return file.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError as error:
        problem = f"{_shown(file)} is not UTF-8 (at byte {error.start})"
        if b"\0" in error.object:  # UTF-16 has them
            raise ProjectError(problem) from error
        replaced.append(f"{problem}: what is not is read as U+FFFD")
        return error.object.decode("utf-8-sig", "replace")
    except OSError as error:
        raise ProjectError(f"{_shown(file)} cannot be read ({error.strerror})") from error


def _shown(file: Path) -> Path:
    """A path relative to its project."""
    return Path(*file.parts[-2:])


def _slug(name: str, folder: Path) -> str:
    """A folder name that no other project has."""
    kept = "".join(
        character if character.isalnum() or character in "-_" else "-" for character in name
    )
    return f"{kept[:40]}-{hashlib.sha256(str(folder).encode()).hexdigest()[:8]}"
