"""Names are the field's: words that were once used for standard things do not come back.

The left column is what a newcomer would search for in vain; the right one is the word to use.
Prose may use the plain English ones (`told`, `here`): only names of code are looked at.
"""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

from tests.architecture.test_laws import ROOT, SOURCES, nodes_of

# Names of tests, benches and examples count as those of code do.
READ = [
    *SOURCES,
    *(path for folder in ("tests", "bench", "examples") for path in (ROOT / folder).rglob("*.py")),
]
REPLACED = {
    "told": "what it is: effects, counts, members",
    "asked": "requested, wanted, pending, checked",
    "ask": "request, query, evaluate, fetch",
    "asking": "what it is: a request, a sender",
    "asker": "sender, client",
    "arrive": "what it does: resolve, receive",
    "hopeless": "unrecoverable",
    "mortal": "limited, stoppable",
    "is_asked": "what it is: is_checked, is_conditional",
    "tale": "failure",
    "story": "script",
    "play": "script",
    "door": "entry, the only importer",
    "doors": "importers",
    "house": "what it is: a socket, a server",
    "hears": "receives",
    "heard": "notified, received",
    "unheard": "unread",
    "hearing": "listening",
    "speaker": "sender",
    "said": "what it is: printed, logged, sent, message",
    "unsaid": "omitted",
    "says": "what it is: prints, reports",
    "saying": "what it is: writing, sending",
    "spoken": "what it is: sent, announced",
    "untold": "omitted, unreported",
    "tell": "report, notify, emit, send",
    "patience": "timeout",
    "mood": "behaviour",
    "heir": "standby",
    "owes": "lacks, has unsent",
    "chance": "jitter, random",
    "news": "changed",
    "goodbye": "close",
    "teller": "reporter",
    "sight": "visibility",
    "oracle": "visibility checker",
    "set_apart": "slow callers",
    "ear": "recipient",
    "ears": "recipients",
    "parcel": "batch",
    "remembered": "bounded cache",
    "growing_delay": "backoff",
    "stopwatch": "server timing",
    "role_path": "role claim",
    "guarding": "passwords",
    "trail": "audit",
    "posting": "mail",
    "issuing": "session tokens",
    "visit": "request context",
    "surroundings": "dependencies",
    "keeper": "manager",
    "letter": "message",
    "letters": "messages",
    "duties": "hooks",
    "reason_phrase": "the status' own phrase",
    "typed_param": "param",
}
ALLOWED = {
    # the effect of that name
    ("realtime_compat/protocol/effects.py", "ask"),
    ("realtime_compat/transports/websocket.py", "ask"),
    # a page is visited
    ("tests/harness_browser.py", "visit"),
    # characters of the alphabet
    ("tests/browser/test_design.py", "letter"),
    ("tests/service/storage/test_storage_folder_runs.py", "letters"),
    ("tests/service/storage/test_storage_races.py", "letter"),
    ("tests/unit/gotrue/rules/test_encryption.py", "letter"),
    ("tests/unit/rest/request/test_form_bodies.py", "letters"),
    ("tests/unit/stack/embedded/test_server_log.py", "letter"),
    ("compat_stack/project/kinds.py", "letters"),
    ("rest_compat/request/filters.py", "letter"),
    ("rest_compat/request/parsec.py", "letter"),
    ("rest_compat/request/filters.py", "letters"),
}


def names_in(path: Path) -> Iterator[tuple[str, int]]:
    """The names that a file gives to things, and the lines."""
    for node in nodes_of(path):
        match node:
            case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef():
                yield node.name, node.lineno
            case ast.arg():
                yield node.arg, node.lineno
            case ast.Name(ctx=ast.Store()):
                yield node.id, node.lineno
            case ast.Attribute(ctx=ast.Store()):
                yield node.attr, node.lineno
            case _:
                pass


def test_a_replaced_word_names_nothing():
    assert len(READ) > 1000
    old = [
        f"{file}:{line} {name}: {REPLACED[plain]}"
        for path in READ
        for name, line in names_in(path)
        if (plain := name.lower().strip("_")) in REPLACED
        and (file := path.relative_to(ROOT).as_posix(), plain) not in ALLOWED
    ]
    assert old == []


def test_no_file_is_called_by_a_replaced_word():
    files = [path.relative_to(ROOT) for path in SOURCES]
    found = [path for path in files if {path.stem, *path.parent.parts} & REPLACED.keys()]
    assert found == []


def test_a_class_name_means_one_thing_in_a_package():
    """But for the terms of RFC 9535, which paths into JSON have for themselves."""
    places: defaultdict[tuple[str, str], list[str]] = defaultdict(list)
    for path in SOURCES:
        file = path.relative_to(ROOT)
        for node in nodes_of(path):
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                places[file.parts[0], node.name].append(file.as_posix())
    shared = {
        name: files
        for name, files in places.items()
        if len([file for file in files if "/json_path/" not in file]) > 1
    }
    assert shared == {}
