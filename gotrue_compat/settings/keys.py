"""JWT settings: who signs, who may verify, what the claims say (auth reference 5.10, 5.11)."""

from __future__ import annotations

from dataclasses import dataclass

from compat_base.values import jwt
from compat_base.values.settings import Reader


@dataclass(frozen=True, slots=True)
class JwtSettings:
    """The signing key, every verifying key, and the fixed claims; `expiry` in seconds."""

    signing_key: jwt.Key
    keys: tuple[jwt.Key, ...]
    fallback: jwt.Key
    methods: frozenset[str]
    expiry: int
    aud: str
    issuer: str
    admin_roles: tuple[str, ...]
    admin_group: str
    default_role: str


def read_jwt(reader: Reader) -> JwtSettings:
    """Read GOTRUE_JWT_*; without _KEYS the secret signs with HS256."""
    secret = reader.required("JWT_SECRET")
    key_id = reader.optional("JWT_KEY_ID")
    fallback = jwt.secret_key(secret or "unset", kid=key_id, algorithms=("HS256",))
    keys = _read_keys(reader, reader.optional("JWT_KEYS")) or (fallback,)
    signers = tuple(key for key in keys if "sign" in key.operations) or keys
    if len(keys) > 1 and sum("sign" in key.operations for key in keys) != 1:
        reader.problem("GOTRUE_JWT_KEYS must have exactly one key with sign in its key_ops")
    methods = reader.words("JWT_VALID_METHODS") or reader.words("JWT_VALIDMETHODS")
    return JwtSettings(
        signing_key=signers[0],
        keys=keys,
        fallback=fallback,
        # HS256 by the secret stays valid next to other keys: anon and service keys are made so
        methods=frozenset(methods) or frozenset({"HS256", *map(_algorithm, keys)}),
        expiry=reader.integer("JWT_EXP", 3600, minimum=1),
        aud=reader.text("JWT_AUD"),
        issuer=reader.text("JWT_ISSUER"),
        admin_group=reader.text("JWT_ADMIN_GROUP_NAME", "admin"),
        admin_roles=reader.words("JWT_ADMIN_ROLES", ("service_role", "supabase_admin")),
        default_role=reader.text("JWT_DEFAULT_GROUP_NAME"),
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
