"""All changes inside uvicorn that a subclass cannot make; subclasses are in the protocol modules.

`install` refuses a uvicorn of another minor version than the one this was tried with: private
names may have moved. To allow a new one, run the tests of the server and change `TRIED`.
"""

from __future__ import annotations

import logging

import uvicorn
from uvicorn.protocols.http import httptools_impl

from compat_base.asgi import ReasonedStatus
from compat_base.server.exchange import Exchange
from compat_base.values.errors import OperatorError

TRIED = "0.54"


class UntriedVersionError(OperatorError):
    """The installed uvicorn is of a version for which the patches are untested."""


class StatusLines(dict[int, bytes]):
    """uvicorn's status lines, with phrases of one's own and statuses beyond 599."""

    def __getitem__(self, status: int) -> bytes:
        """The line of a status, which may carry its own phrase."""
        if isinstance(status, ReasonedStatus):
            phrase = " ".join(status.reason.split()).encode(errors="replace")
            return b"HTTP/1.1 %d %s\r\n" % (status, phrase)
        return super().__getitem__(status)

    def __missing__(self, status: int) -> bytes:
        """Statuses without a name."""
        return b"HTTP/1.1 %d \r\n" % status


_SUPPRESSED = frozenset(
    {
        "Application startup failed. Exiting.",  # what failed is logged with its reason
        "Invalid UTF-8 sequence received from client.",  # else any client fills the log
    }
)


def _is_logged(record: logging.LogRecord) -> bool:
    """Whether a record of uvicorn's is logged."""
    return record.msg not in _SUPPRESSED


def check_version(version: str) -> None:
    """Raise UntriedVersionError for a uvicorn of another minor version."""
    if version.split(".")[:2] != TRIED.split("."):
        raise UntriedVersionError(
            f"uvicorn {version} is installed, but this server changes its inside and was tried"
            f" with {TRIED} alone: install uvicorn {TRIED}"
        )


def install() -> None:
    """Make the changes, once; they are of the whole process. Raises UntriedVersionError."""
    check_version(uvicorn.__version__)
    logging.getLogger("uvicorn.error").addFilter(_is_logged)
    # uvicorn looks every status up in this table: there is no other place for a reason phrase.
    if not isinstance(httptools_impl.STATUS_LINE, StatusLines):
        httptools_impl.STATUS_LINE = StatusLines(httptools_impl.STATUS_LINE)
    # Its protocol takes this name for the class of a request with its response.
    httptools_impl.RequestResponseCycle = Exchange
