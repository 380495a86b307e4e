"""The web3 grant: wallets sign in by signed messages (auth reference 9.6)."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

from compat_base.values.errors import ApiError
from gotrue_compat import errors
from gotrue_compat.errors import oauth_error
from gotrue_compat.features.external.accounts import (
    Arrival,
    ask_before,
    settle,
    settled,
    with_email,
)
from gotrue_compat.features.web3 import signatures as rules
from gotrue_compat.features.web3.message import CHAINS, Chain, Message, MessageError, parse
from gotrue_compat.flows import audit, hooks, session_tokens
from gotrue_compat.flows.results import SignedIn
from gotrue_compat.flows.transaction import working
from gotrue_compat.model.audit import Action
from gotrue_compat.ports import Deps, Visit
from gotrue_compat.rules import redirects
from gotrue_compat.rules.identities import ExternalIdentity

_SHORTEST, _LONGEST = 64, 20 * 1024


@dataclass(frozen=True, slots=True)
class WalletSignIn:
    """What a client sends."""

    chain: str = ""
    message: str = ""
    signature: str = ""


async def sign_in_with_wallet(deps: Deps, visit: Visit, ask: WalletSignIn) -> SignedIn:
    """Open a session for the wallet that signed a message for this application."""
    life = _life(deps, ask.chain)
    chain = CHAINS[ask.chain]
    message = _verified(ask, chain)
    settings = deps.settings
    allowed = partial(
        redirects.is_allowed, site_url=settings.site_url, allow_list=settings.allow_list
    )
    problem = rules.place_problem(message, chain, allowed)
    problem = problem or rules.time_problem(message, chain, visit.now, life)
    if problem:
        raise oauth_error("invalid_grant", problem)
    arrival = with_email(_arrival(ask.chain, message))
    await ask_before(deps, visit, arrival)

    async def attempt() -> tuple[SignedIn, bool]:
        async with working(deps, visit) as work:
            user, refusal, is_new = await settle(work, arrival)
            if refusal is not None:
                raise ApiError(refusal)
            await audit.note(work, user, Action.LOGIN, **_facts(ask.chain, message))
            return await session_tokens.open_session(work, user, "web3"), is_new

    signed_in, is_new = await settled(attempt)
    if is_new:
        await hooks.after_user(deps, visit, signed_in.user)
    return signed_in


def _life(deps: Deps, chain: str) -> float:
    """How old a chain's messages may be; ApiError where the chain is off or unknown."""
    web3 = deps.settings.web3
    if chain not in {"solana", "ethereum"}:
        raise ApiError.of(errors.WEB3_CHAIN)
    is_on = web3.solana if chain == "solana" else web3.ethereum
    if not is_on:
        raise ApiError.of(errors.WEB3_CHAIN_DISABLED, chain=chain.title())
    return web3.solana_seconds if chain == "solana" else web3.ethereum_seconds


def _verified(ask: WalletSignIn, chain: Chain) -> Message:
    size = len(ask.message.encode())
    if size < _SHORTEST:
        raise _invalid("message is too short")
    if size > _LONGEST:
        raise _invalid("message must not exceed 20KB")
    signature = _solana(ask.signature) if ask.chain == "solana" else _ethereum(ask.signature)
    try:
        message = parse(ask.message, chain)
    except MessageError as error:
        raise _invalid(str(error)) from error
    if not rules.is_signed(ask.message, signature, message):
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
    if not signature:
        raise _invalid(
            "signature must be 65 bytes long, encoded as a 130 character-long hexadecimal string"
        )
    return signature


def _invalid(text: str) -> ApiError:
    return ApiError.of(errors.WEB3_MESSAGE, text=text)


def _facts(chain: str, message: Message) -> dict[str, str]:
    """What the audit log keeps of a wallet's sign-in."""
    return {
        "provider": "web3", "chain": chain, "network": message.chain_id,
        "address": message.address, "domain": message.domain, "uri": message.uri,
    }  # fmt: skip


def _arrival(chain: str, message: Message) -> Arrival:
    address = message.address if chain == "solana" else message.address.lower()
    subject = f"web3:{chain}:{address}"
    data = {
        "sub": subject,
        "custom_claims": {
            "address": address, "chain": chain, "network": message.chain_id,
            "domain": message.domain, "statement": message.statement,
        },
    }  # fmt: skip
    return Arrival("web3", ExternalIdentity(subject, (), data), email_optional=True)
