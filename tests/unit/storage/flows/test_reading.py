"""Objects that are overwritten while they are read."""

from __future__ import annotations

from uuid import UUID

import pytest

from storage_compat.files.port import NoBytesError
from storage_compat.flows import reading
from storage_compat.model.stored import Stored


class Overwritten:
    """An object whose row names another version at each look, and bytes that are always gone."""

    def __init__(self, *versions: str) -> None:
        self._versions = versions
        self.looks = 0

    async def look(self) -> Stored:
        self.looks += 1
        version = self._versions[0] if self._versions else str(self.looks)
        return Stored(UUID(int=0), "b", "o", None, None, version, {}, None, None, None, None)

    async def use(self, stored: Stored) -> str:
        raise NoBytesError(stored.version)


async def test_an_object_that_is_overwritten_all_the_while_is_given_up():
    changing = Overwritten()
    with pytest.raises(NoBytesError):
        await reading.with_bytes(changing.look, changing.use)
    assert changing.looks == reading.LOOKS


async def test_bytes_that_are_lost_are_looked_for_once_more():
    lost = Overwritten("one")
    with pytest.raises(NoBytesError):
        await reading.with_bytes(lost.look, lost.use)
    assert lost.looks == 2
