"""The auth service in memory: an app over ASGI, a real database, and what it sent."""

from __future__ import annotations

import base64
import hashlib
import itertools
import re
import time
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import parse_qsl, urlsplit

import asyncpg
import httpx2
import jwt

from compat_base.values.events import Observation
from compat_base.values.world import World, real_world
from gotrue_compat import open_service
from gotrue_compat.ports import Mail
from gotrue_compat.settings import read_settings

SECRET = "a-secret-of-more-than-thirty-two-bytes-for-hs256"
SITE = "http://localhost:3000"
BASE = {
    "GOTRUE_SITE_URL": SITE,
    "API_EXTERNAL_URL": "http://localhost:9999",
    "GOTRUE_JWT_SECRET": SECRET,
    "GOTRUE_JWT_AUD": "authenticated",
    "GOTRUE_JWT_DEFAULT_GROUP_NAME": "authenticated",
    "GOTRUE_DB_DRIVER": "postgres",
    "GOTRUE_URI_ALLOW_LIST": "https://app.example.com/**",
    "GOTRUE_SMTP_MAX_FREQUENCY": "1ns",
    "GOTRUE_SMS_MAX_FREQUENCY": "1ns",
    "GOTRUE_RATE_LIMIT_EMAIL_SENT": "100000",
    "GOTRUE_RATE_LIMIT_SMS_SENT": "100000",
    # what a busy machine takes proves nothing
    "GOTRUE_RATE_LIMIT_HASH_QUEUE_WAIT": "60s",
    "GOTRUE_API_MAX_REQUEST_DURATION": "60s",
}
AUTO = {"GOTRUE_MAILER_AUTOCONFIRM": "true"}
PASSWORD = "correct horse"
CHEAP = 4  # the lowest cost of bcrypt: a hash of the original's takes 53 ms of a processor


@dataclass
class Mailbox:
    """A mailer that keeps what it was given."""

    mails: list[Mail] = field(default_factory=list)

    async def send(self, mail: Mail) -> None:
        self.mails.append(mail)

    def last(self, recipient: str) -> Mail:
        return next(mail for mail in reversed(self.mails) if mail.recipient == recipient)

    def otp(self, recipient: str) -> str:
        found = re.search(r"<strong>(\d{6,10})</strong>", self.last(recipient).html)
        assert found
        return found.group(1)

    def link(self, recipient: str) -> str:
        found = re.search(r'href="([^"]+)"', self.last(recipient).html)
        assert found
        return found.group(1).replace("&amp;", "&")

    def token(self, recipient: str) -> str:
        return dict(parse_qsl(urlsplit(self.link(recipient)).query))["token"]


@dataclass
class Auth:
    """One instance of the service and the means to look behind it."""

    client: httpx2.AsyncClient
    mailbox: Mailbox
    url: str
    observations: list[Observation]

    async def post(self, path: str, body: Any = None, **more: Any) -> httpx2.Response:
        return await self.call("POST", path, body, **more)

    async def put(self, path: str, body: Any = None, **more: Any) -> httpx2.Response:
        return await self.call("PUT", path, body, **more)

    async def get(self, path: str, **more: Any) -> httpx2.Response:
        return await self.call("GET", path, **more)

    async def delete(self, path: str, body: Any = None, **more: Any) -> httpx2.Response:
        return await self.call("DELETE", path, body, **more)

    async def call(
        self, method: str, path: str, body: Any = None, *, token: str | None = None,
        headers: dict[str, str] | None = None, old: bool = False,
    ) -> httpx2.Response:  # fmt: skip
        sent = {} if old else {"X-Supabase-Api-Version": "2024-01-01"}
        sent |= {"Authorization": f"Bearer {token}"} if token else {}
        sent |= headers or {}
        if body is None:
            return await self.client.request(method, path, headers=sent)
        if isinstance(body, bytes):
            return await self.client.request(method, path, content=body, headers=sent)
        return await self.client.request(method, path, json=body, headers=sent)

    async def rows(self, sql: str, *args: Any) -> list[dict[str, Any]]:
        connection = await asyncpg.connect(self.url)
        try:
            return [dict(row) for row in await connection.fetch(sql, *args)]
        finally:
            await connection.close()

    async def signed_up(self, email: str, **more: Any) -> dict[str, Any]:
        """A user of an instance where addresses confirm themselves: the token answer."""
        answer = await self.post("/signup", {"email": email, "password": PASSWORD, **more})
        assert answer.status_code == 200, answer.text
        return answer.json()

    async def sign_in(self, email: str, password: str = PASSWORD) -> httpx2.Response:
        return await self.post("/token?grant_type=password", {"email": email, "password": password})

    async def refresh(self, token: str) -> httpx2.Response:
        return await self.post("/token?grant_type=refresh_token", {"refresh_token": token})


def admin_token(role: str = "service_role", **more: Any) -> str:
    return jwt.encode({"role": role, **more}, SECRET, algorithm="HS256")


def user_token(**claims: Any) -> str:
    return jwt.encode({"exp": int(time.time()) + 86_400, **claims}, SECRET, algorithm="HS256")


def claims_of(token: str) -> dict[str, Any]:
    return jwt.decode(token, options={"verify_signature": False})


def problem(answer: httpx2.Response) -> tuple[int, str, str]:
    """Status, code and text of an error in the new form."""
    body = answer.json()
    return answer.status_code, body["code"], body["message"]


def location(answer: httpx2.Response) -> tuple[str, dict[str, str], dict[str, str]]:
    """Where a redirect goes: address, query and fragment."""
    parts = urlsplit(answer.headers["location"])
    query = dict(parse_qsl(parts.query, keep_blank_values=True))
    fragment = dict(parse_qsl(parts.fragment, keep_blank_values=True))
    return f"{parts.scheme}://{parts.netloc}{parts.path}", query, fragment


def pkce_pair() -> tuple[str, str]:
    verifier = "v" * 64
    digest = hashlib.sha256(verifier.encode()).digest()
    return verifier, base64.urlsafe_b64encode(digest).rstrip(b"=").decode()


@asynccontextmanager
async def open_auth(
    url: str, admin_url: str, *, world: World | None = None, http: Any = None, mailer: Any = None,
    nodes: int = 1, hash_cost: int = CHEAP, **variables: str,
) -> AsyncIterator[Auth]:  # fmt: skip
    """The service on a database, with variables beside the usual ones; its nodes answer by turns."""
    settings = read_settings(BASE | {"DATABASE_URL": url} | variables)
    mailbox = Mailbox()
    observations: list[Observation] = []
    async with AsyncExitStack() as stack:
        apps = itertools.cycle(
            [
                await stack.enter_async_context(
                    open_service(
                        settings, world=world or real_world(), observer=observations.append,
                        mailer=mailer or mailbox, http=http, hash_cost=hash_cost,
                    )
                )
                for _ in range(nodes)
            ]
        )  # fmt: skip

        async def answer(scope: Any, receive: Any, send: Any) -> None:
            await next(apps)(scope, receive, send)

        transport = httpx2.ASGITransport(app=answer)
        client = httpx2.AsyncClient(transport=transport, base_url="http://auth.test", timeout=60)
        yield Auth(await stack.enter_async_context(client), mailbox, admin_url, observations)
