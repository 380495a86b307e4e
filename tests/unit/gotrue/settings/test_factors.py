"""Second factors and passkeys: their variables."""

from __future__ import annotations

import pytest

from compat_base.values.setting_rows import read_rows
from compat_base.values.settings import Reader, SettingsError
from gotrue_compat.settings.factors import FactorKind, MfaSettings, read_webauthn


def test_totp_is_on_and_the_others_are_off():
    read = read_rows(
        MfaSettings, Reader({"GOTRUE_MFA_PHONE_VERIFY_ENABLED": "true"}, prefix="GOTRUE_")
    )
    assert read.totp == FactorKind(enroll=True, verify=True)
    assert read.phone == FactorKind(enroll=False, verify=True)
    assert read.webauthn == FactorKind(enroll=False, verify=False)


def test_passkeys_need_a_relying_party():
    reader = Reader({"GOTRUE_PASSKEY_ENABLED": "true"}, prefix="GOTRUE_")
    read_webauthn(reader)
    with pytest.raises(SettingsError, match="GOTRUE_WEBAUTHN_RP_ID"):
        reader.finish(None)
