"""The configured maximum of rows, at every level of a read."""

from __future__ import annotations

from dataclasses import replace

from rest_compat.http.ranges import ZERO
from rest_compat.plan.read_tree import ReadNode


def cap_windows(node: ReadNode, max_rows: int | None) -> ReadNode:
    """Cap a node's window and those of everything below it.

    As in the original, a window that ends before the first row is that of `limit=0`, even if it
    also begins before (a negative limit).
    """
    is_zero = node.window.last == ZERO.last
    window = ZERO if is_zero else node.window.capped(max_rows)
    return replace(
        node,
        window=window,
        children=tuple(cap_windows(child, max_rows) for child in node.children),
    )
