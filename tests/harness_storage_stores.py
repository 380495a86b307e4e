"""Object stores that are not ours: JuiceFS's S3 gateway, and Google's XML API before it."""

from __future__ import annotations

import asyncio
import json
import subprocess
from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import asynccontextmanager, contextmanager, nullcontext
from pathlib import Path
from typing import Any
from urllib.parse import quote

import boto3
import httpx2
import uvicorn
from botocore.auth import S3SigV4Auth
from botocore.awsrequest import AWSRequest
from botocore.config import Config
from botocore.credentials import Credentials
from starlette.requests import Request
from starlette.responses import Response

from compat_base.sockets import listen
from tests.harness_programs import free_port, require_package_program, running

KEY, SECRET = "the service", "a secret of the store's"
BUCKET = "store"
_GOOGLE = "x-goog-"


@contextmanager
def juicefs_gateway(folder: Path) -> Iterator[Any]:
    """A stock client of the gateway, whose one bucket has the name of its volume."""
    juicefs = require_package_program("juicefs")
    port = free_port()
    volume = f"sqlite3://{folder}/names.db"
    blocks = ("--storage", "file", "--bucket", f"{folder}/blocks/")
    subprocess.run([juicefs, "format", "--quiet", *blocks, volume, BUCKET], check=True, cwd=folder)
    command = [
        juicefs, "gateway", "--no-usage-report", "--no-bgjob", "--no-banner", "--keep-etag",
        "--cache-dir", "memory", "--buffer-size", "32M", "--log", f"{folder}/gateway.log",
        "--metrics", "127.0.0.1:0", volume, f"127.0.0.1:{port}",
    ]  # fmt: skip
    keys = {"MINIO_ROOT_USER": KEY, "MINIO_ROOT_PASSWORD": SECRET}
    with running(command, port, folder, variables=keys):
        client = boto3.client(
            "s3", endpoint_url=f"http://127.0.0.1:{port}", region_name="us-east-1",
            aws_access_key_id=KEY, aws_secret_access_key=SECRET,
            config=Config(retries={"total_max_attempts": 20}),  # it listens before it is ready
        )  # fmt: skip
        client.head_bucket(Bucket=BUCKET)
        yield client


@asynccontextmanager
async def google_storage(store: Any, folder: Path) -> AsyncIterator[dict[str, str]]:
    """The variables of a service whose bytes are in Google's store.

    Google's XML API is S3's with other names of headers and a bearer's token: what comes is signed
    and handed on to a server of S3.
    """
    async with httpx2.AsyncClient(base_url=store.meta.endpoint_url, timeout=60) as behind:

        async def translate(scope: Any, receive: Any, send: Any) -> None:
            request = Request(scope, receive)
            answer = await _handed_on(request, behind)
            await answer(scope, receive, send)

        listening = listen("127.0.0.1", 0)
        options = {"log_config": None, "lifespan": "off", "access_log": False}
        server = uvicorn.Server(uvicorn.Config(translate, **options))
        server.capture_signals = nullcontext  # the tests own the signals
        task = asyncio.get_running_loop().create_task(server.serve(sockets=[listening]))
        address = f"http://127.0.0.1:{listening.getsockname()[1]}"
        account = folder / "account.json"
        account.write_text(json.dumps(_ACCOUNT | {"gcs_base_url": address}))
        try:
            yield {
                "STORAGE_BACKEND": "url", "STORAGE_URL": f"gs://{BUCKET}",
                "GOOGLE_SERVICE_ACCOUNT": str(account), "GOOGLE_BASE_URL": address,
            }  # fmt: skip
        finally:
            server.should_exit = True
            await task


_ACCOUNT = {"disable_oauth": True, "client_email": "", "private_key": "", "private_key_id": ""}
_KEPT = {"content-type", "range", "if-match", "if-none-match"}
_LEFT_OUT = {"transfer-encoding", "connection", "content-encoding", "date", "server"}


async def _handed_on(request: Request, behind: httpx2.AsyncClient) -> Response:
    headers = {
        _amazons(name): value
        for name, value in request.headers.items()
        if name in _KEPT or name.startswith(_GOOGLE)
    }
    body = await request.body()
    url = f"{str(behind.base_url).rstrip('/')}{quote(request.scope['path'])}"
    query = request.scope["query_string"].decode()
    signed = AWSRequest(
        method=request.method, url=f"{url}?{query}" if query else url, data=body, headers=headers
    )
    S3SigV4Auth(Credentials(KEY, SECRET), "s3", "us-east-1").add_auth(signed)
    sent = signed.prepare()
    answer = await behind.request(
        request.method, sent.url, content=body, headers=_texts(sent.headers)
    )
    kept = {name: value for name, value in answer.headers.items() if name not in _LEFT_OUT}
    return Response(answer.content, answer.status_code, kept)


def _amazons(name: str) -> str:
    """Amazon's name of a header of Google's."""
    return name.replace(_GOOGLE, "x-amz-")


def _texts(headers: Mapping[str, Any]) -> dict[str, str]:
    return {
        name: value.decode() if isinstance(value, bytes) else value
        for name, value in headers.items()
    }
