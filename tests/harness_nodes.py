"""Two stacks on one database with the same keys, and the balancers of `deploy/` before them."""

from __future__ import annotations

import re
import signal
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from tests.harness_clock import wrong_clock
from tests.harness_deploy import nginx_with
from tests.harness_programs import free_port, require_program, running
from tests.harness_stack import BY_ITSELF, ROOT, Stack, start_stack

SECRET = "a-secret-of-two-nodes-from-which-their-keys-follow"
DEPLOY = ROOT / "deploy"


class Nodes:
    """Two stacks with the same keys and no file in common; each is started anew at its port.

    `clocks`: the seconds by which the clock of each is fast.
    """

    def __init__(
        self, url: str, folder: Path, *, clocks: tuple[int, int] = (0, 0), **settings: str
    ) -> None:
        self._url = url
        self._folder = folder
        self._clocks = [wrong_clock(folder, seconds) if seconds else {} for seconds in clocks]
        self._settings = settings
        self.ports = [free_port(), free_port()]
        self.workers = ("1", "2")
        self.stacks: list[Stack] = []

    def start(self) -> None:
        """Start both at once; `stop` ends what has started though the other has not."""
        with ThreadPoolExecutor() as threads:
            starting = [threads.submit(self._start, number) for number in range(2)]
        self.stacks = [each.result() for each in starting if each.exception() is None]
        for each in starting:
            each.result()

    def _start(self, number: int) -> Stack:
        clock = self._clocks[number]  # which is read by who is loaded with it, not forked
        given = {
            "TRUSTED_PROXIES": "127.0.0.1",
            "JWT_SECRET": SECRET,
            "DRAIN_SECONDS": "3s",
            "WORKERS": self.workers[number],
            **clock,
            **self._settings,
        }
        return start_stack(
            self._folder / str(number),
            program=BY_ITSELF if clock else (),
            PORT=str(self.ports[number]),
            DATABASE_URL=self._url,
            **given,
        )

    def restart(self, number: int) -> None:
        """Stop one and start it again."""
        assert self.stacks[number].stop() == 0
        self.stacks[number] = self._start(number)

    def stop(self) -> None:
        """Stop both, by the signal that nobody has to find out of."""
        for stack in self.stacks:
            stack.stop(signal.SIGINT)


@dataclass(frozen=True, slots=True)
class Balancer:
    """A running balancer; its log tells which nodes it sends nobody to."""

    log: Path
    left: tuple[str, ...]  # a pattern for each node

    def has_left(self, node: int) -> bool:
        """Whether a check has failed for a node, by its place."""
        return re.search(self.left[node], self.log.read_text()) is not None


@contextmanager
def balanced(
    nodes: Sequence[int],
    folder: Path,
    port: int,
    *,
    program: str = "haproxy",
    balance: str = "leastconn",
) -> Iterator[Balancer]:
    """A balancer with its file of `deploy/` at a port, before nodes at theirs."""
    found = require_program(program)
    name, arguments = _FILES[program]
    text = (DEPLOY / name).read_text()
    for number, served in enumerate(nodes, 1):
        text = text.replace(f"node{number}:54321", f"127.0.0.1:{served}")
    text = text.replace("balance leastconn", f"balance {balance}")
    (folder / name).write_text(_AT[program](text, folder, port))
    folder.chmod(0o755)
    left = tuple(
        _LEFT.get(program, "").format(number=number, port=served)
        for number, served in enumerate(nodes, 1)
    )
    with running([found, *arguments, str(folder / name)], port, folder):
        yield Balancer(folder / "output.log", left)


_FILES = {
    "haproxy": ("haproxy-nodes.cfg", ("-db", "-f")),
    "caddy": ("Caddyfile-nodes", ("run", "--adapter", "caddyfile", "--config")),
    "nginx": ("nginx-nodes.conf", ("-c",)),
}
_LEFT = {  # nginx asks no node
    "haproxy": r"Server nodes/node{number} is DOWN",
    "caddy": r'"status code out of tolerances".*:{port}"',
}
_AT: dict[str, Callable[[str, Path, int], str]] = {
    "haproxy": lambda text, _folder, port: text.replace("bind :8080", f"bind 127.0.0.1:{port}"),
    "caddy": lambda text, _folder, port: (
        "{\n\tadmin off\n\tauto_https off\n}\n"
        + text.replace(":8080 {", f"http://:{port} {{\n\tbind 127.0.0.1")
    ),
    "nginx": lambda text, folder, port: nginx_with(
        text.replace("listen 8080", f"listen 127.0.0.1:{port}"), folder
    ),
}
