"""A passkey as it is read from its row."""

from __future__ import annotations

import pytest

from gotrue_compat.features.passkeys.model import Passkey
from tests.unit.gotrue.records import row


def test_every_column_is_read_and_one_that_is_missing_is_an_error():
    given = row(Passkey, credential_id=b"id", sign_count=5, friendly_name="mine")
    read = Passkey.from_row(given)
    assert (read.credential_id, read.sign_count, read.friendly_name) == (b"id", 5, "mine")
    del given["backed_up"]
    with pytest.raises(KeyError):
        Passkey.from_row(given)
