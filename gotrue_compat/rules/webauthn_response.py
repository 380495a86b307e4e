"""Responses of authenticators, read and checked for their form (WebAuthn 3, sections 5.1 and 6.1).

What is taken for a response is what the original takes: names in any case, base64url with or
without padding, and types of members that nobody uses are checked too.
"""

from __future__ import annotations

import base64
import json
import re
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NoReturn, TypeVar, cast

import cbor2

from compat_base.values import jsontext

T = TypeVar("T")

USER_PRESENT, BACKUP_ELIGIBLE, BACKED_UP = 0x01, 0x08, 0x10
_HAS_CREDENTIAL, _HAS_EXTENSIONS = 0x40, 0x80
_HEAD = 37  # bytes of authenticator data: hash of the relying party's id, flags, count of uses
_CREDENTIAL_HEAD = 18  # model, length of the id
_LONGEST_ID = 1023
_DEEPEST = 4  # values inside one another
_BASE64URL = re.compile(r"[A-Za-z0-9_-]*")
_BINDINGS = {"present", "supported", "not-supported"}
_RENAMED_TRANSPORTS = {"cable": "hybrid"}


class RefusedError(Exception):
    """The authenticator's response does not prove what it should."""


class MalformedError(RefusedError):
    """What was sent is no authenticator's response."""


@dataclass(frozen=True, slots=True)
class ClientData:
    """What the browser saw; `text` is what is signed."""

    text: bytes
    kind: str
    challenge: str
    origin: str
    has_known_binding: bool


@dataclass(frozen=True, slots=True)
class AttestedCredential:
    """A new credential, with its key in COSE's form."""

    id: bytes
    public_key: bytes
    aaguid: bytes


@dataclass(frozen=True, slots=True)
class AuthenticatorData:
    """What the authenticator says; `raw` is what it signs."""

    raw: bytes
    rp_id_hash: bytes
    flags: int
    sign_count: int
    attested: AttestedCredential | None


@dataclass(frozen=True, slots=True)
class Registration:
    """A response to `navigator.credentials.create`."""

    client: ClientData
    data: AuthenticatorData
    credential: AttestedCredential
    transports: tuple[str, ...]
    attestation: bytes
    attestation_format: str
    statement: Mapping[Any, Any]


@dataclass(frozen=True, slots=True)
class CredentialUse:
    """A response to `navigator.credentials.get`; an absent user handle is empty."""

    credential_id: bytes
    client: ClientData
    data: AuthenticatorData
    signature: bytes
    user_handle: bytes


def read_registration(response: Mapping[str, Any]) -> Registration:
    """The response to a creation; MalformedError for anything else."""
    outer = _credential(response)
    inner = outer.within("response")
    for name in ("authenticatorData", "publicKey"):
        inner.data(name)
    inner.typed("publicKeyAlgorithm", int, 0)
    transports = tuple(_RENAMED_TRANSPORTS.get(text, text) for text in inner.texts("transports"))
    client = _client_data(inner.data("clientDataJSON"))
    attestation = inner.data("attestationObject")
    value = _Members(_cbor(attestation), folds=False)
    data = _authenticator_data(value.typed("authData", bytes, b""))
    if data.attested is None:
        raise MalformedError("no attested credential")
    return Registration(
        client, data, data.attested, transports, attestation, value.text("fmt"),
        value.typed("attStmt", dict, {}),
    )  # fmt: skip


def read_use(response: Mapping[str, Any]) -> CredentialUse:
    """The response to a request; MalformedError for anything else."""
    outer = _credential(response)
    inner = outer.within("response")
    return CredentialUse(
        credential_id=outer.data("rawId"),
        client=_client_data(inner.data("clientDataJSON")),
        data=_authenticator_data(inner.data("authenticatorData")),
        signature=inner.data("signature"),
        user_handle=inner.data("userHandle"),
    )


class _Members:
    """Members of an object with their types; null counts as absent."""

    def __init__(self, value: object, *, folds: bool = True) -> None:
        if not isinstance(value, dict):
            raise MalformedError("no object")
        members = cast("dict[Any, Any]", value)
        folded = {str(name).lower(): member for name, member in members.items()} if folds else {}
        self._members = folded | members

    def typed(self, name: str, wanted: type[T], default: T) -> T:
        value = self._members.get(name, self._members.get(name.lower()))
        if value is None:
            return default
        if not isinstance(value, wanted) or (wanted is int and isinstance(value, bool)):
            raise MalformedError(f"{name} is of another type")
        return value

    def text(self, name: str) -> str:
        return self.typed(name, str, "")

    def texts(self, name: str) -> list[str]:
        members = self.typed(name, list, [])
        found = ["" if text is None else text for text in members]
        if not all(isinstance(text, str) for text in found):
            raise MalformedError(f"{name} has a member of another type")
        return found

    def data(self, name: str) -> bytes:
        value = self.typed(name, object, "")
        # What is no text is read as the JSON that it was, as by the original's decoder
        return _base64url((value if isinstance(value, str) else json.dumps(value)).rstrip("="))

    def within(self, name: str, default: Mapping[str, Any] | None = None) -> _Members:
        return _Members(self.typed(name, dict, default or {}))


def _credential(response: Mapping[str, Any]) -> _Members:
    """What registrations and assertions have in common, checked."""
    outer = _Members(response)
    _base64url(outer.text("id") or "-")
    outer.data("rawId")
    outer.within("clientExtensionResults")
    outer.text("authenticatorAttachment")
    if outer.text("type") != "public-key":
        raise MalformedError("no public key")
    return outer


def _client_data(text: bytes) -> ClientData:
    try:
        value = jsontext.decode_finite(text.decode(errors="replace"))
    except jsontext.InvalidJsonError as error:
        raise MalformedError("the client data are no JSON") from error
    members = _Members({} if value is None else value)
    members.typed("crossOrigin", bool, default=False)
    members.text("topOrigin")
    members.text("new_keys_may_be_added_here")
    status = members.within("tokenBinding", {"status": "supported"}).text("status")
    return ClientData(
        text, members.text("type"), members.text("challenge"), members.text("origin"),
        status in _BINDINGS,
    )  # fmt: skip


def _authenticator_data(raw: bytes) -> AuthenticatorData:
    if len(raw) < _HEAD:
        raise MalformedError("the authenticator's data are too short")
    flags, rest, attested = raw[32], raw[_HEAD:], None
    if flags & _HAS_CREDENTIAL:
        attested, rest = _attested(rest)
    if bool(rest) != bool(flags & _HAS_EXTENSIONS):
        raise MalformedError("the authenticator's data have another length")
    if rest:
        _cbor(rest)  # before the library, which verifies some statements, decodes it with its tags
    return AuthenticatorData(raw, raw[:32], flags, int.from_bytes(raw[33:_HEAD]), attested)


def _attested(raw: bytes) -> tuple[AttestedCredential, bytes]:
    """The credential at the beginning of what follows the head, and what follows it."""
    length = int.from_bytes(raw[16:_CREDENTIAL_HEAD])
    key_at = _CREDENTIAL_HEAD + length
    if len(raw) <= key_at or length > _LONGEST_ID:
        raise MalformedError("the attested credential is too short")
    key = cbor2.dumps(_cbor(raw[key_at:]))
    credential = AttestedCredential(raw[_CREDENTIAL_HEAD:key_at], key, raw[:16])
    return credential, raw[key_at + len(key) :]


def _cbor(data: bytes) -> Any:
    """The first value, in the form of CTAP2; what follows it is not looked at.

    It has no tags: the library makes of some, in a few bytes, numbers that take a second each.
    """
    try:
        return cbor2.loads(
            data,
            semantic_decoders=defaultdict(lambda: _refuse_tag),
            tag_hook=_refuse_tag,
            max_depth=_DEEPEST,
            allow_indefinite=False,
            allow_duplicate_keys=False,
        )
    except cbor2.CBORDecodeError as error:
        raise MalformedError("no CBOR") from error


def _refuse_tag(*_tagged: object) -> NoReturn:
    message = "a tag"
    raise ValueError(message)


def _base64url(text: str) -> bytes:
    if not _BASE64URL.fullmatch(text) or len(text) % 4 == 1:
        raise MalformedError("no base64url")
    return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))
