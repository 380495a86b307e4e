"""The people of the access tests, made once for each file."""

from __future__ import annotations

import pytest

from tests.harness_access import Cast, make_cast
from tests.harness_stack import Stack


@pytest.fixture(scope="module")
def cast(stack: Stack) -> Cast:
    return make_cast(stack)
