"""How soon a closed app is told: from the server's answer to the push service, and its memory.

The push service is one on loopback by TLS. A proposal is made when the one before it was told; the
memory is what the stack's one process has grown by since before the first.
"""

from __future__ import annotations

import asyncio
import statistics
import tempfile
import time
from pathlib import Path
from typing import Any

from bench.abuse import resident_memory
from bench.figures import Figure, keep
from tests.harness_couple import Person, make_couple
from tests.harness_push import PushService, allowance, push_service
from tests.harness_stack import Stack, start_stack

PROPOSALS = 40
LIMIT_SECONDS = 5.0
MEMORY_MB = 25
TIMEOUT_SECONDS = 60
_PATH = "/told"


def print_push() -> None:
    """Print the figures."""
    asyncio.run(_deliveries())


async def _deliveries() -> None:
    with tempfile.TemporaryDirectory(prefix="bench-") as name:
        folder = Path(name)
        async with push_service(folder) as service:
            settings: Any = allowance(folder)
            stack = await asyncio.to_thread(lambda: start_stack(folder / "data", **settings))
            try:
                await _print(stack, service)
            finally:
                await asyncio.to_thread(stack.stop)


async def _print(stack: Stack, service: PushService) -> None:
    ana, luis = await asyncio.to_thread(make_couple, stack)
    before = resident_memory(stack.process.pid)
    await asyncio.to_thread(_register, luis, service)
    waits = [await _one(ana, service, number) for number in range(PROPOSALS)]
    grown = max(0.0, resident_memory(stack.process.pid) - before)
    late = statistics.quantiles(waits, n=20)[-1]
    middle = statistics.median(waits)
    print(
        f"commit to push server, p95  {late:6.2f} s   (target {LIMIT_SECONDS:.0f})"
        f"  median {middle:.2f} s, worst {max(waits):.2f} s of {PROPOSALS}\n"
        f"memory of the deliveries    {grown:6.1f} MB  (target {MEMORY_MB})"
    )
    keep(
        Figure("commit to push server, p95", late, "s", LIMIT_SECONDS, low=middle, high=max(waits))
    )
    keep(Figure("memory of the deliveries", grown, "MB", MEMORY_MB))


def _register(person: Person, service: PushService) -> None:
    target = service.browser(_PATH).target()
    made = person.rpc("registrar_dispositivo", **target, nombre="Móvil", zona="UTC")
    never = {"silencio_desde": None, "silencio_hasta": None}
    person.rpc("ajustar_dispositivo", id=made["id"], cambios=never)


async def _one(person: Person, service: PushService, number: int) -> float:
    """Seconds from the answer to the proposal until the push service has its message."""
    await asyncio.to_thread(person.create_activity, f"Plan {number}")
    began = time.perf_counter()
    async with asyncio.timeout(TIMEOUT_SECONDS):
        while len(service.at(_PATH)) <= number:  # noqa: ASYNC110 — another process sends it
            await asyncio.sleep(0.002)
    return time.perf_counter() - began
