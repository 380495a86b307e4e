"""The wheel in an environment of its own: its console scripts migrate and serve without a checkout."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import httpx2
import pytest

from tests.architecture.test_laws import PACKAGES
from tests.harness_stack import ROOT, environment, start_stack

UV = Path(sys.executable).parent / "uv"
SOURCES = (*PACKAGES, "sql", "web/dist", "pyproject.toml", "setup.py", "README.md")


def run(*command: str | Path, cwd: Path | None = None, env: dict[str, str] | None = None) -> str:
    done = subprocess.run(
        command, capture_output=True, text=True, timeout=300, check=False, cwd=cwd, env=env
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of the console scripts; the checkout is copied, so that the build leaves no trace."""
    folder = tmp_path_factory.mktemp("wheel")
    source = folder / "source"
    for name in SOURCES:
        (source / name).parent.mkdir(parents=True, exist_ok=True)
        if (ROOT / name).is_dir():
            shutil.copytree(
                ROOT / name, source / name, ignore=shutil.ignore_patterns("__pycache__")
            )
        else:
            shutil.copy(ROOT / name, source / name)
    run(UV, "build", "--quiet", "--wheel", "--out-dir", folder, source)
    run(UV, "venv", "--quiet", "--python", sys.executable, folder / "env")
    (wheel,) = folder.glob("*.whl")
    run(
        UV, "pip", "install", "--quiet", "--python", folder / "env" / "bin" / "python",
        "-c", ROOT / "requirements" / "run.lock", f"{wheel}[embedded]",
    )  # fmt: skip
    return folder / "env" / "bin"


def test_the_console_script_migrates_and_serves_the_planner(installed: Path, tmp_path: Path):
    settings = environment(PORT="0", DATA_DIR=str(tmp_path / "data"))
    printed = run(installed / "planes", "migrate", cwd=tmp_path, env=settings)
    assert "up to date" in printed
    stack = start_stack(
        tmp_path / "data", program=(str(installed / "planes"), "serve"), cwd=tmp_path
    )
    try:
        assert httpx2.get(f"{stack.url}/auth/v1/health").status_code == 200
        assert 'name="supabase-url"' in httpx2.get(stack.url).text
    finally:
        assert stack.stop() == 0


@pytest.mark.parametrize(
    ("command", "answer"),
    [
        (("postgrest-compat", "--version"), "PostgREST"),
        (("gotrue-compat",), "DATABASE_URL must be set"),
        (("realtime-compat",), "API_JWT_SECRET must be set"),
        (("realtime-compat", "--help"), "Phoenix channels"),
        (("storage-compat", "--help"), "migrate first"),
    ],
)
def test_each_service_has_a_console_script(
    installed: Path, tmp_path: Path, command: tuple[str, ...], answer: str
):
    done = subprocess.run(
        [installed / command[0], *command[1:]], cwd=tmp_path, capture_output=True, text=True,
        timeout=60, check=False, env={"PATH": os.environ["PATH"]},
    )  # fmt: skip
    assert answer in done.stdout + done.stderr
    assert "Traceback" not in done.stderr
