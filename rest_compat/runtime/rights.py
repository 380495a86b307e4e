"""Privileges to write a relation or call a function, checked before a large body is read.

The answer is PostgreSQL's own error text; a role with a privilege on any column, or any function of
the name, passes, and so does whatever PostgreSQL does not know.
"""

from __future__ import annotations

from compat_base.postgres.faults import Fault
from compat_base.postgres.results import Result
from compat_base.values.sqltext import Statement
from rest_compat.api_request.model import Action, RelationAction, RoutineAction, Verb

_RELATION = (
    "SELECT has_schema_privilege(r.oid, n.oid, 'USAGE'),"
    " has_any_column_privilege(r.oid, c.oid, $4), c.relkind::text"
    " FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace, pg_roles r"
    " WHERE r.rolname = $1 AND n.nspname = $2 AND c.relname = $3"
)
_ROUTINE = (
    "SELECT has_schema_privilege(r.oid, n.oid, 'USAGE'),"
    " bool_or(has_function_privilege(r.oid, p.oid, 'EXECUTE')), 'function'"
    " FROM pg_proc p JOIN pg_namespace n ON n.oid = p.pronamespace, pg_roles r"
    " WHERE r.rolname = $1 AND n.nspname = $2 AND p.proname = $3 GROUP BY r.oid, n.oid"
)
_PRIVILEGES = {Verb.INSERT: "INSERT", Verb.UPSERT: "INSERT", Verb.UPDATE: "UPDATE"}
_KINDS = {
    b"r": "table", b"p": "table", b"v": "view", b"m": "materialized view", b"f": "foreign table",
    b"function": "function",
}  # fmt: skip
_INSUFFICIENT = "42501"
_TRUE = b"\x01"


def privileges_query(action: Action, role: str) -> Statement | None:
    """The query for a role's privileges on what an action names; None where none is needed."""
    match action:
        case RelationAction(name, verb) if verb in _PRIVILEGES:
            text, further = _RELATION, (_PRIVILEGES[verb],)
        case RoutineAction(name):
            text, further = _ROUTINE, ()
        case _:
            return None
    values = (role, name.schema, name.name, *further)
    return Statement(text, tuple(value.encode(errors="surrogatepass") for value in values))


def refusal_of(action: Action, result: Result) -> Fault | None:
    """PostgreSQL's refusal of the action, by its result; None where there is none.

    The query has no row for what does not exist.
    """
    if not isinstance(action, RelationAction | RoutineAction):
        return None
    row = result.first()
    if not row:
        return None
    schema, target, kind = row
    if schema != _TRUE:
        return Fault(_INSUFFICIENT, f"permission denied for schema {action.name.schema}")
    if target != _TRUE:
        word = _KINDS.get(kind or b"", "table")
        return Fault(_INSUFFICIENT, f"permission denied for {word} {action.name.name}")
    return None
