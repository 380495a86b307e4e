"""Hooks: where they live, and what signs their messages."""

from __future__ import annotations

import base64

import pytest

from compat_base.values.settings import Reader, SettingsError
from gotrue_compat.ports import HookPoint
from gotrue_compat.settings.hooks import read_hooks

KEY = b"a secret of 24 bytes or so"
SECRET = f"v1,whsec_{base64.b64encode(KEY).decode()}"


def hook(uri: str, secrets: str = SECRET) -> Reader:
    prefix = "GOTRUE_HOOK_SEND_EMAIL_"
    values = {f"{prefix}ENABLED": "true", f"{prefix}URI": uri, f"{prefix}SECRETS": secrets}
    return Reader(values, prefix="GOTRUE_")


@pytest.mark.parametrize("uri", ["https://h/x", "http://localhost/x", "http://[::1]:5/x"])
def test_a_message_goes_by_https_or_stays_on_the_machine(uri: str):
    assert read_hooks(hook(uri))[HookPoint.SEND_EMAIL].secrets == (KEY,)


def test_a_function_has_a_schema_and_a_name():
    assert read_hooks(hook("pg-functions://x/auth/f"))[HookPoint.SEND_EMAIL].function == (
        "auth",
        "f",
    )


@pytest.mark.parametrize(
    ("uri", "secrets"),
    [("http://h/x", SECRET), ("pg-functions://x/f", SECRET),
     ("pg-functions://x/a-b/f", SECRET), ("pg-functions://x/a/1f", SECRET), ("https://h", "secret"),
     ("https://h", SECRET + "|v1,whsec_%"), ("https://h", "v1,whsec_c2VjcmV0")],
)  # fmt: skip
def test_other_places_and_secrets_are_refused(uri: str, secrets: str):
    reader = hook(uri, secrets)
    assert read_hooks(reader) == {}
    with pytest.raises(SettingsError, match="GOTRUE_HOOK_SEND_EMAIL"):
        reader.finish(None)


def test_a_hook_that_is_off_is_not_there():
    assert read_hooks(Reader({"GOTRUE_HOOK_SEND_EMAIL_URI": "x"}, prefix="GOTRUE_")) == {}
