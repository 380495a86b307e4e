"""A browsers' push service on loopback, by TLS: it keeps what it is sent, and its browsers read it."""

from __future__ import annotations

import asyncio
import base64
import json
import ssl
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, cast

import http_ece
from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import (
    Encoding,
    NoEncryption,
    PrivateFormat,
    PublicFormat,
)

from compat_base.values.jwt import check_signature, key_from_jwk, unpack
from compat_base.values.world import real_world
from compat_stack.background.listening import Outgoing
from compat_stack.keys.vapid import new_vapid_key
from gotrue_compat.adapters.smtp import NoMailer

_decrypt = cast("Callable[..., bytes]", http_ece.decrypt)  # pyright: ignore[reportUnknownMemberType]


def outgoing() -> Outgoing:
    """By what the messages of a test leave: a key of its own, and no mail."""
    return Outgoing(new_vapid_key(real_world().entropy), NoMailer())


def _text(value: bytes) -> str:
    return base64.urlsafe_b64encode(value).rstrip(b"=").decode()


@dataclass(frozen=True)
class Received:
    """A message as it came: its path, its headers in lower case, and its body."""

    path: str
    headers: dict[str, str]
    body: bytes


@dataclass
class Browser:
    """A subscription with the keys that its browser keeps."""

    endpoint: str
    private: ec.EllipticCurvePrivateKey = field(
        default_factory=lambda: ec.generate_private_key(ec.SECP256R1())
    )
    auth: bytes = b"sixteen bytes ok"

    @property
    def p256dh(self) -> str:
        """The public key, as a browser gives it."""
        point = self.private.public_key().public_bytes(
            Encoding.X962, PublicFormat.UncompressedPoint
        )
        return _text(point)

    def target(self, **more: str) -> dict[str, str]:
        """The subscription as a message names it."""
        own = {"endpoint": self.endpoint, "p256dh": self.p256dh, "auth": _text(self.auth)}
        return own | more

    def read(self, message: Received) -> Any:
        """What a message says; an error where it is for somebody else."""
        plain = _decrypt(message.body, private_key=self.private, auth_secret=self.auth)
        return json.loads(plain)


@dataclass
class PushService:
    """Answers each path as `answers` says (status and headers), 201 otherwise."""

    port: int = 0
    received: list[Received] = field(default_factory=list)
    answers: dict[str, tuple[int, str]] = field(default_factory=dict)
    held: asyncio.Event = field(default_factory=asyncio.Event)

    def browser(self, path: str = "/a") -> Browser:
        """A new subscription at a path; `/held…` is answered when `held` is set."""
        return Browser(f"https://localhost:{self.port}{path}")

    def at(self, path: str) -> list[Received]:
        """What came for a path."""
        return [message for message in self.received if message.path == path]

    def claims_of(self, message: Received) -> dict[str, Any]:
        """Who says to have sent a message, checked by the key beside it."""
        token, key = (
            part.strip().partition("=")[2]
            for part in message.headers["authorization"].removeprefix("vapid ").split(",")
        )
        raw = base64.urlsafe_b64decode(key + "=" * (-len(key) % 4))
        jwk = {"kty": "EC", "crv": "P-256", "x": _text(raw[1:33]), "y": _text(raw[33:])}
        unpacked = unpack(token)
        check_signature(unpacked, (key_from_jwk(jwk | {"alg": "ES256"}),))
        return dict(unpacked.claims())

    async def answer(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Keep one request and answer it."""
        head = (await reader.readuntil(b"\r\n\r\n")).decode()
        first, *lines = head.strip().split("\r\n")
        pairs = (line.partition(": ") for line in lines)
        headers = {name.lower(): value for name, _, value in pairs}
        body = await reader.readexactly(int(headers.get("content-length", "0")))
        path = first.split()[1]
        self.received.append(Received(path, headers, body))
        if path.startswith("/held"):
            await self.held.wait()
        status, more = self.answers.get(path, (201, ""))
        writer.write(
            f"HTTP/1.1 {status} Said\r\n{more}Content-Length: 0\r\nConnection: close\r\n\r\n".encode()
        )
        await writer.drain()
        writer.close()


@asynccontextmanager
async def push_service(folder: Path) -> AsyncGenerator[PushService]:
    """A push service by a certificate that is written to the folder as `certificate.pem`."""
    made = PushService()
    server = await asyncio.start_server(made.answer, "127.0.0.1", 0, ssl=server_context(folder))
    made.port = server.sockets[0].getsockname()[1]
    yield made
    made.held.set()
    server.close()


def allowance(folder: Path) -> dict[str, str]:
    """Settings with which a stack calls that service: the operator's word for loopback."""
    return {
        "PUSH_HOSTS": "localhost",
        "GOTRUE_EGRESS_ALLOW_LIST": "127.0.0.1,::1",
        "SSL_CERT_FILE": str(folder / "certificate.pem"),
    }


def server_context(folder: Path, name: str = "localhost") -> ssl.SSLContext:
    """A TLS server's context for a host, its certificate written to the folder."""
    key = ec.generate_private_key(ec.SECP256R1())
    subject = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, name)])
    now = datetime.now(UTC)
    certificate = (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(subject)
        .public_key(key.public_key())
        .serial_number(11)
        .not_valid_before(now - timedelta(days=1))
        .not_valid_after(now + timedelta(days=30))
        .add_extension(x509.SubjectAlternativeName([x509.DNSName(name)]), critical=False)
        .sign(key, hashes.SHA256())
    )
    (folder / "certificate.pem").write_bytes(certificate.public_bytes(Encoding.PEM))
    (folder / "key.pem").write_bytes(
        key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
    )
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    context.load_cert_chain(folder / "certificate.pem", folder / "key.pem")
    return context
