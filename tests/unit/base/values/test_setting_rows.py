"""A setting is one row of a record: read by its variable, refused by its name, documented."""

from __future__ import annotations

from dataclasses import dataclass

import pytest

from compat_base.values import setting_kinds as kinds
from compat_base.values.setting_rows import read_rows, record, section, setting
from compat_base.values.settings import Catalogue, Reader, Secret, SettingsError


@dataclass(frozen=True, slots=True)
class Tea:
    kind: str = setting("TEA_KIND", kinds.choice("green", "black"))
    seconds: float = setting("TEA_TIME", kinds.seconds(180))


@dataclass(frozen=True, slots=True)
class Kitchen:
    cups: int = setting("CUPS", kinds.integer(4, minimum=1))
    is_open: bool = setting("OPEN", kinds.boolean(default=True))
    share: float = setting("SHARE", kinds.number(0.5))
    names: tuple[str, ...] = setting("NAMES", kinds.words("a"))
    key: Secret = setting("KEY", kinds.secret)
    tea: Tea = record(Tea)
    label: str = section(lambda reader: reader.text("LABEL", "none"))
    place: str = ""


def read(**values: str) -> Kitchen:
    reader = Reader({f"X_{name}": value for name, value in values.items()}, prefix="X_")
    return reader.finish(read_rows(Kitchen, reader))


def test_what_is_not_set_has_its_default():
    found = read()
    assert (found.cups, found.is_open, found.share, found.names) == (4, True, 0.5, ("a",))
    assert (found.tea, found.label, found.place) == (Tea("green", 180), "none", "")


def test_each_row_is_read_from_its_variable():
    found = read(CUPS="2", OPEN="no", NAMES="b, c", KEY="k", TEA_KIND="black", TEA_TIME="2m")
    assert (found.cups, found.is_open, found.names) == (2, False, ("b", "c"))
    assert (found.key.reveal(), found.tea) == ("k", Tea("black", 120))


def test_a_field_without_a_row_is_given():
    assert read_rows(Kitchen, Reader({}), place="cellar").place == "cellar"


def test_every_problem_is_told_with_its_variable():
    with pytest.raises(SettingsError) as refused:
        read(CUPS="0", TEA_KIND="red")
    assert refused.value.problems == (
        "X_CUPS must be at least 1",
        "X_TEA_KIND must be one of green, black",
    )


def test_a_document_learns_of_each_row():
    catalogue = Catalogue()
    read_rows(Kitchen, Reader(catalogue, prefix="X_"))
    assert {"X_CUPS", "X_TEA_TIME", "X_LABEL"} <= catalogue.variables.keys()


def test_an_unprefixed_variable_shares_the_problems():
    reader = Reader({"CUPS": "none"}, prefix="X_")
    reader.unprefixed().integer("CUPS", 1)
    with pytest.raises(SettingsError, match="CUPS must be a whole number"):
        reader.finish(None)
