"""Requests of S3 signed as its clients sign them, sent to a service in memory."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any
from xml.etree import ElementTree as ET

import boto3
import httpx2
from botocore.auth import S3SigV4Auth
from botocore.awsrequest import AWSRequest
from botocore.client import Config
from botocore.credentials import Credentials

from tests.harness_storage import ANON, Storage

KEY = Credentials("625729a08b95bf1b7ff351a663f3a23c", "a secret of S3's for the tests")
S3_VARIABLES = {
    "S3_PROTOCOL_ACCESS_KEY_ID": KEY.access_key, "S3_PROTOCOL_ACCESS_KEY_SECRET": KEY.secret_key,
    "REGION": "local",
}  # fmt: skip


def client(
    address: str,
    key: str = KEY.access_key,
    secret: str = KEY.secret_key,
    session: str | None = None,
) -> Any:
    """The stock client of a service that is served at an address."""
    return boto3.client(
        "s3", endpoint_url=f"{address}/s3", aws_access_key_id=key, aws_secret_access_key=secret,
        aws_session_token=session, region_name="local",
        config=Config(
            s3={"addressing_style": "path"}, retries={"max_attempts": 1}, signature_version="s3v4"
        ),
    )  # fmt: skip


def session(token: str) -> Credentials:
    """The credentials of a user: the project's id, the anon key, and the user's token."""
    return Credentials("stub", ANON, token)


async def send(  # noqa: PLR0917 — a request's parts
    storage: Storage,
    method: str,
    path: str,
    headers: Mapping[str, str] | None = None,
    body: bytes = b"",
    key: Credentials = KEY,
) -> httpx2.Response:
    """Sign a request, by default with the access key, and send it."""
    url = f"http://storage.test{path}"
    request: Any = AWSRequest(method, url, headers=dict(headers or {}), data=body)
    request.context["payload_signing_enabled"] = True
    S3SigV4Auth(key, "s3", "local").add_auth(request)
    signed = {name: str(value) for name, value in request.headers.items()}
    return await storage.call(method, path, token=None, headers=signed, content=body or None)


def refused(answer: httpx2.Response) -> tuple[int, str, str]:
    """Status, code and message of a refusal."""
    root = ET.fromstring(answer.content)
    fields = {element.tag: element.text or "" for element in root}
    assert root.tag == "Error"  # without a namespace: boto3 finds no code in one
    assert list(fields) == ["Resource", "Code", "Message"]
    return answer.status_code, fields["Code"], fields["Message"]
