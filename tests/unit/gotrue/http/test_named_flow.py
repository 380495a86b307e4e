"""Flows that are named: each is there, and loaded at its first call."""

from __future__ import annotations

from typing import Any

import pytest

from gotrue_compat.http.named_flow import NamedFlow
from gotrue_compat.web.routes import ROUTES

NAMED = [route.flow for route in ROUTES if isinstance(route.flow, NamedFlow)]
NOTHING: Any = None


@pytest.mark.parametrize("flow", NAMED, ids=lambda flow: f"{flow.module}:{flow.name}")
def test_each_flow_of_the_table_is_in_its_module(flow: NamedFlow):
    assert flow.load().__name__ == flow.name


def test_some_flows_are_named():
    assert len(NAMED) > 15


async def test_a_flow_is_called_with_what_its_route_gives():
    flow = NamedFlow("asyncio", "gather")
    assert await flow(_value(1), _value(2), _value(3)) == [1, 2, 3]


async def _value(number: int) -> Any:
    return number


async def test_a_name_that_is_not_there_is_an_error():
    with pytest.raises(AttributeError):
        await NamedFlow("asyncio", "no_such_flow")(NOTHING, NOTHING, NOTHING)
