"""PostgreSQL's own programs, run by the stack."""

from __future__ import annotations

import pytest

from compat_stack.embedded.programs import run_program


def test_a_program_gets_nothing_of_the_settings(monkeypatch: pytest.MonkeyPatch):
    for name in ("JWT_SECRET", "SMTP_PASS", "DATABASE_URL", "PGPASSWORD", "GOTRUE_HOOK_SECRETS"):
        monkeypatch.setenv(name, "of-nobody-else")
    monkeypatch.setenv("LC_ALL", "C")
    printed = run_program("env", failure="env failed")
    assert "of-nobody-else" not in printed
    assert {"LC_ALL=C", "TZ=UTC"} <= set(printed.splitlines())
