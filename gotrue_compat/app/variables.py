"""Files of variables beside the environment, as the original's command line reads them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path


def read_variables(
    environment: Mapping[str, str], file: str | None, folder: str | None
) -> Mapping[str, str]:
    """The environment merged with the files; OSError where a named one cannot be read.

    A named file overrides the environment, and so do a folder's files that end in `.env`, in the
    order of their names; `.env` in the working folder fills in what the environment leaves unset.
    """
    if file:
        read = {**environment, **_pairs(Path(file))}
    else:
        usual = Path(".env")
        read = {**(_pairs(usual) if usual.is_file() else {}), **environment}
    for path in _files_of(folder):
        read |= _pairs(path)
    return read


def _files_of(folder: str | None) -> Iterable[Path]:
    if not folder:
        return ()
    found = sorted(Path(folder).iterdir(), key=lambda path: path.name)
    return [path for path in found if path.name.endswith(".env") and path.is_file()]


def _pairs(path: Path) -> dict[str, str]:
    lines = path.read_text(encoding="utf-8", errors="replace").splitlines()
    return dict(filter(None, map(_pair, lines)))


def _pair(line: str) -> tuple[str, str] | None:
    name, equals, value = line.strip().removeprefix("export ").partition("=")
    if not equals or name.startswith("#"):
        return None
    value = value.strip()
    quote = value[:1]
    if quote in {"'", '"'} and quote in value[1:]:
        return name.strip(), value[1 : value.index(quote, 1)]
    return name.strip(), value.partition(" #")[0].strip()
