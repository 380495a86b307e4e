"""JWT keys: for signing, for verification, and fixed claims (auth reference 5.10, 5.11)."""

from __future__ import annotations

from dataclasses import dataclass

from compat_base.values import jwt
from compat_base.values import setting_kinds as kinds
from compat_base.values.setting_rows import read_rows, setting
from compat_base.values.settings import Reader


@dataclass(frozen=True, slots=True)
class JwtSettings:
    """The signing key, every verifying key, and the fixed claims; `expiry` in seconds."""

    signing_key: jwt.Key
    keys: tuple[jwt.Key, ...]
    fallback: jwt.Key
    methods: frozenset[str]
    expiry: int = setting("JWT_EXP", kinds.nonzero(kinds.integer(3600, minimum=0), 3600))
    aud: str = setting("JWT_AUD", kinds.text())
    issuer: str = setting("JWT_ISSUER", kinds.text())
    admin_roles: tuple[str, ...] = setting(
        "JWT_ADMIN_ROLES", kinds.words("service_role", "supabase_admin")
    )
    admin_group: str = setting("JWT_ADMIN_GROUP_NAME", kinds.text("admin"))
    default_role: str = setting("JWT_DEFAULT_GROUP_NAME", kinds.text())


def read_jwt(reader: Reader) -> JwtSettings:
    """Read GOTRUE_JWT_*; without _KEYS the secret signs with HS256."""
    secret = reader.required("JWT_SECRET")
    key_id = reader.optional("JWT_KEY_ID")
    fallback = jwt.secret_key(secret or "unset", kid=key_id, algorithms=("HS256",))
    given = _read_keys(reader, reader.optional("JWT_KEYS"))
    keys = given or (fallback,)
    signers = tuple(key for key in given if "sign" in key.operations)
    if given and len(signers) != 1:
        reader.problem("GOTRUE_JWT_KEYS must have exactly one key with sign in its key_ops")
    methods = reader.words("JWT_VALID_METHODS") or reader.words("JWT_VALIDMETHODS")
    return read_rows(
        JwtSettings,
        reader,
        signing_key=(signers or keys)[0],
        keys=keys,
        fallback=fallback,
        # HS256 by the secret stays valid next to other keys: anon and service keys are made so
        methods=frozenset(methods) or frozenset({"HS256", *map(_algorithm, keys)}),
    )


def _read_keys(reader: Reader, text: str | None) -> tuple[jwt.Key, ...]:
    if text is None:
        return ()
    try:
        return jwt.keys_from_json(text)
    except jwt.UnreadableKeyError as error:
        reader.problem(f"GOTRUE_JWT_KEYS cannot be read: {error}")
        return ()


def _algorithm(key: jwt.Key) -> str:
    return key.algorithms[0]
