"""Where a view's columns come from, read out of its parsed definition.

PostgreSQL keeps a view as a printed tree of nodes. Each entry of the outermost target list says
which column of which relation it shows unchanged (`:resorigtbl`, `:resorigcol`; 0 for anything
computed). Only those entries are read; what stands before them is skipped by counting braces, and
what is deeper by their tokens.
"""

from __future__ import annotations

import re

Origins = dict[int, tuple[int, int]]

_ESCAPED = re.compile(r"\\.", re.DOTALL)
_TOKEN = re.compile(
    r"(?P<open>\{)"
    r"|(?P<close>\})"
    r"|:(?P<field>resno|resorigtbl|resorigcol) (?P<number>\d+)"
    r"|:(?P<end>override) "
)
_LIST = ":targetList "
_QUERY, _ENTRY = 1, 2  # nesting depths


def view_origins(definition: str) -> Origins:
    """Column number → (relation's oid, column number) for the unchanged columns of a view."""
    text = _ESCAPED.sub("", definition) if "\\" in definition else definition
    origins: Origins = {}
    depth = _QUERY
    entry: dict[str, int] = {}
    for token in _TOKEN.finditer(text, _outermost_list(text)):
        kind = token.lastgroup
        if kind == "open":
            depth += 1
        elif kind == "close":
            if depth == _ENTRY:
                if entry.get("resorigtbl"):
                    origins[entry["resno"]] = (entry["resorigtbl"], entry["resorigcol"])
                entry = {}
            depth -= 1
        elif depth == _QUERY and kind == "end":
            break
        elif depth == _ENTRY and kind == "number":
            entry[token.group("field")] = int(token.group("number"))
    return origins


def _outermost_list(text: str) -> int:
    """Where the target list of the query itself begins; its end, where there is none."""
    depth = position = 0
    while (found := text.find(_LIST, position)) >= 0:
        depth += text.count("{", position, found) - text.count("}", position, found)
        if depth == _QUERY:
            return found
        position = found + len(_LIST)
    return len(text)
