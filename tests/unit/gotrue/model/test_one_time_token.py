"""Sign-ins under way."""

from __future__ import annotations

import pytest

from gotrue_compat.model.one_time_token import FlowState
from tests.unit.gotrue.records import row


@pytest.mark.parametrize(("challenge", "is_pkce"), [(None, False), ("", False), ("c", True)])
def test_a_sign_in_with_a_challenge_ends_in_a_code(challenge: str | None, is_pkce: bool):
    assert FlowState.from_row(row(FlowState, code_challenge=challenge)).is_pkce is is_pkce
