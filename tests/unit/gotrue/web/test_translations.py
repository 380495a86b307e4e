"""Spanish texts: each has the facts of its row, and what has none stays."""

from __future__ import annotations

import re

import pytest

from compat_base.values.errors import Row
from gotrue_compat import errors
from gotrue_compat.web.translations import SPANISH, translated


@pytest.mark.parametrize("row", SPANISH, ids=lambda row: row.message[:40])
def test_a_text_has_no_fact_that_its_row_has_not(row: Row):
    facts = set(re.findall(r"\{(\w+)\}", row.message))
    assert set(re.findall(r"\{(\w+)\}", SPANISH[row])) <= facts


def test_facts_are_taken_over():
    problem = errors.TOO_SOON_EMAIL.problem(seconds=7)
    assert "7 segundos" in translated(problem.code, problem.message)


def test_a_text_without_translation_stays():
    assert translated("user_not_found", "Something else") == "Something else"
    assert translated("no_such_code", "User not found") == "User not found"


def test_reasons_of_a_weak_password_are_translated_one_by_one():
    text = "Password should be at least 8 characters. Password should contain at least one character of each: abc, 012."
    assert translated("weak_password", text) == (
        "La contraseña debe tener al menos 8 caracteres."
        " La contraseña debe contener un carácter de cada: abc, 012."
    )
