"""The web3 grant: wallets sign in by signed messages (auth reference 9.6)."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from functools import partial

from compat_base.values.errors import ApiError
from gotrue_compat.core import audit, hooks, session_tokens
from gotrue_compat.core.rate_limits import is_replayed
from gotrue_compat.core.results import SignedIn
from gotrue_compat.core.unit_of_work import unit_of_work
from gotrue_compat.errors import oauth_error
from gotrue_compat.features.external.accounts import (
    ExternalLogin,
    check_user_creation,
    resolve_account,
    retry_on_conflict,
    with_email,
)
from gotrue_compat.features.web3 import errors as web3_errors
from gotrue_compat.features.web3 import signatures as rules
from gotrue_compat.features.web3.bodies import WalletSignIn
from gotrue_compat.features.web3.message import CHAINS, Chain, Message, MessageError, parse
from gotrue_compat.http.context import RequestContext
from gotrue_compat.http.dependencies import Dependencies
from gotrue_compat.model.audit import Action
from gotrue_compat.model.external_identity import ExternalIdentity
from gotrue_compat.store import users as store
from gotrue_compat.urls import redirects

_SHORTEST, _LONGEST = 64, 20 * 1024


async def sign_in_with_wallet(
    deps: Dependencies, context: RequestContext, body: WalletSignIn
) -> SignedIn:
    """Open a session for the wallet that signed a message for this application."""
    life = _life(deps, body.chain)
    chain = CHAINS[body.chain]
    message = _verified(body, chain)
    settings = deps.settings
    allowed = partial(
        redirects.is_allowed, site_url=settings.site_url, allow_list=settings.allow_list
    )
    problem = rules.place_problem(message, chain, allowed)
    problem = problem or rules.time_problem(message, chain, context.now, life)
    if problem:
        raise oauth_error("invalid_grant", problem)
    login = with_email(await _login(deps, body.chain, message))
    await check_user_creation(deps, context, login)
    shown_until = message.issued_at + timedelta(seconds=life)
    left = (shown_until - context.now).total_seconds()
    if await is_replayed(deps, "wallet", (message.address.lower(), body.message), left):
        problem = f"Signed {chain.name} message was used before"
        raise oauth_error("invalid_grant", problem)

    async def attempt() -> tuple[SignedIn, bool]:
        async with unit_of_work(deps, context) as work:
            account = await resolve_account(work, login)
            if account.problem is not None:
                raise ApiError(account.problem)
            await audit.record(work, account.user, Action.LOGIN, _facts(body.chain, message))
            signed_in = await session_tokens.open_session(work, account.user, "web3")
            return replace(signed_in, shown=account.shown(signed_in.user)), account.is_new

    signed_in, is_new = await retry_on_conflict(attempt)
    if is_new:
        await hooks.after_user_created(deps, context, signed_in.user)
    return signed_in


def _life(deps: Dependencies, chain: str) -> float:
    """How old a chain's messages may be; ApiError where the chain is off or unknown."""
    web3 = deps.settings.web3
    if chain not in {"solana", "ethereum"}:
        raise ApiError.of(web3_errors.WEB3_CHAIN)
    is_on = web3.solana if chain == "solana" else web3.ethereum
    if not is_on:
        raise ApiError.of(web3_errors.WEB3_CHAIN_DISABLED, chain=chain.title())
    return web3.solana_seconds if chain == "solana" else web3.ethereum_seconds


def _verified(body: WalletSignIn, chain: Chain) -> Message:
    size = len(body.message.encode())
    if size < _SHORTEST:
        raise _invalid("message is too short")
    if size > _LONGEST:
        raise _invalid("message must not exceed 20KB")
    signature = _solana(body.signature) if body.chain == "solana" else _ethereum(body.signature)
    try:
        message = parse(body.message, chain)
    except MessageError as error:
        raise _invalid(str(error)) from error
    if not rules.is_signed(body.message, signature, message):
        raise oauth_error("invalid_grant", "Signature does not match address in message")
    return message


def _solana(text: str) -> bytes:
    try:
        signature = rules.solana_signature(text)
    except ValueError as error:
        form = "signature must be 64 bytes encoded as base64 with or without padding"
        raise _invalid(form) from error
    if signature is None:
        raise _invalid("signature does not contain valid base64 characters")
    return signature


def _ethereum(text: str) -> bytes:
    signature = rules.ethereum_signature(text)
    if signature is None:
        raise _invalid(
            "signature must be 65 bytes long, encoded as a 130 character-long hexadecimal string"
        )
    return signature


def _invalid(text: str) -> ApiError:
    return ApiError.of(web3_errors.WEB3_MESSAGE, text=text)


def _facts(chain: str, message: Message) -> dict[str, str]:
    """What the audit log keeps of a wallet's sign-in."""
    return {
        "provider": "web3", "chain": chain, "network": message.chain_id,
        "address": message.address, "domain": message.domain, "uri": message.uri,
    }  # fmt: skip


async def _login(deps: Dependencies, chain: str, message: Message) -> ExternalLogin:
    """The wallet's login, under the spelling of its address by which it is known already.

    Wallets of Ethereum write an address in lower case or with its checksum (EIP-55): it is one
    account, which the original keeps as it was written first.
    """
    address, subject = message.address, f"web3:{chain}:{message.address}"
    if chain == "ethereum":
        spellings = (address, address.lower(), rules.checksummed(address))
        async with deps.database.acquire() as connection:
            for spelling in dict.fromkeys(spellings):
                known = f"web3:{chain}:{spelling}"
                if await store.find_identity(connection, known, "web3") is not None:
                    subject = known
                    break
    statement = message.statement or (None if chain == "ethereum" else "")
    data = {
        "sub": subject,
        "custom_claims": {
            "address": address, "chain": chain, "network": message.chain_id,
            "domain": message.domain, "statement": statement,
        },
    }  # fmt: skip
    return ExternalLogin("web3", ExternalIdentity(subject, (), data), email_optional=True)
