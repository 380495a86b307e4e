"""The head of an HTTP/1 request, validated before it is parsed: pure, over bytes.

The parser (llhttp, by httptools) refuses what two servers could read in two ways (request
smuggling): bare line feeds, folded headers, Content-Length twice or beside Transfer-Encoding. What
it accepts and should not, or refuses and the originals accept, is decided here (RFC 9112, sections
3 and 6).
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from http import HTTPStatus

from compat_base.server_limits import ServerLimits

END_OF_HEAD = b"\r\n\r\n"
Fields = list[tuple[bytes, bytes]]

STAND_IN = b"REPORT"  # a method without a meaning of its own to the parser
_LINE = re.compile(
    rb"([!#$%&'*+\-.^_`|~0-9A-Za-z]+) ([!-~\x80-\xff]+) HTTP/1\.([01])\r\n"
)  # Go's net/http and Warp take any byte of a target that is no control and no space
_ABSOLUTE = re.compile(rb"[A-Za-z][A-Za-z0-9+.-]*://([^/?#]*)")
_HOST_LINE = re.compile(rb"\r\nhost:([^\r]*+)\r\n", re.IGNORECASE)
_HOST = re.compile(
    rb"(?:\[[0-9A-Fa-f:.]++\]|(?:[A-Za-z0-9\-._~!$&'()*+,;=]|%[0-9A-Fa-f]{2})*+)(?::[0-9]*+)?"
)  # an IPv6 address, or what RFC 3986, section 3.2.2, takes as a name; empty where there is none
_PARSED = (b"GET ", b"POST ", b"PATCH ", b"DELETE ", b"PUT ", b"HEAD ", b"OPTIONS ")
_BROKEN_LINE = re.compile(rb"(?<!\r)\n|\r(?=[^\n])")
_RAW = re.compile(rb"[#\x80-\xff]")  # in a target; no target has a fragment
_ENCODING = b"transfer-encoding"
_LENGTH_DIGITS = 20  # of 64 bits; the parser takes any number of zeros before them
_SHORT = 8_192  # bytes; below, the lines are counted when they are parsed
_SOCKET_LINE = 8_190  # bytes; the WebSocket library reads no longer line


@dataclass(frozen=True, slots=True)
class Refusal:
    """A response to a request that no application sees; the connection is then closed."""

    status: int
    text: str


BAD_LINE = Refusal(400, "Invalid HTTP request line.")
BAD_LINE_END = Refusal(400, "Header lines must end with CR LF.")
BAD_REQUEST = Refusal(400, "Invalid HTTP request received.")
BAD_HOST = Refusal(400, "A request must have one Host header, a host and perhaps a port.")
OTHER_HOST = Refusal(400, "The request target and the Host header name two hosts.")
BAD_ENCODING = Refusal(501, "The only Transfer-Encoding is chunked.")
OLD_CHUNKED = Refusal(400, "HTTP/1.0 has no Transfer-Encoding.")
BAD_CHUNKS = Refusal(400, "The chunks of the body are too small, or its trailers too long.")
SLOW_HEAD = Refusal(408, "The head of the request took too long.")
SLOW_BODY = Refusal(408, "The body of the request took too long.")
BUSY = Refusal(503, "Too many connections.")
TOO_MANY_OF_ONE = Refusal(429, "Too many connections from one address.")
TOO_FAST = Refusal(429, "Too many new connections from one address.")


def too_long(limits: ServerLimits) -> Refusal:
    """The refusal of a long head."""
    return Refusal(431, f"Request line and headers may take {limits.head_bytes} bytes.")


def too_many(limits: ServerLimits) -> Refusal:
    """The refusal of a head of many lines."""
    return Refusal(431, f"A request may have {limits.head_fields} headers.")


def judge_part(part: bytes | bytearray, start: int, limits: ServerLimits) -> Refusal | None:
    """Validate an incomplete head; `start` is how much was validated before."""
    if len(part) > limits.head_bytes:
        return too_long(limits)
    if _BROKEN_LINE.search(part, max(0, start - 1)):
        return BAD_LINE_END
    return None


def judge_head(head: bytes, limits: ServerLimits) -> tuple[bytes, str | None] | Refusal:
    """Validate a whole head, with its empty line: the head for the parser, or its refusal.

    An unusual method is returned beside it, and replaced for the parser.
    """
    if len(head) > _SHORT:
        if len(head) > limits.head_bytes:
            return too_long(limits)
        if head.count(b"\n") - 2 > limits.head_fields:
            return too_many(limits)
    line = _LINE.match(head)
    if line is None:
        return BAD_LINE
    target = line[2]
    if not target.startswith(b"/"):
        absolute = _ABSOLUTE.match(target)
        if absolute and _is_other_host(head, absolute[1]):
            return OTHER_HOST
        if absolute and target[absolute.end() :][:1] in {b"", b"?", b"#"}:  # RFC 9110, 4.2.3
            target = target[: absolute.end()] + b"/" + target[absolute.end() :]
    if not head.isascii() or b"#" in target:
        target = _RAW.sub(lambda found: b"%%%02X" % found[0][0], target)
    if target != line[2]:
        head = head[: line.start(2)] + target + head[line.end(2) :]
    if head.startswith(_PARSED):
        return head, None
    return STAND_IN + head[line.end(1) :], line[1].decode()


def _is_other_host(head: bytes, authority: bytes) -> bool:
    """Whether an absolute target's authority, which wins over Host (RFC 9112, 3.2.2), differs."""
    host = _HOST_LINE.search(head)
    return bool(host and authority.lower() != host[1].strip(b" \t").lower())


def judge_fields(fields: Fields, version: str, limits: ServerLimits) -> Refusal | None:
    """Validate parsed headers, names in lower case."""
    names = [name for name, _ in fields]
    if len(names) > limits.head_fields:
        return too_many(limits)
    hosts = [value for name, value in fields if name == b"host"]
    if len(hosts) != 1 and (hosts or version == "1.1"):
        return BAD_HOST
    if hosts and not _HOST.fullmatch(hosts[0]):
        return BAD_HOST
    if b"content-length" in names and len(dict(fields)[b"content-length"]) > _LENGTH_DIGITS:
        return BAD_REQUEST
    if _ENCODING in names:
        if version != "1.1":
            return OLD_CHUNKED
        # several lines are one list (RFC 9110, section 5.3), of which the parser reads the last
        if any(value.lower() != b"chunked" for name, value in fields if name == _ENCODING):
            return BAD_ENCODING
    return None


def is_handshake(method: bytes, version: str, fields: Fields) -> bool:
    """Whether a request is a well-formed WebSocket handshake.

    Any other Upgrade is ignored, as a server may (RFC 9110, section 7.8).
    """
    names = [name for name, _ in fields]
    values = dict(fields)
    tokens = values.get(b"connection", b"").lower().split(b",")
    return (
        (method, version) == (b"GET", "1.1")
        and names.count(b"upgrade") == names.count(b"connection") == 1
        and values[b"upgrade"].lower() == b"websocket"
        and b"upgrade" in [token.strip() for token in tokens]
        and _ENCODING not in names
        and values.get(b"content-length", b"0") == b"0"
    )


def judge_handshake(head: bytes) -> Refusal | None:
    """Validate a handshake: the WebSocket library reads no longer lines."""
    if max(map(len, head.split(b"\r\n"))) > _SOCKET_LINE:
        return Refusal(431, f"A line of a handshake may take {_SOCKET_LINE} bytes.")
    return None


def without_upgrade(head: bytes) -> bytes:
    """The head without Upgrade: with one, the parser would not read the body."""
    rows = head.split(b"\r\n")
    return b"\r\n".join(row for row in rows if not row.lower().startswith(b"upgrade:"))


def refusal_answer(refusal: Refusal, defaults: Iterable[tuple[bytes, bytes]]) -> bytes:
    """The headers and the text of a refusal, behind its status line."""
    text = refusal.text.encode()
    fields = [
        *defaults,
        (b"content-type", b"text/plain; charset=utf-8"),
        (b"content-length", b"%d" % len(text)),
        (b"connection", b"close"),
    ]
    if refusal.status == HTTPStatus.TOO_MANY_REQUESTS:
        fields.append((b"retry-after", b"1"))
    return b"".join([b"%b: %b\r\n" % field for field in fields]) + b"\r\n" + text
