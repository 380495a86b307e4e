"""Errors of sign-ins by wallets, one row each."""

from __future__ import annotations

from compat_base.values.errors import Row

WEB3_DISABLED = Row("web3_provider_disabled", 422, "Web3 provider is disabled")
WEB3_CHAIN_DISABLED = Row("web3_provider_disabled", 422, "{chain} Web3 provider is disabled")
WEB3_MESSAGE = Row("validation_failed", 400, "{text}")
WEB3_CHAIN = Row("web3_unsupported_chain", 400, "Unsupported chain")
