"""Plan → Script: the statements of the transaction, compiled, with slots for the values."""

from __future__ import annotations

from dataclasses import dataclass

from compat_base.values.sqltext import EMPTY, Sql, Statement, compile_sql, literal, raw
from rest_compat.api_request.model import BodySlot, ColumnSlot, Slot
from rest_compat.http.media_types import Plan as ExplainPlan
from rest_compat.plan.model import BuiltinHandler, InspectPlan, Promise, SessionFacts, StatementPlan
from rest_compat.plan.statements import Call, Insert, ResultKind
from rest_compat.query.call import call_sql
from rest_compat.query.handlers import body_sql
from rest_compat.query.mutate import merges, mutation_sql, returning_sql
from rest_compat.query.read import count_sql, read_sql
from rest_compat.query.session import Pairs, SessionRules, fixed_settings, pre_request
from rest_compat.request.shape import Values

_OPTIONS = {
    "analyze": raw("ANALYZE"),
    "verbose": raw("VERBOSE"),
    "settings": raw("SETTINGS"),
    "buffers": raw("BUFFERS"),
    "wal": raw("WAL"),
}
_GUCS = raw(
    "nullif(current_setting('response.headers', true), '') AS response_headers,"
    " nullif(current_setting('response.status', true), '') AS response_status"
)
_ASKED_GUCS = compile_sql(raw("SELECT ") + _GUCS)


@dataclass(frozen=True, slots=True, eq=False)
class TransactionScript:
    """What sets a transaction up, but for its caller."""

    facts: SessionFacts
    settings_before: Pairs
    settings_after: Pairs
    pre_request: Statement | None


@dataclass(frozen=True, slots=True, eq=False)
class Script(TransactionScript):
    """What one transaction runs: the main statement, and what is asked beside it.

    `main` of an explanation gives its lines. `estimate` asks the planner for the total;
    `response_gucs` asks what SQL said of the response, where `main` is a write that gives nothing
    but its count of rows. Arguments may be slots: `fill` puts values there.
    """

    main: Statement
    estimate: Statement | None
    promise: Promise
    response_gucs: Statement | None
    explains: bool


def build_script(plan: StatementPlan, rules: SessionRules) -> Script:
    """Compile a plan's statements."""
    before, after = fixed_settings(plan.session, rules)
    explain = plan.reply.media.plan
    silent = _silent_write(plan)
    main = _main(plan) if silent is None else silent
    if explain is not None:
        main = _explained(explain, main)
    counted = count_sql(plan.read) if plan.counting.planned and plan.statement is None else None
    return Script(
        facts=plan.session,
        settings_before=before,
        settings_after=after,
        pre_request=_called_first(rules),
        main=compile_sql(main),
        estimate=None if counted is None else compile_sql(raw("EXPLAIN (FORMAT JSON) ") + counted),
        promise=plan.promise,
        response_gucs=None if silent is None else _ASKED_GUCS,
        explains=explain is not None,
    )


def build_inspection(plan: InspectPlan, rules: SessionRules) -> TransactionScript:
    """The transaction of the root document, whose queries are always the same."""
    before, after = fixed_settings(plan.session, rules)
    return TransactionScript(plan.session, before, after, _called_first(rules))


def _called_first(rules: SessionRules) -> Statement | None:
    return None if rules.pre_request is None else pre_request(rules.pre_request)


def fill(statement: Statement, values: Values) -> Statement:
    """The statement with the values in their slots, every argument in PostgreSQL's text form."""
    if not statement.args:
        return statement
    return Statement(statement.text, tuple(_filled(one, values) for one in statement.args))


def _filled(
    argument: Slot | BodySlot | ColumnSlot | str | bytes | None, values: Values
) -> bytes | None:
    match argument:
        case ColumnSlot(key):
            return values.rows.array(key)
        case Slot(index, wildcard):
            text = values.texts[index]
            return _encoded(text.replace("*", "%") if wildcard else text)
        case BodySlot.TEXT:
            return values.body
        case BodySlot.HEX:
            return b"\\x%b" % values.body.hex().encode()
        case str():
            return _encoded(argument)
        case _:
            return argument


def _encoded(text: str) -> bytes:
    # What is no Unicode goes on as it is, for PostgreSQL to refuse.
    return text.encode(errors="surrogatepass")


# ── main statements ────────────────────────────────────────────────────────────────────────────


def _main(plan: StatementPlan) -> Sql:
    match plan.statement:
        case None:
            return _read(plan)
        case Call():
            return _call(plan, plan.statement)
        case mutation:
            source = mutation_sql(mutation) + returning_sql(mutation)
            keeps_order = plan.handler is BuiltinHandler.NOTHING
            # With nothing to show, the names in select= must not matter.
            rows = raw("SELECT * FROM pgrst_source") if keeps_order else read_sql(plan.read)
            inserted = isinstance(mutation, Insert) and merges(mutation)
            return (
                raw("WITH pgrst_source AS (")
                + source
                + raw(") SELECT '' AS total_result_set,")
                + raw(" pg_catalog.count(_postgrest_t) AS page_total, ")
                + _location(plan)
                + raw(" AS header, ")
                + body_sql(plan.handler, ResultKind.ROWS)
                + raw(" AS body, ")
                + _GUCS
                + (
                    raw(", nullif(current_setting('pgrst.inserted', true),'')::int")
                    if inserted
                    else raw(", ''")
                )
                + raw(" AS response_inserted FROM (")
                + rows
                + raw(") _postgrest_t")
            )


def _silent_write(plan: StatementPlan) -> Sql | None:
    """A write of which nothing is shown but its count of rows; None for all else.

    A query around it would keep its rows to count them, which takes a sixth of a long insert.
    """
    write = plan.statement
    if write is None or isinstance(write, Call) or write.returning:
        return None
    if plan.handler is not BuiltinHandler.NOTHING or plan.reply.media.plan is not None:
        return None
    if isinstance(write, Insert) and merges(write):
        return None
    return mutation_sql(write)


def _read(plan: StatementPlan) -> Sql:
    page_total = raw("pg_catalog.count(_postgrest_t)")
    return (
        raw("WITH pgrst_source AS ( ")
        + read_sql(plan.read)
        + raw(" ) ")
        + _counted(plan, page_total)
        + page_total
        + raw(" AS page_total, ")
        + body_sql(plan.handler, ResultKind.ROWS)
        + raw(" AS body, ")
        + _GUCS
        + raw(", '' AS response_inserted FROM ( SELECT * FROM pgrst_source ) _postgrest_t")
    )


def _call(plan: StatementPlan, call: Call) -> Sql:
    is_single = call.result in {ResultKind.ROW, ResultKind.SCALAR}
    page_total = raw("1") if is_single else raw("pg_catalog.count(_postgrest_t)")
    return (
        raw("WITH pgrst_source AS (")
        + call_sql(call)
        + raw(") ")
        + _counted(plan, page_total)
        + page_total
        + raw(" AS page_total, ")
        + body_sql(plan.handler, call.result)
        + raw(" AS body, ")
        + _GUCS
        + raw(", '' AS response_inserted FROM (")
        + read_sql(plan.read)
        + raw(") _postgrest_t")
    )


def _counted(plan: StatementPlan, page_total: Sql) -> Sql:
    """The total: from its own query where the page may be a part, else the page's own count."""
    counting = plan.counting
    if not counting.exact:
        return raw("SELECT null::bigint AS total_result_set, ")
    if not counting.own_query:
        return raw("SELECT ") + page_total + raw(" AS total_result_set, ")
    # One row more than the maximum is enough to know that it is passed.
    cap = (
        EMPTY
        if counting.max_rows is None or plan.statement is not None
        else raw(" LIMIT ") + literal(str(counting.max_rows + 1))
    )
    return (
        raw(", pgrst_source_count AS (")
        + count_sql(plan.read)
        + cap
        + raw(") SELECT (SELECT pg_catalog.count(*) FROM pgrst_source_count) AS total_result_set, ")
    )


def _location(plan: StatementPlan) -> Sql:
    """The primary key of a single inserted row as pairs of name and condition."""
    mutation = plan.statement
    wanted = (
        isinstance(mutation, Insert)
        and not mutation.required
        and plan.reply.representation == "headers-only"
    )
    if not wanted or not isinstance(mutation, Insert):
        return raw("null::json")
    return (
        raw("CASE WHEN pg_catalog.count(_postgrest_t) = 1 THEN (SELECT json_agg(")
        + raw("json_build_array(key, coalesce('eq.' || value, 'is.null')))")
        + raw(" FROM (SELECT row_to_json(_) AS row FROM pgrst_source AS _ LIMIT 1) data")
        + raw(" CROSS JOIN json_each_text(data.row) WHERE key IN (")
        + _names(mutation.primary_key)
        + raw(")) END")
    )


def _names(names: tuple[str, ...]) -> Sql:
    pieces = EMPTY
    for place, name in enumerate(names or ("",)):
        pieces += (raw(", ") if place else EMPTY) + literal(name)
    return pieces


def _explained(explain: ExplainPlan, statement: Sql) -> Sql:
    options = raw("FORMAT JSON") if explain.as_json else raw("FORMAT TEXT")
    for option in explain.options:
        options += raw(", ") + _OPTIONS[option]
    return raw("EXPLAIN (") + options + raw(") ") + statement
