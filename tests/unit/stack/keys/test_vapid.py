"""The key that push services know."""

from __future__ import annotations

import base64

import pytest

from compat_base.values.jwt import UnreadableKeyError, check_signature, sign, unpack
from compat_base.values.world import real_world
from compat_stack.keys.vapid import new_vapid_key, vapid_key


def test_a_new_key_signs_and_has_an_uncompressed_public_point():
    key = vapid_key(new_vapid_key(real_world().entropy))
    point = base64.urlsafe_b64decode(key.public + "=")
    assert (len(point), point[0]) == (65, 4)
    check_signature(unpack(sign({"sub": "a"}, key.private)), (key.private,))


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"kty": "oct", "k": "YQ"}', "x"])
def test_what_is_no_such_key_is_refused(text: str):
    with pytest.raises(UnreadableKeyError):
        vapid_key(text)
