"""Images in another size or format (storage reference 10)."""

from __future__ import annotations

from compat_base.values.errors import ApiError
from storage_compat import errors
from storage_compat.files.images import Rendered, Rendering
from storage_compat.model.stored import Stored
from storage_compat.ports import Dependencies
from storage_compat.rules.transformations import Transformation


async def render(
    deps: Dependencies,
    stored: Stored,
    transformation: Transformation,
    image_format: str | None,
    caller: str,
) -> Rendered:
    """Render an object's image; ApiError where it is none, too large, or the queue is full."""
    rendering = Rendering(
        width=transformation.width,
        height=transformation.height,
        resize=transformation.resize or "cover",
        quality=transformation.quality,
        format=image_format,
        gravity=transformation.gravity,
    )
    version = stored.version or ""
    kept = await deps.images.find(version, rendering)
    if kept is not None:
        return kept
    if stored.size > deps.settings.images.file_bytes:
        raise ApiError.of(errors.IMAGE_SIZE)
    source = deps.files.as_file(version)
    return await deps.images.render(version, source, rendering, caller)
