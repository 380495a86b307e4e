"""Whom the password of SMTP is told."""

from __future__ import annotations

import pytest

from gotrue_compat.adapters.smtp import may_send_password


@pytest.mark.parametrize(
    ("peer", "by_tls", "plain"),
    [
        ("93.184.216.34", True, False),
        ("2606:2800:220:1::1", True, False),
        ("::ffff:93.184.216.34", True, False),
        ("127.0.0.1", True, True),
        ("10.0.0.25", True, True),
        ("fe80::1%eth0", True, True),
    ],
)
def test_a_public_server_without_tls_is_told_no_password(peer: str, by_tls: bool, plain: bool):
    assert may_send_password(peer, is_encrypted=True) is by_tls
    assert may_send_password(peer, is_encrypted=False) is plain
