"""The laws of ARCHITECTURE.md that a machine can check."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
import tomllib
from collections.abc import Callable, Iterable, Iterator
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
TOOLS = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]
PACKAGES: list[str] = TOOLS["importlinter"]["root_packages"]
SOURCES = sorted(path for package in PACKAGES for path in (ROOT / package).rglob("*.py"))

# Folders and modules that are pure: values in, values out.
PURE = (
    "compat_base/values/errors.py",
    "compat_base/server/frames.py",
    "compat_base/server/heads.py",
    "compat_base/server_limits.py",
    "compat_base/values/http.py",
    "compat_base/values/jsontext.py",
    "compat_base/values/sqltext.py",
    "compat_base/values/settings.py",
    "compat_base/values/jwt.py",
    "compat_base/values/networks.py",
    "compat_base/values/urls.py",
    "compat_stack/project/",
    "compat_stack/schema_types/collation.py",
    "compat_stack/schema_types/functions.py",
    "compat_stack/schema_types/model.py",
    "compat_stack/schema_types/names.py",
    "compat_stack/schema_types/node_tree.py",
    "compat_stack/schema_types/relationships.py",
    "compat_stack/schema_types/typescript.py",
    "compat_stack/schema_types/view_columns.py",
    "rest_compat/request/",
    "rest_compat/plan/",
    "rest_compat/query/",
    "rest_compat/outcome.py",
    "rest_compat/response/",
    "realtime_compat/protocol/",
    "realtime_compat/changes/",
    "storage_compat/errors.py",
    "storage_compat/model/",
    "storage_compat/rules/",
    "gotrue_compat/bounded_cache.py",
    "gotrue_compat/model/",
    "gotrue_compat/rules/",
    "gotrue_compat/urls/",
    "gotrue_compat/features/admin/bans.py",
    "gotrue_compat/features/custom_providers/rules.py",
    "gotrue_compat/features/oauth_server/rules.py",
    "gotrue_compat/features/passkeys/authenticators.py",
    "gotrue_compat/features/passkeys/model.py",
    "gotrue_compat/features/sso/saml",
    "gotrue_compat/features/sso/xml_encryption.py",
    "gotrue_compat/features/web3/message.py",
    "gotrue_compat/features/web3/signatures.py",
)
IMPURE_MODULES = {
    "asyncio", "asyncpg", "aiosmtplib", "httpx2", "os", "psycopg", "random", "redis", "secrets",
    "socket", "starlette", "subprocess", "tempfile", "threading", "time", "uvicorn",
}  # fmt: skip

# Who may import what: a module, and the files that alone may import it.
IMPORTERS = {
    "ada_url": ("compat_base/values/urls.py",),
    "asyncpg": ("compat_base/postgres/asyncpg_connect.py", "compat_base/postgres/database.py"),
    "uvicorn": ("compat_base/server/",),
    "msgspec": (
        "compat_base/values/jsontext.py",
        "realtime_compat/protocol/codec.py",
        "realtime_compat/transports/batch.py",
        "rest_compat/request/json_keys.py",
    ),
    "psycopg": (
        "compat_base/postgres/conninfo.py",
        "compat_base/postgres/results.py",
        "compat_base/postgres/pipeline.py",
        "compat_base/postgres/replication.py",
    ),
    "prometheus_client": (
        "compat_stack/",
        "realtime_compat/",
        "gotrue_compat/app/metrics.py",
        "storage_compat/web/metrics.py",
    ),
    "redis": ("realtime_compat/",),
    "obstore": ("storage_compat/files/remote.py",),
    "pyvips": ("storage_compat/files/image_worker.py",),
    "PIL": ("storage_compat/files/image_worker.py",),
    "pi_heif": ("storage_compat/files/image_worker.py",),
    "python_multipart": ("storage_compat/web/multipart.py",),
    "aiosmtplib": ("gotrue_compat/adapters/",),
    "bcrypt": ("gotrue_compat/",),
    "starlette": (
        "compat_base/asgi.py",
        "compat_base/server/run.py",
        "rest_compat/app.py",
        "gotrue_compat/app/",
        "realtime_compat/app/service.py",
        "storage_compat/app.py",
        "storage_compat/web/metrics.py",
        "storage_compat/web/service.py",
        "storage_compat/web/exchange.py",
        "realtime_compat/transports/frame_writer.py",
        "realtime_compat/transports/websocket.py",
        "compat_stack/",
    ),
}


def name_of(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


@cache
def tree_of(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"))


@cache
def nodes_of(path: Path) -> tuple[ast.AST, ...]:
    return tuple(ast.walk(tree_of(path)))


@cache
def imports_of(path: Path) -> frozenset[str]:
    names: set[str] = set()
    for node in nodes_of(path):
        if isinstance(node, ast.Import):
            names.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            names.update((node.module, *(f"{node.module}.{alias.name}" for alias in node.names)))
    return frozenset(names)


def is_pure(path: Path) -> bool:
    return name_of(path).startswith(PURE)


def breaches(offenders: Callable[[Path], Iterable[object]], *, pure: bool = False) -> list[str]:
    """Each file that breaks a law, with what in it does."""
    looked_at = [path for path in SOURCES if is_pure(path) or not pure]
    assert len(looked_at) > (100 if pure else 500)
    found = ((path, sorted(map(str, offenders(path)))) for path in looked_at)
    return [f"{name_of(path)}: {', '.join(which)}" for path, which in found if which]


def test_a_package_has_few_layers_and_few_names_at_its_top():
    """At most 9 layers and 18 names, realtime 15; the stack joins all services and has more."""
    most = {"realtime_compat": 15, "compat_stack": 26}
    contracts = {
        contract["containers"][0]: [layer.split(" | ") for layer in contract["layers"]]
        for contract in TOOLS["importlinter"]["contracts"]
        if contract.get("exhaustive")
    }
    assert contracts.keys() >= set(PACKAGES)
    assert {name for name, layers in contracts.items() if len(layers) > 9} == set()
    names = {name: sum(map(len, layers)) for name, layers in contracts.items()}
    assert {name: n for name, n in names.items() if n > most.get(name, 18)} == {}


def test_a_table_fits_into_a_file_and_the_arrows_of_rest_on_a_page():
    """What grows by rows, one file a feature: else a file sums up what belongs to many."""
    tables = {"bodies", "errors", "keys", "manifest", "registry", "routes", "settings", "table"}
    lines = {path: path.read_text("utf-8").count("\n") for path in SOURCES}
    sums = {name_of(path): n for path, n in lines.items() if path.stem in tables and n > 300}
    assert sums == {}
    assert lines[ROOT / "rest_compat/pipeline.py"] <= 60


def test_pure_modules_import_no_input_or_output():
    def forbidden(path: Path) -> Iterator[str]:
        return (
            name
            for name in imports_of(path)
            if name in IMPURE_MODULES or name.partition(".")[0] in IMPURE_MODULES
        )

    assert breaches(forbidden, pure=True) == []


def test_pure_modules_are_synchronous():
    def waiting(path: Path) -> Iterator[int]:
        kinds = ast.AsyncFunctionDef | ast.Await | ast.AsyncFor | ast.AsyncWith
        return (node.lineno for node in nodes_of(path) if isinstance(node, kinds))

    assert breaches(waiting, pure=True) == []


def test_libraries_are_imported_in_one_place():
    def strayed(path: Path) -> Iterator[str]:
        return (
            name
            for name in imports_of(path)
            if (importers := IMPORTERS.get(name.partition(".")[0]))
            and not name_of(path).startswith(importers)
        )

    assert breaches(strayed) == []


def test_imports_stand_at_the_top_and_hide_no_cycle():
    def inside(path: Path) -> set[int]:
        return {
            inner.lineno
            for outer in nodes_of(path)
            if isinstance(outer, ast.FunctionDef | ast.AsyncFunctionDef | ast.If)
            for inner in ast.walk(outer)
            if isinstance(inner, ast.Import | ast.ImportFrom)
        }

    assert breaches(inside) == []


def test_only_what_few_starts_or_few_moments_need_is_loaded_by_name():
    by_name = re.compile(r"\b(?:import_module|resolve_name|import_uncollected)\(")
    loading = {name_of(path) for path in SOURCES if by_name.search(path.read_text())}
    assert loading == {
        "compat_base/process.py",
        "compat_stack/cli.py",
        "compat_stack/process/loading.py",
        "compat_stack/app.py",
        "compat_stack/services/budget.py",
        "gotrue_compat/app/metered.py",
        "gotrue_compat/http/named_flow.py",
        "realtime_compat/cluster/redis_connection.py",
        "rest_compat/__main__.py",
        "storage_compat/app.py",
        "storage_compat/files/image_worker.py",
        "storage_compat/files/opened.py",
    }


def test_the_stack_at_rest_loads_no_library_that_few_requests_need():
    loaded = "import compat_stack.app, compat_stack.commands, sys; print(*sys.modules)"
    done = subprocess.run(
        [sys.executable, "-c", loaded], cwd=ROOT, capture_output=True, text=True, check=True
    )
    rare = {
        "coincurve",
        "lxml",
        "obstore",
        "PIL",
        "pyvips",
        "redis",
        "segno",
        "signxml",
        "webauthn",
    }
    assert rare.isdisjoint(done.stdout.split())


def test_the_command_line_alone_loads_no_service_and_no_driver():
    loaded = "import compat_stack.cli, sys; print(*sys.modules)"
    done = subprocess.run(
        [sys.executable, "-c", loaded], cwd=ROOT, capture_output=True, text=True, check=True
    )
    heavy = {
        "gotrue_compat",
        "rest_compat",
        "realtime_compat",
        "storage_compat",
        "asyncpg",
        "cryptography",
        "uvicorn",
    }
    assert heavy.isdisjoint(done.stdout.split())


def test_only_the_command_lines_read_the_process_environment():
    def reads(path: Path) -> Iterator[int]:
        if name_of(path).startswith("compat_stack/") or path.name == "__main__.py":
            return iter(())
        return (
            node.lineno
            for node in nodes_of(path)
            if isinstance(node, ast.Attribute)
            and isinstance(node.value, ast.Name)
            and f"{node.value.id}.{node.attr}" in {"os.environ", "os.getenv"}
        )

    assert breaches(reads) == []


def test_only_the_supervisor_creates_tasks():
    def calls(path: Path) -> Iterator[int]:
        return (
            node.lineno
            for node in nodes_of(path)
            if isinstance(node, ast.Attribute)
            and node.attr in {"create_task", "ensure_future"}
            and name_of(path) != "compat_base/tasks.py"
        )

    assert breaches(calls) == []


def test_every_module_and_public_function_says_what_it_is():
    def silent(path: Path) -> list[str]:
        tree = tree_of(path)
        return [
            *([] if ast.get_docstring(tree) else ["module"]),
            *(
                node.name
                for node in tree.body
                if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef)
                and not node.name.startswith("_")
                and not ast.get_docstring(node)
            ),
        ]

    assert breaches(silent) == []
