"""What `/readyz` says of the workers."""

from __future__ import annotations

from compat_base.workers.board import Board
from compat_stack.observe.probes import workers_check


async def test_it_is_ready_only_while_every_slot_has_a_ready_worker():
    board = Board(2)
    board.set(0, is_ready=True)
    assert await workers_check(board)() == "1 of 2 are ready"
    board.set(1, is_ready=True)
    assert await workers_check(board)() is None
    board.set(0, is_ready=False)
    assert await workers_check(board)() == "1 of 2 are ready"
