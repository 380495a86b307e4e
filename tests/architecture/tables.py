"""Write documents out of the code's own tables: settings, errors, client events.

`make tables` runs it, and a test compares.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path
from pkgutil import iter_modules, resolve_name
from types import ModuleType
from typing import Any

import gotrue_compat.errors
import gotrue_compat.features
import realtime_compat.errors
import rest_compat.errors
import rest_compat.settings
import storage_compat.errors
from compat_base.values.errors import Row
from compat_base.values.settings import Catalogue, SettingsError
from compat_stack.limit_settings import LIMITS
from compat_stack.services.manifest import SERVICES
from compat_stack.services.service import Service
from compat_stack.settings import Settings, rows
from compat_stack.settings import read_settings as read_stack
from gotrue_compat.settings import read_settings as read_auth
from realtime_compat.protocol.client_events import EVENTS
from realtime_compat.settings import read_settings as read_realtime
from storage_compat.settings import read_settings as read_storage

ROOT = Path(__file__).resolve().parents[2]
SETTINGS, ERRORS = ROOT / "docs" / "settings.md", ROOT / "docs" / "errors.md"
README = ROOT / "README.md"
REALTIME = ROOT / "docs" / "compatibility" / "realtime.md"
_NOTE = "<!-- Written by `make tables`; a change here is lost. -->"
_GIVEN = {
    "GOTRUE_SITE_URL": "http://localhost",
    "API_EXTERNAL_URL": "http://localhost",
    "DATABASE_URL": "postgresql://localhost",
    "GOTRUE_JWT_SECRET": "s" * 32,
    "API_JWT_SECRET": "s" * 32,
    "AUTH_JWT_SECRET": "s" * 32,
}


def settings_document() -> str:
    """Every variable that a command line reads."""
    parts = [
        _NOTE,
        "# Settings",
        (
            "Variables of the environment. A duration is `90s`, `1h30m` or a number of seconds; a list"
            " has commas. Variables of the originals mean what they mean there; what they do is in"
            " the [references](reference), and limits are argued in [limits](limits.md)."
        ),
        "## The composed stack (`python -m compat_stack`)",
        (
            "[README](../README.md#settings) says what each does. The variables of the services"
            " below count too, and win over what the stack would set."
        ),
        _table(_variables(read_stack, {})),
        "Its services, one row of `compat_stack/services/manifest.py` each:",
        _table(service_rows(SERVICES)),
        "## Auth (`python -m gotrue_compat`)",
        _table(_variables(read_auth, _GIVEN)),
        "## Realtime (`python -m realtime_compat`)",
        _table(_variables(read_realtime, _GIVEN)),
        "## Storage (`python -m storage_compat`)",
        _table(_variables(read_storage, _GIVEN)),
        "## REST (`python -m rest_compat`)",
        (
            "The original's keys; `db-uri` is `PGRST_DB_URI` in the environment. Those of the"
            " database are read there as `pgrst.db_uri` too, by a role's settings or `db-pre-config`."
        ),
        _table(rest_rows(rest_compat.settings.Settings)),
    ]
    return "\n\n".join(parts) + "\n"


def errors_document() -> str:
    """Every row of the services' error tables."""
    parts = [
        _NOTE,
        "# Errors",
        "What each service answers where something is refused: `{names}` are filled in.",
    ]
    for title, modules in (
        ("Auth", (gotrue_compat.errors, *_features())),
        ("REST", (rest_compat.errors,)),
        ("Realtime", (realtime_compat.errors,)),
        ("Storage", (storage_compat.errors,)),
    ):
        parts += [f"## {title}", _table(_rows(*modules))]
    return "\n\n".join(parts) + "\n"


def _features() -> list[ModuleType]:
    """The errors of each feature of auth."""
    names = (each.name for each in iter_modules(gotrue_compat.features.__path__))
    return [resolve_name(f"gotrue_compat.features.{name}.errors") for name in names]


def _variables(read: Callable[[Catalogue], Any], given: dict[str, str]) -> list[tuple[str, ...]]:
    catalogue = Catalogue(given)
    try:
        read(catalogue)
    except SettingsError as error:
        raise SystemExit(f"the settings cannot be read: {error}") from error
    rows = [
        (f"`{one.name}`", one.kind, "required" if one.default is None else _shown(one.default))
        for one in sorted(catalogue.variables.values(), key=lambda one: one.name)
    ]
    return [("Variable", "Takes", "Default"), *rows]


def setting_rows(record: type[Settings] = Settings) -> list[tuple[str, ...]]:
    """The stack's settings as README lists them."""
    listed = (*rows(record).values(), *LIMITS.values())
    return [
        ("Variable", "Default", "Meaning"),
        *((f"`{row.variable}`", row.default, row.meaning) for row in listed),
    ]


def readme() -> str:
    """README with the stack's settings between their marks."""
    return _with_table(README, "settings", setting_rows())


def event_rows() -> list[tuple[str, ...]]:
    """The events that clients of realtime push."""
    return [
        ("Event", "What it does"),
        *((f"`{name}`", event.meaning) for name, event in EVENTS.items()),
    ]


def realtime_document() -> str:
    """Realtime's compatibility page with the client events between their marks."""
    return _with_table(REALTIME, "client events", event_rows())


def _with_table(document: Path, name: str, rows: Iterable[tuple[str, ...]]) -> str:
    """A document's text with a table between the marks of its name."""
    begin, end = f"<!-- {name}: written by `make tables` -->", f"<!-- /{name} -->"
    before, _, rest = document.read_text(encoding="utf-8").partition(begin)
    _, _, after = rest.partition(end)
    return f"{before}{begin}\n{_table(rows)}\n{end}{after}"


def service_rows(services: Iterable[Service]) -> list[tuple[str, ...]]:
    """Where each service is, whom it connects as, and which of the user's variables reach it."""
    rows = [
        (
            service.name,
            f"`{service.prefix}`",
            f"`{service.role}`",
            f"`{_shown_path(service.migrations.folder)}`" if service.migrations else "–",
            ", ".join(
                f"`{name}`"
                for name in (
                    *(f"{prefix}*" for prefix in service.takes.prefixes),
                    *sorted(service.takes.names),
                )
            ),
        )
        for service in services
    ]
    return [("Service", "At", "Connects as", "Migrations", "Variables that reach it"), *rows]


def _shown_path(path: Path) -> str:
    return path.relative_to(ROOT).as_posix() if path.is_relative_to(ROOT) else path.name


def rest_rows(table: type[rest_compat.settings.Settings]) -> list[tuple[str, ...]]:
    """A line for each setting of REST."""
    settings = rest_compat.settings.read_settings({}, table=table)
    rows = sorted((row.key, name, row) for name, row in rest_compat.settings.rows_of(table).items())
    return [
        ("Key", "Also", "Takes", "Default", "In the database", "Changed by"),
        *(
            (
                f"`{key}`",
                " ".join(f"`{other}`" for other in row.keys if other != key),
                row.kind.takes,
                _shown(row.kind.dump(getattr(settings, name)).strip('"')),
                "yes" if row.in_database else "",
                "restart" if row.fixed else "reload",
            )
            for key, name, row in rows
        ),
    ]


def _rows(*modules: ModuleType) -> list[tuple[str, ...]]:
    rows = [
        (f"`{row.code}`", str(row.status), row.message, row.details or "", row.hint or "")
        for module in modules
        for row in vars(module).values()
        if isinstance(row, Row)
    ]
    return [("Code", "Status", "Message", "Details", "Hint"), *rows]


def _shown(value: Any) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, tuple | list):
        value = ",".join(map(str, value))  # pyright: ignore[reportUnknownArgumentType]
    if isinstance(value, float):
        value = f"{value:g}"
    text = str(value).replace(str(ROOT), ".")
    return f"`{text}`" if text else "–"


def _table(rows: Iterable[tuple[str, ...]]) -> str:
    first, *others = [tuple(_cell(cell) for cell in row) for row in rows]
    lines = [first, tuple("---" for _ in first), *others]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def _cell(text: str) -> str:
    return " ".join(text.split()).replace("|", "\\|").replace("<", "&lt;")


def main() -> None:
    """Write the documents."""
    README.write_text(readme(), encoding="utf-8")
    REALTIME.write_text(realtime_document(), encoding="utf-8")
    SETTINGS.write_text(settings_document(), encoding="utf-8")
    ERRORS.write_text(errors_document(), encoding="utf-8")


if __name__ == "__main__":
    main()
