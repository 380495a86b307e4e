"""Parsers of settings: a text, a port, an origin, networks. The reader collects problems."""

from __future__ import annotations

from pathlib import Path
from urllib.parse import urlsplit

from compat_base.values.setting_kinds import Read
from compat_base.values.settings import Reader
from compat_base.values.urls import Url, parse_url
from compat_stack.network.client_address import Network, read_networks

_HIGHEST_PORT = 65_535


def path(default: Path | str) -> Read[Path]:
    """A path, or the default."""
    return lambda reader, name: Path(reader.text(name, str(default)))


def port(reader: Reader, name: str) -> int:
    """A port; 0 picks a free one."""
    found = reader.integer(name, 54321, minimum=0)
    if found > _HIGHEST_PORT:
        reader.problem(f"{name} must be at most {_HIGHEST_PORT}")
    return found


def origin(reader: Reader, name: str) -> str | None:
    """An origin such as https://planes.example, None where it is not set."""
    given = reader.optional(name)
    url = parse_url(given) if given is not None else None
    if given is not None and not _is_origin(url):
        reader.problem(f"{name} must be an address such as https://planes.example")
    return url.origin if url is not None else None


def issuer(reader: Reader, name: str) -> str | None:
    """The address of an OpenID provider, without a slash at its end."""
    given = reader.optional(name)
    url = parse_url(given) if given is not None else None
    if given is not None and (url is None or url.scheme not in {"http", "https"}):
        reader.problem(f"{name} must be an address such as https://login.example")
    return given.rstrip("/") if given is not None else None


def database_url(reader: Reader, name: str) -> str | None:
    """A connection URL of PostgreSQL."""
    url = reader.optional(name)
    if url is not None and urlsplit(url).scheme not in {"postgres", "postgresql"}:
        reader.problem(f"{name} must start with postgresql://")
    return url


def beside_database_url(reader: Reader, name: str) -> str | None:
    """Another URL of the database that DATABASE_URL names."""
    url = database_url(reader, name)
    if url is not None and not reader.optional("DATABASE_URL"):
        reader.problem(f"{name} needs DATABASE_URL, the server itself, beside it")
    return url


def database_port(reader: Reader, name: str) -> int | None:
    """A port; None where the embedded database has its socket alone; 0 for a free port."""
    if not reader.optional(name):
        reader.integer(name, 0)
        return None
    found = reader.integer(name, 0, minimum=0)
    if found > _HIGHEST_PORT:
        reader.problem(f"{name} must be at most {_HIGHEST_PORT}")
    return found


def folder(reader: Reader, name: str) -> Path | None:
    """A folder, None where it is not set."""
    given = reader.optional(name)
    return Path(given) if given else None


def _is_origin(url: Url | None) -> bool:
    return url is not None and url.scheme in {"http", "https"} and url.href == f"{url.origin}/"


def networks(reader: Reader, name: str) -> tuple[Network, ...]:
    """Addresses and ranges, with commas between."""
    found: tuple[Network, ...] = ()
    for word in reader.words(name):
        try:
            found += read_networks((word,))
        except ValueError:
            wanted = "addresses and ranges such as 10.0.0.0/8"
            reader.problem(f"{name} must list {wanted}, and {word} is neither")
    for each in found:
        if not each.prefixlen:
            reader.problem(f"{name} must not have {each}: every caller could name another address")
    return found


def hosts(reader: Reader, name: str) -> frozenset[str]:
    """Names of hosts, with commas between."""
    words = (reader.optional(name) or "").replace(",", " ").split()
    for word in words:
        found = parse_url(f"https://{word}")
        if found is None or found.host != word.lower():
            reader.problem(f"{name} must be names of hosts with commas between, not {word}")
    return frozenset(word.lower() for word in words)


def contact(reader: Reader, name: str) -> str | None:
    """An address by https or mailto."""
    found = reader.optional(name)
    if found is not None and not found.startswith(("https://", "mailto:")):
        reader.problem(f"{name} must start with https:// or mailto:")
    return found
