"""The values of a config.toml that apply: `env(...)` resolved, switched-off tables left out.

Nothing is ignored in silence: an unknown key, an unset variable in `env(...)`, and a part that is
not served here are each a remark of one sentence with file and line.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from fnmatch import fnmatchcase
from typing import Any, cast

from compat_stack.project.key_lookup import (
    OPTION_BY_KEY,
    names_table,
    needed_by,
    option_of,
    switch_of,
    variable_of,
)
from compat_stack.project.keys import NOT_SERVED, OPTIONS, SWITCHED, Option
from compat_stack.project.toml_document import Document, Path

_REDIRECTS = "auth.additional_redirect_urls"
_ENV = re.compile(r"env\((.*)\)")
_UNSET = object()


class ConfigValues:
    """The values of the options that a document sets, with the problems and remarks about it.

    A variable `SUPABASE_<KEY>` of the environment replaces the value of a key.
    """

    def __init__(self, document: Document, environment: Mapping[str, str], name: str) -> None:
        """Read the document, which the file called `name` holds."""
        self.document = document
        self.environment = environment
        self.problems: list[str] = []
        self.remarks: list[str] = []
        self.not_served: dict[str, str] = {}
        self.values: dict[str, tuple[Path, Any]] = {}  # by key
        self._name = name
        self._off: set[str] = set()  # tables left off, as their variables are not set
        known = [self._known(path, value) for path, value in document.leaves()]
        for path, value, option in filter(None, known):
            self._read(path, value, option)
        for key, option in OPTION_BY_KEY.items():
            if "*" not in key and key not in self.values and (own := self._overriding(key)):
                self._read(tuple(key.split(".")), own, option)
        self._leave_off_without_needed()

    def text(self, key: str) -> str | None:
        """A key's value as the text of a variable; None where it has none."""
        option, found = option_of(key), self.values.get(key)
        return option.kind(found[1]) if option is not None and found is not None else None

    def is_on(self, key: str) -> bool:
        """Whether a boolean key is true, as it is by default."""
        return self.text(key) != "false"

    def below(self, table: str) -> Mapping[str, str]:
        """The texts of the keys of a table, by their last names."""
        found = ((key, path) for key, (path, _) in self.values.items())
        return {
            path[-1]: self.text(key) or "" for key, path in found if key.startswith(f"{table}.")
        }

    def variables(self) -> dict[str, str]:
        """The variables of the options, `false` in place of those of a table switched off."""
        found: dict[str, str] = {}
        for path, value in self.values.values():
            option = option_of(".".join(path))
            if option is None or option.variable is None or not self._applies(path):
                continue
            is_off = (switch := switch_of(path)) is not None and not self._is_switched_on(switch)
            if text := "false" if is_off else option.kind(value):
                found[variable_of(option, path)] = text
        return found

    def lines(self) -> dict[str, str]:
        """Where the file sets each variable, or might: `file:line: key`."""
        unset = (
            (*switch.split("."), option.key.rpartition(".")[2])
            for switch in self._switches()
            for option in OPTIONS
            if fnmatchcase(switch, option.key.rpartition(".")[0])
        )
        return {
            variable_of(option, path): f"{self._name}:{self.document.line(path)}: {'.'.join(path)}"
            for path in (*unset, *(path for path, _ in self.values.values()))
            if (option := option_of(".".join(path))) is not None and option.variable is not None
        }

    def is_enabled(self, table: str, name: str) -> bool:
        """Whether a table inside another has keys and is switched on."""
        is_there = any(key.startswith(f"{table}.{name}.") for key in self.values)
        return is_there and self._is_switched_on(f"{table}.{name}")

    def problem(self, path: Path, sentence: str) -> None:
        """Note what makes the file unusable."""
        self.problems.append(f"{self._name}:{self.document.line(path)}: {sentence}")

    def remark(self, path: Path, sentence: str) -> None:
        """Note what has no effect."""
        self.remarks.append(f"{self._name}:{self.document.line(path)}: {sentence}")

    def _overriding(self, key: str) -> str | None:
        return self.environment.get(f"SUPABASE_{key.replace('.', '_').upper()}")

    def _known(self, path: Path, value: Any) -> tuple[Path, Any, Option] | None:
        """A value of a known option; any other key is noted as unknown or not served."""
        key = ".".join(path)
        option = option_of(key)
        if option is not None and not isinstance(value, dict):
            return path, value, option
        excuse = next((part for part in NOT_SERVED if f"{key}.".startswith(f"{part}.")), None)
        if excuse is not None:
            self.not_served[excuse] = NOT_SERVED[excuse]
        elif not isinstance(value, dict) and names_table(path):
            self.problem(path, f"{key} must be a table: [{key}]")
        elif not (isinstance(value, dict) and names_table(path)):
            self.remark(path, f"{key} is no key that is known here, and is not read")
        return None

    def _read(self, path: Path, value: Any, option: Option) -> None:
        key = ".".join(path)
        value = self._resolved(path, self._overriding(key) or value)
        if value is _UNSET:
            return
        if key == _REDIRECTS and isinstance(value, list):
            value = self._addresses(path, cast("list[Any]", value))
        try:
            option.kind(value)
        except ValueError as error:
            if self._applies(path):
                self.problem(path, f"{key} must be {error}")
        else:
            self.values[key] = (path, value)

    def _resolved(self, path: Path, value: Any) -> Any:
        """A value with what `env(...)` stands for; `_UNSET` where nobody set that."""
        if isinstance(value, list):
            items = [self._resolved(path, item) for item in cast("list[Any]", value)]
            return [item for item in items if item is not _UNSET]
        named = _ENV.fullmatch(value) if isinstance(value, str) else None
        if named is None:
            return value
        found = self.environment.get(named[1])
        if found:
            return found
        switch = switch_of(path)
        unset = f"env({named[1]}) is not set, in .env neither"
        if switch is None:
            self.remark(path, f"{unset}: {'.'.join(path)} is as if not there")
        elif self._is_switched_on(switch):
            self._off.add(switch)
            self.remark(path, f"{unset}: [{switch}] is left off")
        return _UNSET

    def _switches(self) -> Iterable[str]:
        """The tables of the file that have their own `enabled`."""
        found = (switch_of(path) for path, _ in self.values.values())
        return sorted({switch for switch in found if switch is not None})

    def _leave_off_without_needed(self) -> None:
        """Leave off the tables that lack a key that they need, and say so."""
        for switch in filter(self._is_switched_on, self._switches()):
            table = tuple(switch.split("."))
            lacking = [name for name in needed_by(switch) if not self._is_set((*table, name))]
            if lacking:
                self._off.add(switch)
                self.remark(table, f"[{switch}] lacks {' and '.join(lacking)}: it is left off")

    def _is_set(self, path: Path) -> bool:
        option = option_of(".".join(path))
        return option is not None and bool(
            self.text(".".join(path)) or self.environment.get(variable_of(option, path))
        )

    def _addresses(self, path: Path, listed: list[Any]) -> list[Any]:
        """The redirect addresses without those that none could match, with which the CLI starts."""
        left_out = [
            each
            for each in listed
            if isinstance(each, str) and ":" not in each[1:] and each.strip("*")
        ]
        for each in left_out:
            self.remark(path, f"{each!r} has no scheme, matches no address and is left out")
        return [each for each in listed if each not in left_out]

    def _applies(self, path: Path) -> bool:
        """Whether a value is in no table that is switched off; the switch itself always applies."""
        switch = switch_of(path)
        return switch is None or self._is_switched_on(switch) or path[-1] == "enabled"

    def _is_switched_on(self, switch: str) -> bool:
        if switch in self._off:
            return False
        usual = next(on for pattern, on in SWITCHED.items() if fnmatchcase(switch, pattern))
        value = self.document.table(tuple(switch.split("."))).get("enabled", usual)
        named = _ENV.fullmatch(value) if isinstance(value, str) else None
        raw = self.environment.get(named[1], "") if named else value
        return str(raw).lower() in {"true", "1", "t"}
