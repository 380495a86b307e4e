"""docs/limits.md says what the code does: every limit with its figures, alone and in the stack."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from compat_stack.services.variables import LIMITS as STACK
from gotrue_compat.settings.limits import LIMITS, Limit, rate_from

TEXT = (Path(__file__).resolve().parents[4] / "docs/limits.md").read_text(encoding="utf-8")
SECONDS = {"s": 1, "m": 60, "h": 3600}


def figures_of(variable: str) -> list[str]:
    """The figures that the table has for a variable."""
    [line] = [line for line in TEXT.splitlines() if line.startswith(f"| `{variable}` ")]
    return [cell.strip() for cell in line.strip("|").split("|")[1:3]]


def in_words(limit: Limit, text: str) -> str:
    """A value in the table's words."""
    rate = rate_from(text, limit)
    if rate is None:
        return "off"
    number, unit = next((n, u) for u, n in reversed(SECONDS.items()) if rate.seconds % n == 0)
    burst = f" [{rate.burst:.0f}]" if "/" not in text and limit.burst else ""
    return f"{rate.events:.0f}/{rate.seconds / number:.0f}{unit}{burst}"


@pytest.mark.parametrize("name", LIMITS)
def test_the_table_has_every_limit_with_its_figures(name: str):
    limit = LIMITS[name]
    variable = f"GOTRUE_{limit.variable}"
    alone = "as `…_OTP`" if limit.like else in_words(limit, limit.default)
    in_stack = in_words(limit, STACK.get(variable, limit.default))
    assert figures_of(variable) == [alone, in_stack]


def test_the_table_has_no_other_limit():
    named = set(re.findall(r"^\| `GOTRUE_(\w+)` \|", TEXT.partition("## Numbers")[0], re.MULTILINE))
    assert named == {limit.variable for limit in LIMITS.values()}
