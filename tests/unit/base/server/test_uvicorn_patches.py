"""Which uvicorn may be changed inside."""

from __future__ import annotations

import pytest
import uvicorn

from compat_base.asgi import ReasonedStatus
from compat_base.server.uvicorn_patches import (
    TRIED,
    StatusLines,
    UntriedVersionError,
    check_version,
)


def test_the_installed_uvicorn_is_one_that_was_tried():
    check_version(uvicorn.__version__)


@pytest.mark.parametrize("version", ["0.53.9", "0.55.0", "1.0", "0.5"])
def test_an_untried_minor_version_of_uvicorn_is_refused_in_one_sentence(version: str):
    with pytest.raises(UntriedVersionError, match=rf"uvicorn {version} .* install uvicorn {TRIED}"):
        check_version(version)


def test_a_phrase_of_ones_own_is_one_line_of_utf8():
    assert StatusLines()[ReasonedStatus(404, "é\n😀")] == "HTTP/1.1 404 é 😀\r\n".encode()
