"""The framing `aws-chunked` of signed and unsigned streams, removed as it arrives."""

from __future__ import annotations

import hashlib
import hmac
import re
from dataclasses import dataclass

from compat_base.values.errors import ApiError
from storage_compat import errors

_LINE = 4_096
_SIZE = re.compile(rb"[0-9A-Fa-f]{1,15}")
_EMPTY = hashlib.sha256(b"").hexdigest()


@dataclass(slots=True)
class ChunkSigner:
    """Checks the signature of each chunk, which is chained to the one before."""

    key: bytes
    date: str
    scope: str
    previous: str

    def check(self, digest: str, signature: str) -> None:
        """Refuse a chunk with a wrong signature."""
        parts = ("AWS4-HMAC-SHA256-PAYLOAD", self.date, self.scope, self.previous, _EMPTY, digest)
        text = "\n".join(parts)
        wanted = hmac.new(self.key, text.encode(), hashlib.sha256).hexdigest()
        if not hmac.compare_digest(wanted.encode(), signature.encode()):
            raise ApiError.of(errors.S3_SIGNATURE)
        self.previous = wanted


class ChunkDecoder:
    """Bytes of the framing in, bytes of the object out; `finish` refuses a stream that was cut."""

    def __init__(self, signer: ChunkSigner | None = None, *, has_trailer: bool = False) -> None:
        self._signer = signer
        self._has_trailer = has_trailer
        self._buffer = bytearray()
        self._left = 0
        self._trailers = 0
        self._state = "size"
        self._signature = ""
        self._digest = hashlib.sha256()

    def feed(self, data: bytes) -> bytes:
        """Decode some of the framing."""
        self._buffer += data
        out = bytearray()
        while self._step(out):
            pass
        return bytes(out)

    def finish(self) -> None:
        """Refuse a stream that was cut."""
        if self._state == "trailer" and self._has_trailer:
            raise ApiError.of(errors.S3_TRAILER)
        if self._state not in {"end", "trailer"}:
            raise ApiError.of(errors.S3_INCOMPLETE)

    def _step(self, out: bytearray) -> bool:
        match self._state:
            case "size":
                return self._read_size()
            case "data":
                return self._read_data(out)
            case "line":
                line = self._line()
                if line is None:
                    return False
                self._state = "size"
                return True
            case "trailer":
                return self._read_trailer()
            case _:
                self._buffer.clear()
                return False

    def _read_size(self) -> bool:
        line = self._line()
        if line is None:
            return False
        size, _, extension = line.partition(b";")
        if not _SIZE.fullmatch(size):
            raise ApiError.of(errors.S3_INCOMPLETE)
        self._left = int(size, 16)
        self._signature = extension.partition(b"chunk-signature=")[2].decode("latin-1").strip()
        self._digest = hashlib.sha256()
        if self._left == 0:
            self._check()
            self._state = "trailer"
        else:
            self._state = "data"
        return True

    def _read_trailer(self) -> bool:
        line = self._line()
        if line:
            self._trailers += 1
        elif line is not None:
            if self._has_trailer and not self._trailers:
                raise ApiError.of(errors.S3_TRAILER)
            self._state = "end"
        return bool(line)

    def _read_data(self, out: bytearray) -> bool:
        taken = bytes(self._buffer[: self._left])
        if not taken:
            return False
        del self._buffer[: len(taken)]
        self._left -= len(taken)
        out += taken
        if self._signer is not None:
            self._digest.update(taken)
        if self._left == 0:
            self._check()
            self._state = "line"
        return True

    def _check(self) -> None:
        if self._signer is not None:
            self._signer.check(self._digest.hexdigest(), self._signature)

    def _line(self) -> bytes | None:
        end = self._buffer.find(b"\r\n")
        if end < 0:
            if len(self._buffer) > _LINE:
                raise ApiError.of(errors.S3_INCOMPLETE)
            return None
        line = bytes(self._buffer[:end])
        del self._buffer[: end + 2]
        return line
