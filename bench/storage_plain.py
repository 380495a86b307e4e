"""What the storage service is measured beside: Starlette, a file, its MD5 and fsync.

PORT=8000 python -m bench.storage_plain FOLDER
"""

from __future__ import annotations

import asyncio
import hashlib
import os
import sys
from pathlib import Path
from typing import Any

import uvicorn
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import FileResponse, PlainTextResponse, Response
from starlette.routing import Route

FOLDER = Path(sys.argv[1] if len(sys.argv) > 1 else ".")


async def put(request: Request) -> Response:
    """Write the body to a draft and give it its name."""
    target = FOLDER / request.path_params["name"]
    draft = target.with_suffix(f".{id(request)}")
    digest = hashlib.md5(usedforsecurity=False)
    with draft.open("wb") as file:
        async for chunk in request.stream():
            digest.update(chunk)
            file.write(chunk)
        file.flush()
        await asyncio.to_thread(os.fsync, file.fileno())
    draft.rename(target)
    return PlainTextResponse(digest.hexdigest())


async def get(request: Request) -> Response:
    """Send the file."""
    return FileResponse(FOLDER / request.path_params["name"])


async def root(_request: Request) -> Response:
    """Whether this runs."""
    return PlainTextResponse("plain")


ROUTES: list[Any] = [
    Route("/", root),
    Route("/{name}", put, methods=["PUT"]),
    Route("/{name}", get, methods=["GET"]),
]

if __name__ == "__main__":
    port = int(os.environ["PORT"])
    uvicorn.run(Starlette(routes=ROUTES), port=port, access_log=False, log_level="warning")
