"""A key of config.toml looked up: its option, its variable, the table that switches it on."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fnmatch import fnmatchcase

from compat_stack.project.keys import NAMES, OPTIONS, SWITCHED, Option
from compat_stack.project.toml_document import Path

# Without these keys such a table has no effect, and is left off.
_NEEDED = {
    "auth.email.smtp": ("host",),
    "auth.external.*": ("client_id",),
    "auth.sms.messagebird": ("originator", "access_key"),
    "auth.sms.textlocal": ("sender", "api_key"),
    "auth.sms.twilio": ("account_sid", "message_service_sid", "auth_token"),
    "auth.sms.twilio_verify": ("account_sid", "message_service_sid", "auth_token"),
    "auth.sms.vonage": ("from", "api_key", "api_secret"),
}

OPTION_BY_KEY: Mapping[str, Option] = {option.key: option for option in OPTIONS}


def option_of(key: str) -> Option | None:
    """Find the option of this very key, else the first whose pattern `a.*.b` it matches."""
    option = OPTION_BY_KEY.get(key)
    if option is not None:
        return option
    parts = key.split(".")
    for candidate in OPTIONS:
        pattern = candidate.key.split(".")
        if "*" in pattern and len(pattern) <= len(parts) and _matches(pattern, parts):
            return candidate
    return None


def _matches(pattern: Sequence[str], parts: Sequence[str]) -> bool:
    """Whether a key matches a pattern; the star's part may have dots in it."""
    star = pattern.index("*")
    end = len(parts) - (len(pattern) - star - 1)
    name = ".".join(parts[star:end])
    allowed = NAMES.get(".".join(pattern[:star]))
    return (
        list(parts[:star]) == list(pattern[:star])
        and list(parts[end:]) == list(pattern[star + 1 :])
        and bool(name)
        and (allowed is None or name in allowed)
    )


def names_table(path: Path) -> bool:
    """Whether a path is a table of known keys, which may be empty."""
    below = (*path, "*")
    return any(
        len(option.key.split(".")) >= len(below)
        and all(fnmatchcase(a, b) for a, b in zip(path, option.key.split("."), strict=False))
        for option in OPTIONS
    )


def variable_of(option: Option, path: Path) -> str:
    """The option's variable; its star becomes the path's name in capitals."""
    star = option.key.split(".").index("*") if "*" in option.key else None
    name = "" if star is None else path[star].upper()
    return (option.variable or "").replace("*", name)


def switch_of(path: Path) -> str | None:
    """The innermost table around a value that has its own `enabled`, such as `auth.sms.twilio`."""
    for length in range(len(path) - 1, 0, -1):
        table = ".".join(path[:length])
        patterns = [each for each in SWITCHED if len(each.split(".")) == length]
        if any(fnmatchcase(table, pattern) for pattern in patterns):
            return table
    return None


def needed_by(switch: str) -> tuple[str, ...]:
    """The keys without which a table that is switched on is left off."""
    found = (names for pattern, names in _NEEDED.items() if fnmatchcase(switch, pattern))
    return next(found, ())
