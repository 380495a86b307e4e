"""Two stacks on one database with the same keys, and HAProxy before them."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.harness_clock import wrong_clock
from tests.harness_programs import free_port, require_program, running
from tests.harness_stack import ROOT, Stack, start_stack

SHARED = ("keys.env", "signing_keys.json")


class Nodes:
    """Two stacks with the same keys; each is started anew at its port.

    `clocks`: the seconds by which the clock of each is fast.
    """

    def __init__(
        self, url: str, folder: Path, *, clocks: tuple[int, int] = (0, 0), **settings: str
    ) -> None:
        self._url = url
        self._folder = folder
        self._clocks = clocks
        self._settings = settings
        self.ports = [free_port(), free_port()]
        self.stacks: list[Stack] = []

    def start(self) -> None:
        """Start the first, and the second with its keys."""
        self.stacks.append(self._start(0))
        other = self._folder / "1"
        other.mkdir(mode=0o700)
        for name in SHARED:
            shutil.copy(self._folder / "0" / name, other / name)
        self.stacks.append(self._start(1))

    def _start(self, number: int) -> Stack:
        clock = self._clocks[number]
        own = wrong_clock(self._folder, clock) if clock else {}
        given = {"TRUSTED_PROXIES": "127.0.0.1", **own, **self._settings}
        return start_stack(
            self._folder / str(number),
            PORT=str(self.ports[number]),
            DATABASE_URL=self._url,
            **given,
        )

    def restart(self, number: int) -> None:
        """Stop one and start it again."""
        assert self.stacks[number].stop() == 0
        self.stacks[number] = self._start(number)

    def stop(self) -> None:
        """Stop both."""
        for stack in self.stacks:
            stack.stop()


@contextmanager
def balanced(
    nodes: Nodes, folder: Path, port: int, *, balance: str = "leastconn"
) -> Iterator[None]:
    """HAProxy with the file of `deploy/` at a port."""
    program = require_program("haproxy")
    text = (ROOT / "deploy" / "haproxy-nodes.cfg").read_text()
    text = text.replace("bind :8080", f"bind 127.0.0.1:{port}")
    text = text.replace("balance leastconn", f"balance {balance}")
    for number, served in enumerate(nodes.ports, 1):
        text = text.replace(f"node{number}:54321", f"127.0.0.1:{served}")
    (folder / "haproxy.cfg").write_text(text)
    with running([program, "-db", "-f", str(folder / "haproxy.cfg")], port, folder):
        yield
