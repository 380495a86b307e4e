"""What is read of sign-ins by wallets."""

from __future__ import annotations

from gotrue_compat.features.web3.bodies import WalletSignIn, wallet
from tests.unit.gotrue.incoming import posted


def test_what_is_absent_or_null_is_empty():
    assert wallet(posted({"chain": "solana", "message": None})) == WalletSignIn("solana", "", "")
