"""config.toml: the services' variables, and what else it says of a project."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from compat_base.values.settings import SettingsError
from compat_stack.project import kinds
from compat_stack.project.config_values import ConfigValues
from compat_stack.project.keys import OPTIONS, SMS_PROVIDERS
from compat_stack.project.third_party import PROVIDERS, issuer_of
from compat_stack.project.toml_document import BrokenTomlError, read_document

_PASSKEYS = "GOTRUE_PASSKEY_ENABLED"
_SITE = tuple(f"GOTRUE_WEBAUTHN_RP_{word}" for word in ("ID", "DISPLAY_NAME", "ORIGINS"))
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
    """A config.toml; `variables` are the services' and the stack's.

    `seeds` and `schemas` are patterns of files; `secrets` are the vault's, by name; `major_version`
    is the hosted database's; `signing_keys` is the path of their file; `places` is where the file
    sets each variable, `file:line: key`.
    """

    project_id: str
    variables: Mapping[str, str]
    buckets: tuple[Bucket, ...]
    seeds: tuple[str, ...]
    names_seeds: bool
    schemas: tuple[str, ...]
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
    values = ConfigValues(document, environment, name)
    config = Config(
        project_id=values.text("project_id") or project_id,
        variables=_variables(values),
        buckets=tuple(_buckets(values)),
        seeds=_seeds(values),
        names_seeds="db.seed.sql_paths" in values.values,
        schemas=_schemas(values),
        applies_migrations=values.is_on("db.migrations.enabled"),
        exposes_new_tables=values.is_on("api.auto_expose_new_tables"),
        major_version=int(values.text("db.major_version") or _MAJOR_VERSION),
        secrets=tuple(values.below("db.vault").items()),
        signing_keys=values.text("auth.signing_keys_path"),
        switched_off=frozenset(
            service for key, service in _SERVICES.items() if not values.is_on(f"{key}.enabled")
        ),
        places=values.lines(),
        remarks=tuple(values.remarks),
        not_served=tuple(f"[{key}]: {why}" for key, why in values.not_served.items()),
    )
    if values.problems:
        raise SettingsError(tuple(values.problems))
    return config


def _variables(values: ConfigValues) -> dict[str, str]:
    defaults = {each.variable: each.default for each in OPTIONS if each.variable and each.default}
    found = defaults | values.variables()
    return (
        found | _sms(values, found) | _mail_limit(values) | _passkeys(values, found)
        | _third_party(values)
    )  # fmt: skip


def _third_party(values: ConfigValues) -> dict[str, str]:
    """The one other issuer whose tokens are accepted."""
    found: dict[str, str] = {}
    for provider in sorted(PROVIDERS):
        if not values.is_enabled("auth.third_party", provider):
            continue
        path = ("auth", "third_party", provider)
        key = ".".join(path)
        options = {name: text for name, text in values.below(key).items() if name != "enabled"}
        try:
            issuer = issuer_of(provider, options)
        except ValueError as error:
            values.problem(path, f"[{key}] {error}")
        else:
            if found:
                values.problem(path, f"[{key}] is the second that is enabled: one may be")
            found = {"THIRD_PARTY_ISSUER": issuer}
    return found


def _sms(values: ConfigValues, variables: Mapping[str, str]) -> dict[str, str]:
    provider = next((each for each in SMS_PROVIDERS if values.is_enabled("auth.sms", each)), None)
    found = {"GOTRUE_SMS_PROVIDER": provider} if provider else {}
    if codes := values.below("auth.sms.test_otp"):
        pairs = [f"{phone}:{code}" for phone, code in codes.items()]
        found["GOTRUE_SMS_TEST_OTP"] = ",".join(pairs)
    by_hook = variables.get("GOTRUE_HOOK_SEND_SMS_ENABLED") == "true"
    if variables["GOTRUE_EXTERNAL_PHONE_ENABLED"] == "true" and not (found or by_hook):
        path = ("auth", "sms", "enable_signup")
        values.remark(path, "no SMS provider is enabled: sign-in by phone is left off")
        found["GOTRUE_EXTERNAL_PHONE_ENABLED"] = "false"
    return found


def _passkeys(values: ConfigValues, variables: Mapping[str, str]) -> dict[str, str]:
    """Off where the relying party is not configured."""
    known = {**values.environment, **variables}
    if variables.get(_PASSKEYS) != "true" or all(known.get(name) for name in _SITE):
        return {}
    path = ("auth", "passkey", "enabled")
    values.remark(
        path, "[auth.webauthn] lacks rp_id, rp_display_name or rp_origins: passkeys are left off"
    )
    return {_PASSKEYS: "false"}


def _mail_limit(values: ConfigValues) -> dict[str, str]:
    """Mails an hour: the file's number applies only with SMTP, as with the CLI."""
    given = values.text("auth.rate_limit.email_sent")
    limit = given if values.is_enabled("auth.email", "smtp") else _MAILS_WITHOUT_SMTP
    return {"GOTRUE_RATE_LIMIT_EMAIL_SENT": limit} if limit else {}


def _buckets(values: ConfigValues) -> Iterator[Bucket]:
    for name in values.document.table(("storage", "buckets")):
        where = f"storage.buckets.{name}"
        size = values.text(f"{where}.file_size_limit")
        types = values.values.get(f"{where}.allowed_mime_types")
        yield Bucket(
            name=name,
            public=values.text(f"{where}.public") == "true",
            file_size_limit=int(size) if size else None,
            allowed_mime_types=kinds.strings(types[1]) if types else None,
            objects_path=values.text(f"{where}.objects_path"),
        )


def _schemas(values: ConfigValues) -> tuple[str, ...]:
    """Patterns of the declarative schema's files; none with pg-delta, as with the CLI."""
    patterns = values.values.get("db.migrations.schema_paths")
    by_delta = values.document.table(("experimental", "pgdelta")).get("enabled") is True
    return kinds.strings(patterns[1]) if patterns and not by_delta else ()


def _seeds(values: ConfigValues) -> tuple[str, ...]:
    if not values.is_on("db.seed.enabled"):
        return ()
    patterns = values.values.get("db.seed.sql_paths")
    return kinds.strings(patterns[1]) if patterns else ("seed.sql",)
