"""The server's pure parts, and what it asks of uvicorn."""

from __future__ import annotations

import io

import pytest
import uvicorn

from compat_base.server.frames import frame_size
from compat_base.server.heads import Refusal, judge_head, judge_part
from compat_base.server.uvicorn_patches import TRIED, UntriedVersionError, check_version
from compat_base.server.websocket_protocol import Allowance, spend
from compat_base.server_limits import ServerLimits, connection_limit
from compat_base.values.events import Observation, Severity, log_sink
from compat_base.values.world import real_world

LIMITS = ServerLimits()


def test_the_installed_uvicorn_is_one_that_was_tried():
    check_version(uvicorn.__version__)


@pytest.mark.parametrize("version", ["0.53.9", "0.55.0", "1.0", "0.5"])
def test_an_untried_minor_version_of_uvicorn_is_refused_in_one_sentence(version: str):
    with pytest.raises(UntriedVersionError, match=rf"uvicorn {version} .* install uvicorn {TRIED}"):
        check_version(version)


@pytest.mark.parametrize(
    ("data", "size"),
    [
        (b"", None),
        (b"\x81", None),
        (b"\x81\x80", 6),
        (b"\x81\x05", 7),
        (b"\x81\xfe\x01", None),
        (b"\x81\xfe\x01\x00", 264),
        (b"\x82\xff" + bytes(7), None),
        (b"\x82\xff" + (1 << 40).to_bytes(8, "big"), (1 << 40) + 14),
    ],
)
def test_the_size_of_a_frame_is_in_its_header(data: bytes, size: int | None):
    assert frame_size(data) == size


def test_a_method_that_the_parser_does_not_know_is_shown_to_it_as_another():
    head = b"BREW / HTTP/1.1\r\nhost: x\r\n\r\n"
    assert judge_head(head, LIMITS) == (head.replace(b"BREW", b"REPORT"), "BREW")


@pytest.mark.parametrize("cut", range(1, 12))
def test_a_bare_line_feed_is_found_wherever_a_head_is_cut(cut: int):
    head = b"GET / HTTP/1.1\r\na: b\nc"
    start = len(head) - cut
    found = [judge_part(head[:start], 0, LIMITS), judge_part(head, start, LIMITS)]
    assert [one.status for one in found if isinstance(one, Refusal)][:1] == [400]


def test_what_was_spent_comes_back_with_time_and_no_further_than_the_most():
    allowance = Allowance(2, 0)
    for left in (1, 0, -1):
        allowance = spend(allowance, 0, 2, 1)
        assert allowance.left == left
    assert spend(allowance, 2, 2, 1).left == 0
    assert spend(allowance, 99, 2, 1).left == 1


@pytest.mark.parametrize(("descriptors", "most"), [(1024, 768), (20, 16), (8, 16)])
def test_descriptors_bound_the_connections(descriptors: int, most: int):
    assert connection_limit(LIMITS, descriptors) == most
    assert connection_limit(ServerLimits(connections=5), descriptors) == 5


def test_a_log_whose_reader_is_gone_fails_nobody():
    class Gone(io.StringIO):
        def write(self, text: str) -> int:
            raise BrokenPipeError

    closed = io.StringIO()
    closed.close()
    for stream in (Gone(), closed):
        log_sink(real_world().clock, stream=stream)(Observation("seen", Severity.ERROR))
