"""A process that has imported our programs, and forks for each one that a test starts.

Half of what `python -m compat_stack serve` takes of the processor until it serves is imports. A
program made here finds them done, and else is as `python -m` makes it: it takes the arguments, the
environment, the folder and the output that it is given, leads a session, and runs the module.
Passwords are hashed at the lowest cost.

`harness_fork` starts this and asks it. It has no thread and no event loop, which no fork survives.
"""

from __future__ import annotations

import json
import os
import runpy
import signal
import socket
import sys
import threading
import time
from contextlib import suppress
from typing import Any

import bcrypt

from compat_base.egress.guarded import tls_context
from compat_base.process import import_uncollected

PROGRAMS = ("compat_stack", "rest_compat", "gotrue_compat", "realtime_compat", "storage_compat")
# What programs load by name once they know what they are to do.
_NAMED = (
    "compat_stack.app",
    "compat_stack.commands",
    "compat_stack.operate.commands",
    "compat_stack.workers",
    "rest_compat.process.cli",
    "anyio._backends._asyncio",
)
REQUEST_BYTES = 1 << 20
_CHEAP = 4  # bcrypt's lowest cost: a sixtieth of the processor that a password takes at 10


def serve(control: socket.socket) -> None:
    """Fork for each request until nobody asks any more; returns then, or in a forked program.

    A request is JSON, with the descriptors of standard input, output and error, and of a socket
    that is told the program's number and, once it has ended, its status.
    """
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # no zombies
    while True:
        request, descriptors, _, _ = socket.recv_fds(control, REQUEST_BYTES, 4)
        if not request:
            return
        if os.fork() == 0:
            control.detach()
            signal.signal(signal.SIGCHLD, signal.SIG_DFL)
            _watch_over(json.loads(request), descriptors)
            return
        for descriptor in descriptors:
            os.close(descriptor)


def _watch_over(request: dict[str, Any], descriptors: list[int]) -> None:
    """Fork once more: the program runs in the child, and returns; its parent tells how it ended."""
    *standard, report = descriptors
    pid = os.fork()
    if pid == 0:
        _become(request, standard)
        return
    for descriptor in standard:
        os.close(descriptor)
    with suppress(BrokenPipeError):  # nobody waits for it any more
        os.write(report, str(pid).encode())
        _, status = os.waitpid(pid, 0)
        os.write(report, str(os.waitstatus_to_exitcode(status)).encode())
    os._exit(0)


def _become(request: dict[str, Any], standard: list[int]) -> None:
    os.setsid()
    for number, descriptor in enumerate(standard):
        os.dup2(descriptor, number)
    os.closerange(3, os.sysconf("SC_OPEN_MAX"))
    os.chdir(request["folder"])
    os.environ.clear()
    os.environ.update(request["environment"])
    time.tzset()
    program, *sys.argv[1:] = request["arguments"]
    runpy.run_module(program, run_name="__main__", alter_sys=True)


def _import_programs() -> None:
    for name in (*(f"{program}.__main__" for program in PROGRAMS), *_NAMED):
        import_uncollected(name)
    for program in PROGRAMS:
        del sys.modules[f"{program}.__main__"]  # each runs its own
    salt = bcrypt.gensalt
    bcrypt.gensalt = lambda rounds=12, prefix=b"2b": salt(_CHEAP, prefix)
    tls_context()  # the machine's authorities, which are kept: a program with others reads its own
    assert threading.active_count() == 1


if __name__ == "__main__":
    _import_programs()
    serve(socket.socket(fileno=int(sys.argv[1])))
