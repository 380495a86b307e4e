"""The framing `aws-chunked` of signed and unsigned streams, removed as it arrives."""

from __future__ import annotations

import hashlib
import hmac
import re
from dataclasses import dataclass

from compat_base.values.errors import ApiError
from storage_compat import errors

_LINE = 256
_TRAILERS = 100
_SIZE = re.compile(rb"[0-9A-Fa-f]{1,15}")
_SIGNATURE = re.compile(rb"[0-9A-Fa-f]{64}")
_EMPTY = hashlib.sha256(b"").hexdigest()
_CUT = {
    "size": "Missing final chunk",
    "data": "Unexpected end of chunk data",
    "footer": "Missing CRLF after chunk data",
    "trailer": "Incomplete trailer section",
}


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
    """Decodes the framing to the object's bytes; ApiError for malformed framing."""

    def __init__(self, signer: ChunkSigner | None = None, *, has_trailer: bool = False) -> None:
        self._signer = signer
        self._has_trailer = has_trailer
        self._buffer = bytearray()
        self._left = 0
        self._trailers = 0
        self._is_last = False
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
        if self._state != "end":
            raise _refused(_CUT[self._state])

    def _step(self, out: bytearray) -> bool:
        match self._state:
            case "size":
                return self._read_size()
            case "data":
                return self._read_data(out)
            case "footer":
                return self._read_footer()
            case "trailer":
                return self._read_trailer()
            case _:
                if self._buffer:
                    raise _refused("Unexpected data after final chunk")
                return False

    def _read_size(self) -> bool:
        line = self._line("Invalid chunk header")
        if line is None:
            return False
        size, is_signed, signature = line.partition(b";chunk-signature=")
        if is_signed and not _SIGNATURE.fullmatch(signature):
            raise _refused("Invalid chunk header")
        if not _SIZE.fullmatch(size):
            raise _refused("Invalid chunk size")
        if self._signer is not None and not is_signed:
            raise ApiError.of(errors.S3_UNSIGNED_CHUNK)
        self._left = int(size, 16)
        self._signature = signature.decode()
        self._digest = hashlib.sha256()
        if self._left == 0:
            self._check()
            self._is_last = True
            self._state = "trailer" if self._has_trailer else "footer"
        else:
            self._state = "data"
        return True

    def _read_footer(self) -> bool:
        if len(self._buffer) < len(b"\r\n"):
            return False
        if not self._buffer.startswith(b"\r\n"):
            raise _refused(_CUT["footer"])
        del self._buffer[:2]
        self._state = "end" if self._is_last else "size"
        return True

    def _read_trailer(self) -> bool:
        line = self._line(_CUT["trailer"])
        if line is None:
            return False
        if not (self._trailers < _TRAILERS if line else self._trailers):
            raise _refused(_CUT["trailer"])
        self._trailers += 1
        if not line:
            self._state = "end"
        return True

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
            self._state = "footer"
        return True

    def _check(self) -> None:
        if self._signer is not None:
            self._signer.check(self._digest.hexdigest(), self._signature)

    def _line(self, reason: str) -> bytes | None:
        """The next line, None where it is not here whole; ApiError for one that is too long."""
        end = self._buffer.find(b"\r\n", 0, _LINE + 2)
        if end < 0:
            if len(self._buffer) > _LINE + 1:
                raise _refused(reason)
            return None
        line = bytes(self._buffer[:end])
        del self._buffer[: end + 2]
        return line


def _refused(reason: str) -> ApiError:
    return ApiError.of(errors.S3_CHUNKS, reason=reason)
