"""The message that a wallet signs: EIP-4361 and its Solana form (auth reference 9.6)."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import datetime

from compat_base.values.urls import parse_url

_DOMAIN = re.compile(
    r"(localhost|(?:[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?\.)+[a-zA-Z]{2,})(?::\d{1,5})?"
)
_MOMENT = re.compile(  # RFC 3339
    r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:[.,]\d+)?(?:Z|[+-]\d\d:\d\d)", re.ASCII
)
_FEWEST_LINES = 6


class MessageError(ValueError):
    """The message is not of the standard's form; the text says why."""


@dataclass(frozen=True, slots=True)
class Chain:
    """One chain's names and formats."""

    name: str
    standard: str
    address: re.Pattern[str]
    address_form: str
    network: re.Pattern[str]


CHAINS = {
    "solana": Chain(
        "Solana", "siws", re.compile(r"[a-zA-Z0-9]{32,44}"), "in base58 format",
        re.compile(r"(solana:(main|dev|test|local)net)?"),
    ),
    "ethereum": Chain(
        "Ethereum", "siwe", re.compile(r"0x[a-fA-F0-9]{40}"), "a valid Ethereum address",
        re.compile(r"\+?0*[1-9][0-9]{0,18}"),  # as many digits as 64 bits hold
    ),
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Message:
    """A sign-in message; times None where it has none."""

    domain: str
    address: str
    uri: str
    chain_id: str
    issued_at: datetime
    expires_at: datetime | None
    not_before: datetime | None
    statement: str


def parse(text: str, chain: Chain) -> Message:
    """Read a message for a chain; MessageError for any other text."""
    try:
        return _parsed(text, chain)
    except MessageError as error:
        raise MessageError(f"{chain.standard}: {error}") from error


def _parsed(text: str, chain: Chain) -> Message:
    lines = text.split("\n")
    if len(lines) < _FEWEST_LINES:
        raise MessageError("message needs at least 6 lines")
    ending = f" wants you to sign in with your {chain.name} account:"
    if not lines[0].endswith(ending):
        raise MessageError(f'message first line does not end in "{ending}"')
    domain = lines[0].removesuffix(ending).strip()
    if not _DOMAIN.fullmatch(domain):
        raise MessageError("domain in first line of message is not valid")
    address = lines[1].strip()
    if not chain.address.fullmatch(address):
        raise MessageError(f"wallet address is not {chain.address_form}")
    if lines[2]:
        raise MessageError("third line must be empty")
    has_statement = bool(lines[3]) and not lines[4]
    fields = _fields(lines, 5 if has_statement else 3, chain)
    issued, expires, begins = _times(fields)
    return Message(
        domain, address, fields["URI"], fields.get("Chain ID", ""), issued, expires, begins,
        lines[3] if has_statement else "",
    )  # fmt: skip


def _fields(lines: list[str], start: int, chain: Chain) -> dict[str, str]:
    fields: dict[str, str] = {}
    resources: int | None = None
    for index in range(start, len(lines)):
        line = lines[index].strip()
        if resources is not None and line.startswith("- "):
            if not _is_uri(line[2:].strip()):
                raise MessageError(f"Resource at position {resources} has invalid URI")
            resources += 1
            continue
        resources = 0 if line == "Resources:" else None
        if not line or resources is not None:
            continue
        name, colon, value = line.partition(":")
        if not colon:
            raise MessageError(f"encountered unparsable line at index {index}")
        fields[name] = value.strip()
        _check_field(name, fields[name], chain)
    return fields


def _check_field(name: str, value: str, chain: Chain) -> None:
    if name == "URI" and not _is_uri(value):
        raise MessageError("URI is not valid")
    if name == "Chain ID" and not chain.network.fullmatch(value):
        raise MessageError("Chain ID is not valid")
    if name in {"Issued At", "Expiration Time", "Not Before"}:
        _moment(name, value)


def _times(fields: dict[str, str]) -> tuple[datetime, datetime | None, datetime | None]:
    """When the message was issued, ends and begins to hold; MessageError where they cannot be."""
    version = fields.get("Version", "")
    if version != "1":
        raise MessageError(f'Version value is not supported, expected 1 got "{version}"')
    if "Issued At" not in fields:
        raise MessageError("Issued At is not specified")
    if "URI" not in fields:
        raise MessageError("URI is not specified")
    issued = _moment("Issued At", fields["Issued At"])
    expires, begins = (
        _moment(name, fields[name]) if name in fields else None
        for name in ("Expiration Time", "Not Before")
    )
    if expires is not None and issued > expires:
        raise MessageError("Issued At is after Expiration Time")
    if expires is not None and begins is not None and begins > expires:
        raise MessageError("Not Before is after Expiration Time")
    return issued, expires, begins


def _is_uri(text: str) -> bool:
    return text.startswith("/") or parse_url(text) is not None


def _moment(name: str, text: str) -> datetime:
    try:
        moment = datetime.fromisoformat(text) if _MOMENT.fullmatch(text) else None
    except ValueError:
        moment = None
    if moment is None:
        raise MessageError(f"{name} is not a valid ISO8601 timestamp")
    return moment
