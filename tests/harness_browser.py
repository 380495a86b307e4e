"""How the browser ring starts Chromium: an installed one where there is one, else Playwright's own."""

from __future__ import annotations

import shutil
from typing import Any

# Background work of the browser itself is refused on a closed network, many requests at a time.
_ARGUMENTS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]


def chromium_options() -> dict[str, Any]:
    """Options of `chromium.launch`."""
    installed = shutil.which("chromium") or shutil.which("chromium-browser")
    options: dict[str, Any] = {"args": _ARGUMENTS}
    return {**options, "executable_path": installed} if installed else options
