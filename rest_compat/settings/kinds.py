"""What a setting takes: how its text is parsed, and how it is written in a configuration file."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

from compat_base.values.settings import Secret
from rest_compat.auth.role_claim import RoleClaimError, RoleClaimPath, parse_role_claim_path
from rest_compat.names import QualifiedName
from rest_compat.settings.options import Options, read_file, refuse, text_of

_LEAST_MODE, _MOST_MODE = 0o600, 0o777
_URI_CHARACTER = r"(?:[A-Za-z0-9\-._~!$&'()*+,;=:@/?]|%[0-9A-Fa-f]{2})"
_URI = re.compile(
    rf"[A-Za-z][A-Za-z0-9+.\-]*:{_URI_CHARACTER}*(?:\[[0-9A-Fa-f:.]+\]{_URI_CHARACTER}*)?(?:#{_URI_CHARACTER}*)?"
)


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of values: `parse` reads them under any of some keys, `dump` writes one.

    `takes`: what it is, for documents.
    """

    takes: str
    parse: Callable[[Options, tuple[str, ...]], Any]
    dump: Callable[[Any], str]


def quoted(value: Any) -> str:
    """A quoted string of a configuration file."""
    text = "" if value is None else str(value)
    return '"' + text.replace('"', '\\"') + '"'


def text(default: str | None = None) -> Kind:
    """Any text."""
    return Kind("text", lambda options, keys: text_of(options, *keys) or default, quoted)


def secret_or_file(default: str) -> Kind:
    """A text that no log shows, or `@` and the path of a file that has it."""

    def parse(options: Options, keys: tuple[str, ...]) -> Secret:
        found = text_of(options, *keys) or default
        return Secret(read_file(found[1:]).decode().strip() if found.startswith("@") else found)

    return Kind("text or @file", parse, lambda value: quoted(value.reveal()))


def integer(default: int | None) -> Kind:
    """A whole number; other text counts as unset."""

    def parse(options: Options, keys: tuple[str, ...]) -> int | None:
        found = text_of(options, *keys)
        is_number = found is not None and re.fullmatch(r"\s*-?[0-9]+\s*", found)
        return int(found) if found is not None and is_number else default

    return Kind("whole number", parse, lambda value: '""' if value is None else str(value))


def integer_between(least: int, most: int, default: int) -> Kind:
    """A whole number within bounds."""
    plain = integer(default)

    def parse(options: Options, keys: tuple[str, ...]) -> int:
        value: int = plain.parse(options, keys)
        if not least <= value <= most:
            refuse(f"Invalid {keys[0]}: needs to be between {least} and {most}")
        return value

    return Kind(plain.takes, parse, plain.dump)


def boolean(*, default: bool) -> Kind:
    """True or false in any case and any quotes, or a number, of which those above 0 are true."""

    def parse(options: Options, keys: tuple[str, ...]) -> bool:
        found = text_of(options, *keys)
        if found is None:
            return default
        word = "".join(filter(str.isalpha, found)).lower()
        if word in {"true", "false"}:
            return word == "true"
        return int(found) > 0 if re.fullmatch(r"-?[0-9]+", found) else default

    return Kind("boolean", parse, lambda value: "true" if value else "false")


def words(default: str, *, may_be_empty: bool = False) -> Kind:
    """A list with commas; an empty text counts as unset, or as an empty list."""

    def parse(options: Options, keys: tuple[str, ...]) -> tuple[str, ...]:
        found = options.get(keys[0]) if may_be_empty else text_of(options, *keys)
        found = default if found is None else found
        return tuple(part.strip() for part in found.split(",")) if found else ()

    return Kind("list", parse, lambda value: quoted(",".join(value)))


def schemas(default: str) -> Kind:
    """A list of schemas that may be exposed."""
    plain = words(default)

    def parse(options: Options, keys: tuple[str, ...]) -> tuple[str, ...]:
        names = plain.parse(options, keys)
        for name in ("pg_catalog", "information_schema"):
            if name in names:
                refuse(f"{keys[0]} does not allow schema: '{name}'")
        return names

    return Kind(plain.takes, parse, plain.dump)


def qualified_name() -> Kind:
    """A name with or without a schema."""

    def parse(options: Options, keys: tuple[str, ...]) -> QualifiedName | None:
        found = text_of(options, *keys)
        if found is None:
            return None
        schema, dot, name = found.partition(".")
        return QualifiedName(schema, name) if dot and name else QualifiedName("", schema)

    def dump(value: QualifiedName | None) -> str:
        return quoted(None if value is None else str(value).removeprefix("."))

    return Kind("name", parse, dump)


def choice(allowed: Mapping[str, Any], default: str, what: str) -> Kind:
    """One of some words; `what` it is, for the refusal of others."""

    def parse(options: Options, keys: tuple[str, ...]) -> Any:
        found = text_of(options, *keys) or default
        if found not in allowed:
            refuse(f"Invalid {what}. Check your configuration.")
        return allowed[found]

    shown = {value: word for word, value in allowed.items()}
    return Kind(" | ".join(allowed), parse, lambda value: quoted(shown[value]))


def socket_mode() -> Kind:
    """The mode of a Unix socket in octal digits."""

    def parse(options: Options, keys: tuple[str, ...]) -> int:
        found = re.match(r"[0-7]+", text_of(options, *keys) or "660")
        if found is None:
            refuse(f"Invalid {keys[0]}: not an octal")
        mode = int(found.group(), 8)
        if not _LEAST_MODE <= mode <= _MOST_MODE:
            refuse(f"Invalid {keys[0]}: needs to be between 600 and 777")
        return mode

    return Kind("octal digits", parse, lambda value: quoted(f"{value:o}"))


def admin_port() -> Kind:
    """A port other than the main server's."""
    plain = integer(None)

    def parse(options: Options, keys: tuple[str, ...]) -> int | None:
        port = plain.parse(options, keys)
        main = integer(3000).parse(options, ("server-port",)) or 3000
        if port is not None and port == main:
            refuse("admin-server-port cannot be the same as server-port")
        return port

    return Kind(plain.takes, parse, plain.dump)


def proxy_uri() -> Kind:
    """An absolute http(s) URI with a host, and nothing but a port and a path."""

    def parse(options: Options, keys: tuple[str, ...]) -> str | None:
        found = text_of(options, *keys)
        if found is not None and not _is_proxy(found):
            refuse("Malformed proxy uri, a correct example: https://example.com:8443/basePath")
        return found

    return Kind("URI", parse, quoted)


def audience() -> Kind:
    """Any text; one with a colon must be a URI."""

    def parse(options: Options, keys: tuple[str, ...]) -> str | None:
        found = text_of(options, *keys)
        if found is not None and ":" in found and not _is_uri(found):
            refuse(f"{keys[0]} should be a string or a valid URI")
        return found

    return Kind("text or URI", parse, quoted)


def role_claim() -> Kind:
    """The path of the role in a token's claims."""

    def parse(options: Options, keys: tuple[str, ...]) -> RoleClaimPath:
        found = text_of(options, *keys) or "$.role"
        try:
            return parse_role_claim_path(found)
        except RoleClaimError:
            refuse(f"failed to parse role-claim-key value ({found})")

    def dump(path: RoleClaimPath) -> str:
        text = path.text if path.is_old else path.text.replace('"', '\\"').replace("$", "$$")
        return quoted(text)

    return Kind("JSONPath", parse, dump)


def _is_proxy(text: str) -> bool:
    if not _is_uri(text):
        return False
    parts = urlsplit(text)
    try:
        has_port = parts.port != 0
    except ValueError:
        return False
    is_plain = not (parts.query or parts.fragment or "@" in parts.netloc)
    return has_port and is_plain and parts.scheme in {"http", "https"} and bool(parts.hostname)


def _is_uri(text: str) -> bool:
    """Whether a text is a URI with its own scheme (RFC 3986)."""
    return _URI.fullmatch(text) is not None
