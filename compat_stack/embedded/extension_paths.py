"""Where the embedded PostgreSQL finds its extensions: its own, pgcrypto, those of sql/contrib.

Extensions that Supabase lets `postgres`, who is no superuser, create are trusted here too, by a
control file of ours that is found before the server's own. So is pgTAP, where the machine has a
package of it, for whichever version of PostgreSQL.
"""

from __future__ import annotations

from pathlib import Path

from compat_base.postgres.sqlfiles import SQL_FOLDER
from compat_stack.data_folder.private import make_private_folder, write_private
from compat_stack.embedded.pgcrypto import has_pgcrypto, pgcrypto_folder
from compat_stack.process import unprivileged

CONTRIB = SQL_FOLDER / "contrib"
_MACHINE = Path("/usr/share/postgresql")  # where Debian's packages of PostgreSQL put their SQL
_ENDINGS = (".so", ".dylib")
TRUSTED = (
    "amcheck", "autoinc", "bloom", "dblink", "dict_xsyn", "earthdistance", "insert_username",
    "intagg", "moddatetime", "pageinspect", "pg_buffercache", "pg_freespacemap", "pg_prewarm",
    "pg_stat_statements", "pg_visibility", "pg_walinspect", "pgrowlocks", "pgstattuple",
    "postgres_fdw", "refint", "vector",
)  # fmt: skip
"""Made trusted here. Left out: file_fdw and pg_surgery."""


def extension_settings(
    programs: Path, folder: Path, owner: int | None, *, machine: Path = _MACHINE
) -> str:
    """The server's settings that name the folders; the trusted control files are made or renewed.

    `machine` has the files of the machine's own packages of PostgreSQL, by version.
    """
    own = folder / "extensions"
    _write_trusted(_system_folder(programs), own, owner, machine)
    places, libraries = [str(own), "$system", str(CONTRIB)], ["$libdir"]
    pgcrypto = pgcrypto_folder()
    if has_pgcrypto(pgcrypto):
        places.insert(2, str(pgcrypto))
        libraries.append(str(pgcrypto / "lib" / "postgresql"))
    return (
        f"extension_control_path = '{_quoted(':'.join(places))}'\n"
        f"dynamic_library_path = '{_quoted(':'.join(libraries))}'\n"
    )


def _write_trusted(system: Path | None, own: Path, owner: int | None, machine: Path) -> None:
    for place in (own, own / "extension"):
        make_private_folder(place, owner)
        unprivileged.hand_over(place)
    sources = {name: system / f"{name}.control" for name in TRUSTED} if system is not None else {}
    # SQL alone, so that a package for any version of the server will do
    sources["pgtap"] = max(machine.glob("*/extension/pgtap.control"), default=own / "none")
    for name, source in sources.items():
        path = own / "extension" / f"{name}.control"
        if not source.exists():
            path.unlink(missing_ok=True)
            continue
        kept = [
            line
            for line in source.read_text(encoding="utf-8").splitlines()
            if not line.startswith(("trusted", "directory"))
        ]
        lines = [*kept, "trusted = true", f"directory = '{_quoted(str(source.parent))}'", ""]
        text = "\n".join(lines)
        if not _is_written(path, text):
            write_private(path, text)
        unprivileged.hand_over(path)


def _is_written(path: Path, text: str) -> bool:
    """Whether a file of ours says this already: each one that is written is synced to the disk."""
    try:
        return not path.is_symlink() and path.read_bytes() == text.encode()
    except OSError:
        return False


def has_library(programs: Path, name: str) -> bool:
    """Whether the server has a shared library: preloading one that it lacks fails its start."""
    installation = programs.resolve().parent
    places = (installation / "lib", installation / "lib" / "postgresql")
    return any((place / f"{name}{end}").exists() for place in places for end in _ENDINGS)


def _system_folder(programs: Path) -> Path | None:
    """The folder of the server's control files: the wheel's, or a common package's."""
    installation = programs.resolve().parent
    places = (
        installation / "share" / "extension",
        installation / "share" / "postgresql" / "extension",
        _MACHINE / installation.name / "extension",
    )
    return next((place for place in places if (place / "plpgsql.control").exists()), None)


def _quoted(text: str) -> str:
    return text.replace("'", "''")
