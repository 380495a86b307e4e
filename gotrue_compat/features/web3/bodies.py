"""Request bodies and queries of sign-ins by wallets: records, and how they are read."""

from __future__ import annotations

from dataclasses import dataclass

from gotrue_compat.http.go_struct import go_struct
from gotrue_compat.http.incoming import Incoming

_WALLET = go_struct("Web3GrantParams", "message signature chain")


@dataclass(frozen=True, slots=True)
class WalletSignIn:
    """What a client sends."""

    chain: str = ""
    message: str = ""
    signature: str = ""


def wallet(incoming: Incoming) -> WalletSignIn:
    """POST /token?grant_type=web3."""
    body = incoming.json_of(_WALLET)
    return WalletSignIn(body.text("chain"), body.text("message"), body.text("signature"))
