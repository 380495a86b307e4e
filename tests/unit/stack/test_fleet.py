"""Which processes a start of several workers has, and how long they pause after deaths."""

from __future__ import annotations

from typing import Any, cast

from compat_stack.fleet import Fleet
from compat_stack.settings import read_settings


def test_what_all_workers_wait_for_is_back_within_a_quarter_of_a_second():
    settings = read_settings({"WORKERS": "2"})
    nothing = cast("Any", None)
    sockets = cast("Any", [None, None])
    fleet = Fleet(settings, nothing, nothing, {}, nothing, sockets, nothing, nothing, "", nothing)
    pauses = {role.name: role.pause for role in fleet.roles()}
    assert pauses["broker"] <= 0.1
    assert pauses["log"] <= 0.25
    assert pauses["worker"] > 1
