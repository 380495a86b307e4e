"""Images in their callers' turns."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager, closing
from dataclasses import replace
from pathlib import Path

import pytest

from compat_base.values.errors import ApiError
from storage_compat.files.images import Renderer, Rendering
from storage_compat.settings import read_settings

REQUIRED = {"AUTH_JWT_SECRET": "s", "DATABASE_URL": "postgresql://x"}
WHOLE = Rendering(None, None, "cover", None, None, None)


async def test_of_images_that_wait_no_source_is_opened(tmp_path: Path):
    opened = asyncio.Event()
    count = 0

    @asynccontextmanager
    async def source() -> AsyncGenerator[Path]:
        nonlocal count
        count += 1
        opened.set()
        await asyncio.Event().wait()  # as a copy of a slow store's
        yield tmp_path

    settings = replace(read_settings(REQUIRED).images, workers=1, queue=2)
    with closing(Renderer(settings, tmp_path)) as renderer:
        renderings = [
            asyncio.ensure_future(renderer.render(str(number), source(), WHOLE, "somebody"))
            for number in range(3)
        ]
        await opened.wait()
        with pytest.raises(ApiError) as refused:
            await renderer.render("late", source(), WHOLE, "somebody")
        for each in renderings:
            each.cancel()
        await asyncio.gather(*renderings, return_exceptions=True)
    assert (refused.value.problem.code, count) == ("SlowDown", 1)
