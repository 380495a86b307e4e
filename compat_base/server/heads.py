"""The head of an HTTP/1 request, judged before it is parsed: pure, over bytes.

The parser (llhttp, by httptools) refuses what two servers could read in two ways: bare line feeds,
folded headers, Content-Length twice or beside Transfer-Encoding. What it lets pass and should not,
or refuses and the originals do not, is decided here (RFC 9112, sections 3 and 6).
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from compat_base.server_limits import ServerLimits

END_OF_HEAD = b"\r\n\r\n"
STAND_IN = b"REPORT"  # a method without a meaning of its own to the parser
_LINE = re.compile(
    rb"([!#$%&'*+\-.^_`|~0-9A-Za-z]+) ([^\x00-\x20\x7f]+) HTTP/1\.([01])\r\n"
)  # Go's net/http and Warp take any byte of a target that is no control and no space
_PARSED = (b"GET ", b"POST ", b"PATCH ", b"DELETE ", b"PUT ", b"HEAD ", b"OPTIONS ")
_BROKEN_LINE = re.compile(rb"(?<!\r)\n|\r(?=[^\n])")
_NOT_ASCII = re.compile(rb"[\x80-\xff]")
_TRANSFER_ENCODING = re.compile(rb"\r\ntransfer-encoding:[ \t]*([^\r]*?)[ \t]*\r")
_UPGRADE = re.compile(rb"\r\nupgrade:[ \t]*([^\r]*?)[ \t]*(?=\r)")
_CONNECTION_UPGRADE = re.compile(rb"\r\nconnection:[^\r]*?(?<=[:, \t])upgrade[ \t]*[,\r]")
_BODY = re.compile(rb"\r\n(?:transfer-encoding:|content-length:[ \t]*(?!0[ \t]*\r))")
_SOCKET_LINE = 8_190  # bytes; the WebSocket library reads no longer line


@dataclass(frozen=True, slots=True)
class Refusal:
    """An answer to a request that no application sees; the connection is closed after it."""

    status: int
    text: str


@dataclass(frozen=True, slots=True)
class Head:
    """A head as the parser is to see it; `method` is the client's where the parser sees another."""

    data: bytes
    method: str | None = None


BAD_LINE = Refusal(400, "Invalid HTTP request line.")
BAD_LINE_END = Refusal(400, "Header lines must end with CR LF.")
BAD_REQUEST = Refusal(400, "Invalid HTTP request received.")
BAD_HOST = Refusal(400, "A request must have one Host header.")
BAD_ENCODING = Refusal(501, "The only Transfer-Encoding is chunked.")
OLD_CHUNKED = Refusal(400, "HTTP/1.0 has no Transfer-Encoding.")
BAD_CHUNKS = Refusal(400, "The chunks of the body are too small, or its trailers too long.")
SLOW_HEAD = Refusal(408, "The head of the request took too long.")
SLOW_BODY = Refusal(408, "The body of the request took too long.")
BUSY = Refusal(503, "Too many connections.")


def too_long(limits: ServerLimits) -> Refusal:
    """The refusal of a long head."""
    return Refusal(431, f"Request line and headers may take {limits.head_bytes} bytes.")


def too_many(limits: ServerLimits) -> Refusal:
    """The refusal of a head of many lines."""
    return Refusal(431, f"A request may have {limits.head_fields} headers.")


def judge_part(part: bytes | bytearray, start: int, limits: ServerLimits) -> Refusal | None:
    """What is wrong already with a head whose end has not come; `start` was judged before."""
    if len(part) > limits.head_bytes:
        return too_long(limits)
    if _BROKEN_LINE.search(part, max(0, start - 1)):
        return BAD_LINE_END
    return None


def judge(head: bytes, limits: ServerLimits) -> Head | Refusal:
    """A whole head, with its empty line, as the parser is to see it; or why it is refused."""
    if len(head) > limits.head_bytes:
        return too_long(limits)
    if head.count(b"\n") - 2 > limits.head_fields:
        return too_many(limits)
    line = _LINE.match(head)
    if line is None:
        return BAD_LINE
    lower = head.lower()
    is_old = line[3] == b"0"
    hosts = lower.count(b"\r\nhost:")
    if hosts != 1 and (hosts > 1 or not is_old):
        return BAD_HOST
    if b"\r\ntransfer-encoding:" in lower:
        encoding = _TRANSFER_ENCODING.search(lower)
        if is_old:
            return OLD_CHUNKED
        if encoding is None or encoding[1] != b"chunked":
            return BAD_ENCODING
    if b"\r\nupgrade:" in lower:
        refusal, head = _judge_upgrade(head, lower, line)
        if refusal is not None:
            return refusal
    if not head.isascii():
        head = _escaped(head, line)
    if head.startswith(_PARSED):
        return Head(head)
    return Head(STAND_IN + head[line.end(1) :], line[1].decode())


def _judge_upgrade(
    head: bytes, lower: bytes, line: re.Match[bytes]
) -> tuple[Refusal | None, bytes]:
    """A request for a WebSocket; any other Upgrade is ignored, as a server may (RFC 9110, 7.8).

    It is taken out, because the parser would end the request with it and take its body for the
    next request.
    """
    wanted = _UPGRADE.search(lower)
    is_socket = (
        wanted is not None
        and wanted[1] == b"websocket"
        and lower.count(b"\r\nupgrade:") == lower.count(b"\r\nconnection:") == 1
        and line[1] == b"GET"
        and line[3] == b"1"
        and _CONNECTION_UPGRADE.search(lower) is not None
        and _BODY.search(lower) is None
    )
    if not is_socket:
        kept = head.split(b"\r\n")
        kept = [row for row in kept if not row.lower().startswith(b"upgrade:")]
        return None, b"\r\n".join(kept)
    longest = max(len(row) for row in head.split(b"\r\n"))
    if longest > _SOCKET_LINE:
        return Refusal(431, f"A line of a handshake may take {_SOCKET_LINE} bytes."), head
    return None, head


def _escaped(head: bytes, line: re.Match[bytes]) -> bytes:
    """The head with the target's raw bytes beyond ASCII percent-encoded."""
    target = _NOT_ASCII.sub(lambda found: b"%%%02X" % found[0][0], line[2])
    return head[: line.start(2)] + target + head[line.end(2) :]
