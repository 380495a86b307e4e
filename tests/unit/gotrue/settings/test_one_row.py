"""A GOTRUE_ setting is one row: added in place, it is read, refused by its name and documented."""

from __future__ import annotations

from dataclasses import dataclass

import pytest

from compat_base.values import setting_kinds as kinds
from compat_base.values.setting_rows import record, setting
from compat_base.values.settings import Catalogue, SettingsError
from gotrue_compat.settings import Settings, read_settings
from gotrue_compat.settings.access import EmailSettings

GIVEN = {
    "GOTRUE_SITE_URL": "http://localhost", "API_EXTERNAL_URL": "http://localhost",
    "DATABASE_URL": "postgresql://localhost", "GOTRUE_JWT_SECRET": "s" * 32,
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class MoreEmail(EmailSettings):
    delay: int = setting("EXTERNAL_EMAIL_DELAY", kinds.integer(3, minimum=1))


@dataclass(frozen=True, slots=True)
class More(Settings):
    email: MoreEmail = record(MoreEmail)


def delay(values: dict[str, str]) -> int:
    settings = read_settings(GIVEN | values, More)
    assert isinstance(settings, More)
    return settings.email.delay


def test_a_row_is_read_with_its_default():
    assert delay({}) == 3
    assert delay({"GOTRUE_EXTERNAL_EMAIL_DELAY": "7"}) == 7


def test_a_row_out_of_bounds_is_refused_by_its_name():
    with pytest.raises(SettingsError, match="GOTRUE_EXTERNAL_EMAIL_DELAY must be at least 1"):
        delay({"GOTRUE_EXTERNAL_EMAIL_DELAY": "0"})


def test_a_row_is_in_the_catalogue_that_documents_are_written_from():
    catalogue = Catalogue(GIVEN)
    read_settings(catalogue, More)
    found = catalogue.variables["GOTRUE_EXTERNAL_EMAIL_DELAY"]
    assert (found.kind, found.default) == ("whole number", 3)
