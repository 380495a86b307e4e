"""Clock and random source."""

from __future__ import annotations

import pytest

from compat_base.values.world import real_world


@pytest.mark.parametrize("alphabet", ["01", "abcdefghijklmnopqrstuvwxyz0123456789", "x"])
def test_random_text_draws_every_symbol_alike(alphabet: str):
    """Of 36 symbols in 36,000 each comes 1,000 times, give or take a fifth (six deviations)."""
    count = 1000 * len(alphabet)
    drawn = real_world().entropy.text(count, alphabet)
    assert len(drawn) == count
    assert set(drawn) == set(alphabet)
    assert all(800 < drawn.count(symbol) < 1200 for symbol in alphabet)
