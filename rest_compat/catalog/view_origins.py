"""Where a view's columns come from, read out of its parsed definition.

PostgreSQL keeps a view as a printed tree of nodes. Each entry of the outermost target list says
which column of which relation it shows unchanged (`:resorigtbl`, `:resorigcol`; 0 for anything
computed). Only those entries are read; everything deeper is skipped by counting braces.
"""

from __future__ import annotations

import re

Origins = dict[int, tuple[int, int]]

_TOKEN = re.compile(
    r"\\."
    r"|(?P<open>\{)"
    r"|(?P<close>\})"
    r"|:targetList(?P<list>) "
    r"|:(?P<field>resno|resorigtbl|resorigcol) (?P<number>\d+)"
    r"|:(?P<other>override|onConflict|returningList) ",
    re.DOTALL,
)
_QUERY, _ENTRY = 1, 2  # nesting depths


def view_origins(definition: str) -> Origins:
    """Column number → (relation's oid, column number) for the unchanged columns of a view."""
    origins: Origins = {}
    depth, in_list = 0, False
    entry: dict[str, int] = {}
    for token in _TOKEN.finditer(definition):
        kind = token.lastgroup
        if kind == "open":
            depth += 1
        elif kind == "close":
            if depth == _ENTRY and in_list and entry.get("resorigtbl"):
                origins[entry["resno"]] = (entry["resorigtbl"], entry["resorigcol"])
            if depth == _ENTRY:
                entry = {}
            depth -= 1
        elif depth == _QUERY and kind in {"list", "other"}:
            in_list = kind == "list"
        elif depth == _ENTRY and in_list and kind == "number":
            entry[token.group("field")] = int(token.group("number"))
    return origins
