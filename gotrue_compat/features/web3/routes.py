"""The routes of sign-ins by wallets."""

from __future__ import annotations

from functools import partial

from compat_base.values.errors import Row
from gotrue_compat.features.web3 import bodies
from gotrue_compat.features.web3 import errors as web3_errors
from gotrue_compat.http.named_flow import NamedFlow
from gotrue_compat.http.route import Guard, Route
from gotrue_compat.settings import Settings

_flow = partial(NamedFlow, "gotrue_compat.features.web3.flow")


def _wallets_on(settings: Settings) -> Row | None:
    return None if settings.web3.solana or settings.web3.ethereum else web3_errors.WEB3_DISABLED


ROUTES: tuple[Route, ...] = (
    Route(
        "POST", "/token", Guard.PUBLIC, bodies.wallet, _flow("sign_in_with_wallet"),
        limits=("web3",), captcha=True, captcha_first=True, grant="web3", feature=_wallets_on,
    ),
)  # fmt: skip
