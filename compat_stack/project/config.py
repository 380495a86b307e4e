"""config.toml read by the table of its keys: the services' variables, and what else it says.

Nothing is passed over in silence: an unknown key, a variable that `env(...)` names and nobody set,
and a part that is not served here are each a remark of one sentence with file and line.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import Any, cast

from compat_base.values.settings import SettingsError
from compat_stack.project import kinds
from compat_stack.project.key_lookup import (
    OPTION_BY_KEY,
    names_table,
    option_of,
    switch_of,
    variable_of,
)
from compat_stack.project.keys import NOT_SERVED, OPTIONS, SMS_PROVIDERS, SWITCHED, Option
from compat_stack.project.third_party import PROVIDERS, issuer_of
from compat_stack.project.toml_document import BrokenTomlError, Document, Path, read_document

_ENV = re.compile(r"env\((.*)\)")
_PASSKEYS = "GOTRUE_PASSKEY_ENABLED"
_SITE = tuple(f"GOTRUE_WEBAUTHN_RP_{word}" for word in ("ID", "DISPLAY_NAME", "ORIGINS"))
_UNSET = object()
_MAJOR_VERSION = 17  # the CLI's, where the file does not say
_SERVICES = {"api": "rest", "auth": "auth", "realtime": "realtime", "storage": "storage"}
_MAILS_WITHOUT_SMTP = "360000"  # an hour: the CLI's, where none leaves the machine


@dataclass(frozen=True, slots=True)
class Bucket:
    """A bucket of `[storage.buckets]`; None leaves a limit to the service."""

    name: str
    public: bool
    file_size_limit: int | None
    allowed_mime_types: tuple[str, ...] | None
    objects_path: str | None


@dataclass(frozen=True, slots=True)
class Config:
    """What config.toml says; `variables` are the services' and the stack's.

    `seeds` are patterns of files; `secrets` are the vault's, by name; `major_version` is the hosted
    database's; `signing_keys` is the path of their file;
    `places` is where the file says each variable, `file:line: key`.
    """

    project_id: str
    variables: Mapping[str, str]
    buckets: tuple[Bucket, ...]
    seeds: tuple[str, ...]
    names_seeds: bool
    applies_migrations: bool
    exposes_new_tables: bool
    major_version: int
    secrets: tuple[tuple[str, str], ...]
    signing_keys: str | None
    switched_off: frozenset[str]
    places: Mapping[str, str]
    remarks: tuple[str, ...]
    not_served: tuple[str, ...]


def read_config(text: str, environment: Mapping[str, str], name: str, project_id: str) -> Config:
    """Read the text of the file called `name`; SettingsError has each problem with its line.

    `project_id` is what the project is called where the file does not say.
    """
    try:
        document = read_document(text)
    except BrokenTomlError as error:
        raise SettingsError((f"{name}:{error.line}: {error.reason}",)) from error
    return _Reading(document, environment, name).config(project_id)


class _Reading:
    """One reading of a document; its problems and remarks are collected until the end."""

    def __init__(self, document: Document, environment: Mapping[str, str], name: str) -> None:
        self._document = document
        self._environment = environment
        self._name = name
        self._problems: list[str] = []
        self._remarks: list[str] = []
        self._not_served: dict[str, str] = {}
        self._off: set[str] = set()
        self._said: dict[str, tuple[Path, Any]] = {}  # by key, the values that count

    def config(self, project_id: str) -> Config:
        """The whole reading. Raises SettingsError."""
        found = [self._known(path, value) for path, value in self._document.leaves()]
        for path, value, option in filter(None, found):
            self._read(path, value, option)
        variables = self._variables()
        config = Config(
            project_id=self._text("project_id") or project_id,
            variables=variables,
            buckets=tuple(self._buckets()),
            seeds=self._seeds(),
            names_seeds="db.seed.sql_paths" in self._said,
            applies_migrations=self._is_on("db.migrations.enabled"),
            exposes_new_tables=self._is_on("api.auto_expose_new_tables"),
            major_version=int(self._text("db.major_version") or _MAJOR_VERSION),
            secrets=tuple(
                (path[-1], kinds.text(value))
                for key, (path, value) in self._said.items()
                if key.startswith("db.vault.")
            ),
            signing_keys=self._text("auth.signing_keys_path"),
            switched_off=frozenset(
                service for key, service in _SERVICES.items() if not self._is_on(f"{key}.enabled")
            ),
            places={
                variable_of(option, path): f"{self._name}:{self._document.line(path)}: {key}"
                for key, (path, _) in self._said.items()
                if (option := option_of(key)) is not None and option.variable is not None
            },
            remarks=tuple(self._remarks),
            not_served=tuple(f"[{key}]: {why}" for key, why in self._not_served.items()),
        )
        if self._problems:
            raise SettingsError(tuple(self._problems))
        return config

    def _known(self, path: Path, value: Any) -> tuple[Path, Any, Option] | None:
        """A value of a known option; any other key is noted as unknown or not served."""
        key = ".".join(path)
        option = option_of(key)
        if option is not None and not isinstance(value, dict):
            return path, value, option
        excuse = next((part for part in NOT_SERVED if f"{key}.".startswith(f"{part}.")), None)
        if excuse is not None:
            self._not_served[excuse] = NOT_SERVED[excuse]
        elif not (isinstance(value, dict) and names_table(path)):
            self._remark(path, f"{key} is no key that is known here, and is not read")
        return None

    def _read(self, path: Path, value: Any, option: Option) -> None:
        key = ".".join(path)
        overriding = self._environment.get(f"SUPABASE_{key.replace('.', '_').upper()}")
        value = self._resolved(path, overriding or value)
        if value is _UNSET:
            return
        try:
            option.kind(value)
        except ValueError as error:
            if self._counts(path):
                self._problem(path, f"{key} must be {error}")
        else:
            self._said[key] = (path, value)

    def _resolved(self, path: Path, value: Any) -> Any:
        """A value with what `env(...)` stands for; `_UNSET` where nobody set that."""
        if isinstance(value, list):
            items = [self._resolved(path, item) for item in cast("list[Any]", value)]
            return [item for item in items if item is not _UNSET]
        named = _ENV.fullmatch(value) if isinstance(value, str) else None
        if named is None:
            return value
        found = self._environment.get(named[1])
        if found:
            return found
        switch = switch_of(path)
        if switch is None:
            self._remark(
                path,
                f"env({named[1]}) is not set, in .env neither: {'.'.join(path)} is as if not there",
            )
        elif self._is_switched_on(switch):
            self._off.add(switch)
            self._remark(
                path, f"env({named[1]}) is not set, in .env neither: [{switch}] is left off"
            )
        return _UNSET

    def _variables(self) -> dict[str, str]:
        variables = {
            each.variable: each.default for each in OPTIONS if each.variable and each.default
        }
        for key, option in OPTION_BY_KEY.items():
            overriding = self._environment.get(f"SUPABASE_{key.replace('.', '_').upper()}")
            if overriding and "*" not in key and key not in self._said:
                self._read(tuple(key.split(".")), overriding, option)
        for path, value in self._said.values():
            option = option_of(".".join(path))
            if option is None or option.variable is None or not self._counts(path):
                continue
            is_off = (switch := switch_of(path)) is not None and not self._is_switched_on(switch)
            if said := "false" if is_off else option.kind(value):
                variables[variable_of(option, path)] = said
        return (
            variables | self._sms(variables) | self._mail_limit() | self._passkeys(variables)
            | self._third_party()
        )  # fmt: skip

    def _third_party(self) -> dict[str, str]:
        """The one other issuer whose tokens count."""
        found: dict[str, str] = {}
        for provider in sorted(PROVIDERS):
            path = ("auth", "third_party", provider)
            key = ".".join(path)
            if not self._counts_at("auth.third_party", provider):
                continue
            names = (each.removeprefix(f"{key}.") for each in self._said if each.startswith(key))
            said = {name: self._text(f"{key}.{name}") or "" for name in names if name != "enabled"}
            try:
                issuer = issuer_of(provider, said)
            except ValueError as error:
                self._problem(path, f"[{key}] {error}")
            else:
                if found:
                    self._problem(path, f"[{key}] is the second that is enabled: one may be")
                found = {"THIRD_PARTY_ISSUER": issuer}
        return found

    def _sms(self, variables: Mapping[str, str]) -> dict[str, str]:
        provider = next((each for each in SMS_PROVIDERS if self._counts_at("auth.sms", each)), None)
        codes = {
            path[-1]: kinds.text(value)
            for key, (path, value) in self._said.items()
            if key.startswith("auth.sms.test_otp.")
        }
        found = {"GOTRUE_SMS_PROVIDER": provider} if provider else {}
        if codes:
            pairs = [f"{phone}:{code}" for phone, code in codes.items()]
            found["GOTRUE_SMS_TEST_OTP"] = ",".join(pairs)
        by_hook = variables.get("GOTRUE_HOOK_SEND_SMS_ENABLED") == "true"
        if variables["GOTRUE_EXTERNAL_PHONE_ENABLED"] == "true" and not (found or by_hook):
            path = ("auth", "sms", "enable_signup")
            self._remark(path, "no SMS provider is enabled: sign-in by phone is left off")
            found["GOTRUE_EXTERNAL_PHONE_ENABLED"] = "false"
        return found

    def _passkeys(self, variables: Mapping[str, str]) -> dict[str, str]:
        """Off where the site that they are for is not known."""
        known = {**self._environment, **variables}
        if variables.get(_PASSKEYS) != "true" or all(known.get(name) for name in _SITE):
            return {}
        path = ("auth", "passkey", "enabled")
        self._remark(
            path,
            "[auth.webauthn] lacks rp_id, rp_display_name or rp_origins: passkeys are left off",
        )
        return {_PASSKEYS: "false"}

    def _mail_limit(self) -> dict[str, str]:
        """How many mails an hour: a number of the file's counts where they leave the machine."""
        given = self._text("auth.rate_limit.email_sent")
        has_smtp = self._counts_at("auth.email", "smtp")
        limit = given if has_smtp else _MAILS_WITHOUT_SMTP
        return {"GOTRUE_RATE_LIMIT_EMAIL_SENT": limit} if limit else {}

    def _buckets(self) -> Iterator[Bucket]:
        for name in self._document.table(("storage", "buckets")):
            where = f"storage.buckets.{name}"
            size = self._text(f"{where}.file_size_limit")
            types = self._said.get(f"{where}.allowed_mime_types")
            yield Bucket(
                name=name,
                public=self._text(f"{where}.public") == "true",
                file_size_limit=int(size) if size else None,
                allowed_mime_types=kinds.strings(types[1]) if types else None,
                objects_path=self._text(f"{where}.objects_path"),
            )

    def _seeds(self) -> tuple[str, ...]:
        if not self._is_on("db.seed.enabled"):
            return ()
        patterns = self._said.get("db.seed.sql_paths")
        return kinds.strings(patterns[1]) if patterns else ("seed.sql",)

    def _text(self, key: str) -> str | None:
        option, found = option_of(key), self._said.get(key)
        return option.kind(found[1]) if option is not None and found is not None else None

    def _is_on(self, key: str) -> bool:
        return self._text(key) != "false"

    def _counts(self, path: Path) -> bool:
        """Whether a value is in no table that is switched off; the switch itself always counts."""
        switch = switch_of(path)
        return switch is None or self._is_switched_on(switch) or path[-1] == "enabled"

    def _counts_at(self, table: str, name: str) -> bool:
        is_there = any(key.startswith(f"{table}.{name}.") for key in self._said)
        return is_there and self._is_switched_on(f"{table}.{name}")

    def _is_switched_on(self, switch: str) -> bool:
        if switch in self._off:
            return False
        usual = next(on for pattern, on in SWITCHED.items() if fnmatchcase(switch, pattern))
        value = self._document.table(tuple(switch.split("."))).get("enabled", usual)
        named = _ENV.fullmatch(value) if isinstance(value, str) else None
        said = self._environment.get(named[1], "") if named else value
        return str(said).lower() in {"true", "1", "t"}

    def _problem(self, path: Path, sentence: str) -> None:
        self._problems.append(f"{self._name}:{self._document.line(path)}: {sentence}")

    def _remark(self, path: Path, sentence: str) -> None:
        self._remarks.append(f"{self._name}:{self._document.line(path)}: {sentence}")
