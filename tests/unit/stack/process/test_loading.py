"""Modules imported beside a block."""

from __future__ import annotations

import gc

import pytest

from compat_stack.process.loading import loading


def test_a_module_is_there_when_the_block_ends():
    with loading("json", "csv") as (first, second):
        pass
    assert (first.result().__name__, second.result().__name__) == ("json", "csv")


def test_what_an_import_raises_is_in_its_result():
    with loading("no_such_module") as (loaded,):
        pass
    with pytest.raises(ModuleNotFoundError):
        loaded.result()


def test_collections_go_on_afterwards():
    try:
        with loading("json"):
            pass
        assert gc.isenabled()
    finally:
        gc.unfreeze()
