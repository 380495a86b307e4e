"""Limits of sizes as numbers and texts."""

from __future__ import annotations

import pytest

from storage_compat.rules import (
    sizes,
)


@pytest.mark.parametrize(
    ("value", "limit"),
    [("1.5KB", 1500), ("52.43mb", 52_400_000), (None, None), ("2gb", 2_000_000_000), (7, 7)],
)
def test_a_limit_is_a_number_or_a_text(value: object, limit: int | None):
    assert sizes.read_limit(value, 5_000_000_000) == limit
