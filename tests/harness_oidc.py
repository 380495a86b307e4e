"""A small OpenID Connect provider, served on loopback: whoever comes is the next person set."""

from __future__ import annotations

import asyncio
import base64
import hashlib
import json
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, urlencode

import jwt
import uvicorn
from cryptography.hazmat.primitives.asymmetric import rsa

from compat_base.sockets import listen


@dataclass
class Provider:
    """The provider: `person` is who signs in, `seen` what clients sent."""

    issuer: str = ""
    key: rsa.RSAPrivateKey = field(default_factory=lambda: rsa.generate_private_key(65537, 2048))
    kid: str = "one"
    person: dict[str, Any] = field(default_factory=dict)
    codes: dict[str, dict[str, str]] = field(default_factory=dict)
    seen: list[dict[str, str]] = field(default_factory=list)

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        if scope["type"] != "http":
            return
        body = (await receive()).get("body", b"")
        query = dict(parse_qsl(scope["query_string"].decode()))
        headers = {k.decode(): v.decode() for k, v in scope["headers"]}
        status, extra, answer = self.answer(scope["path"], query, body, headers)
        raw = (answer if isinstance(answer, str) else json.dumps(answer)).encode()
        await send({
            "type": "http.response.start", "status": status,
            "headers": [(b"content-type", b"application/json"), *extra],
        })  # fmt: skip
        await send({"type": "http.response.body", "body": raw})

    def id_token(self, audience: str, **more: Any) -> str:
        now = int(time.time())
        claims = {"iss": self.issuer, "aud": audience, "iat": now, "exp": now + 300}
        return jwt.encode(
            claims | self.person | more, self.key, algorithm="RS256", headers={"kid": self.kid}
        )

    def answer(self, path: str, query: dict[str, str], body: bytes, headers: dict[str, str]):
        if path.endswith("/.well-known/openid-configuration"):
            return 200, [], {
                "issuer": self.issuer, "jwks_uri": f"{self.issuer}/jwks",
                "authorization_endpoint": f"{self.issuer}/authorize",
                "token_endpoint": f"{self.issuer}/token",
                "userinfo_endpoint": f"{self.issuer}/userinfo",
            }  # fmt: skip
        if path.endswith("/jwks"):
            public = json.loads(jwt.algorithms.RSAAlgorithm.to_jwk(self.key.public_key()))
            return 200, [], {"keys": [{**public, "kid": self.kid, "alg": "RS256", "use": "sig"}]}
        if path.endswith(("/auth", "/authorize")):
            code = f"code-{len(self.codes)}"
            self.codes[code] = query
            self.seen.append(query)
            target = f"{query['redirect_uri']}?{urlencode({'code': code, 'state': query['state']})}"
            return 302, [(b"location", target.encode())], {}
        if path.endswith("/token"):
            return self._token(dict(parse_qsl(body.decode())), headers)
        if path.endswith("/userinfo"):
            if headers.get("authorization") != "Bearer access-of-user":
                return 401, [], {}
            return 200, [], self.person
        return 404, [], {}

    def _token(self, form: dict[str, str], headers: dict[str, str]):
        authorization = self.codes.pop(form.get("code", ""), None)
        login = base64.b64decode(headers.get("authorization", "Basic ")[6:]).decode()
        sent = login or f"{form.get('client_id')}:{form.get('client_secret')}"
        if authorization is None or sent != "client-1:secret-1":
            return 400, [], {"error": "invalid_grant"}
        if "code_challenge" in authorization:
            digest = hashlib.sha256(form.get("code_verifier", "").encode()).digest()
            if (
                base64.urlsafe_b64encode(digest).rstrip(b"=").decode()
                != authorization["code_challenge"]
            ):
                return 400, [], {"error": "invalid_grant"}
        answer = {"access_token": "access-of-user", "refresh_token": "refresh-of-user"}
        return 200, [], {
            **answer, "token_type": "bearer", "id_token": self.id_token("client-1"),
        }  # fmt: skip


@asynccontextmanager
async def open_provider(
    provider: Provider | None = None, certified: Path | None = None
) -> AsyncIterator[Provider]:
    """The provider, or the one that is given, on a free port of loopback.

    By TLS as localhost where a folder with `certificate.pem` and `key.pem` is given.
    """
    provider = provider or Provider()
    listening = listen("127.0.0.1", 0)
    port = listening.getsockname()[1]
    tls: dict[str, Any] = {}
    provider.issuer = f"http://127.0.0.1:{port}"
    if certified is not None:
        provider.issuer = f"https://localhost:{port}"
        tls = {
            "ssl_certfile": certified / "certificate.pem", "ssl_keyfile": certified / "key.pem",
        }  # fmt: skip
    server = uvicorn.Server(
        uvicorn.Config(provider, log_config=None, lifespan="off", access_log=False, **tls)
    )
    server.capture_signals = __import__("contextlib").nullcontext  # the tests own the signals
    task = asyncio.get_running_loop().create_task(server.serve(sockets=[listening]))
    try:
        yield provider
    finally:
        server.should_exit = True
        await task
