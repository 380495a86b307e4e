"""Plan → Script: the statements of the transaction, compiled, with placeholders for the values."""

from __future__ import annotations

from dataclasses import dataclass

from compat_base.values.sqltext import EMPTY, Sql, Statement, compile_sql, literal, raw, sql
from rest_compat.api_request.model import BodyPlaceholder, ColumnPlaceholder, Placeholder
from rest_compat.http.media_types import Plan as ExplainPlan
from rest_compat.plan.model import BuiltinHandler, InspectPlan, Promise, SessionFacts, StatementPlan
from rest_compat.plan.statements import Call, Insert, Mutation, ResultKind
from rest_compat.query.call import call_sql
from rest_compat.query.fragments import comma_list
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
_SELECT_GUCS = compile_sql(sql("SELECT {gucs}", gucs=_GUCS))
_INSERTED = raw("nullif(current_setting('pgrst.inserted', true),'')::int")


@dataclass(frozen=True, slots=True, eq=False)
class TransactionScript:
    """The setup of a transaction, except for its caller."""

    facts: SessionFacts
    settings_before: Pairs
    settings_after: Pairs
    pre_request: Statement | None


@dataclass(frozen=True, slots=True, eq=False)
class Script(TransactionScript):
    """What one transaction runs: the main statement, and queries beside it.

    Where it `explains`, `main` gives the lines of EXPLAIN. `estimate` gets the planner's total.
    `response_gucs` reads the response settings made by SQL, where `main` is a write that returns
    only its row count. Arguments may be placeholders: `fill` puts values there.
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
    count_only = _count_only_write(plan)
    main = _main(plan) if count_only is None else count_only
    if explain is not None:
        main = _explained(explain, main)
    is_estimated = plan.counting.planned and plan.statement is None
    return Script(
        facts=plan.session,
        settings_before=before,
        settings_after=after,
        pre_request=_called_first(rules),
        main=compile_sql(main),
        estimate=_estimate(plan) if is_estimated else None,
        promise=plan.promise,
        response_gucs=None if count_only is None else _SELECT_GUCS,
        explains=explain is not None,
    )


def _estimate(plan: StatementPlan) -> Statement:
    return compile_sql(sql("EXPLAIN (FORMAT JSON) {rows}", rows=count_sql(plan.read)))


def build_inspection(plan: InspectPlan, rules: SessionRules) -> TransactionScript:
    """The transaction of the root document, whose queries are always the same."""
    before, after = fixed_settings(plan.session, rules)
    return TransactionScript(plan.session, before, after, _called_first(rules))


def _called_first(rules: SessionRules) -> Statement | None:
    return None if rules.pre_request is None else pre_request(rules.pre_request)


def fill(statement: Statement, values: Values) -> Statement:
    """The statement with values for its placeholders, every argument in PostgreSQL's text form."""
    if not statement.args:
        return statement
    return Statement(statement.text, tuple(_filled(one, values) for one in statement.args))


def _filled(
    argument: Placeholder | BodyPlaceholder | ColumnPlaceholder | str | bytes | None, values: Values
) -> bytes | None:
    match argument:
        case ColumnPlaceholder(key):
            return values.rows.array(key)
        case Placeholder(index, wildcard):
            text = values.texts[index]
            return _encoded(text.replace("*", "%") if wildcard else text)
        case BodyPlaceholder.TEXT:
            return values.body
        case BodyPlaceholder.HEX:
            return b"\\x%b" % values.body.hex().encode()
        case str():
            return _encoded(argument)
        case _:
            return argument


def _encoded(text: str) -> bytes:
    # Invalid Unicode is passed on, for PostgreSQL to refuse.
    return text.encode(errors="surrogatepass")


# ── main statements ────────────────────────────────────────────────────────────────────────────


def _main(plan: StatementPlan) -> Sql:
    match plan.statement:
        case None:
            return _read(plan)
        case Call():
            return _call(plan, plan.statement)
        case mutation:
            return _write(plan, mutation)


def _write(plan: StatementPlan, mutation: Mutation) -> Sql:
    is_upsert = isinstance(mutation, Insert) and merges(mutation)
    # With nothing to show, the names in select= must not matter.
    shows_nothing = plan.handler is BuiltinHandler.NOTHING
    return sql(
        "WITH pgrst_source AS ({write}{returning})"
        " SELECT '' AS total_result_set, pg_catalog.count(_postgrest_t) AS page_total,"
        " {location} AS header, {body} AS body, {gucs}, {inserted} AS response_inserted"
        " FROM ({rows}) _postgrest_t",
        write=mutation_sql(mutation),
        returning=returning_sql(mutation),
        location=_location(plan),
        body=body_sql(plan.handler, ResultKind.ROWS),
        gucs=_GUCS,
        inserted=_INSERTED if is_upsert else raw("''"),
        rows=raw("SELECT * FROM pgrst_source") if shows_nothing else read_sql(plan.read),
    )


def _count_only_write(plan: StatementPlan) -> Sql | None:
    """A write that returns only its row count; None for any other plan.

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
    return sql(
        "WITH pgrst_source AS ( {rows} ) {total}{page_total} AS page_total,"
        " {body} AS body, {gucs}, '' AS response_inserted"
        " FROM ( SELECT * FROM pgrst_source ) _postgrest_t",
        rows=read_sql(plan.read),
        total=_counted(plan, page_total),
        page_total=page_total,
        body=body_sql(plan.handler, ResultKind.ROWS),
        gucs=_GUCS,
    )


def _call(plan: StatementPlan, call: Call) -> Sql:
    is_single = call.result in {ResultKind.ROW, ResultKind.SCALAR}
    page_total = raw("1") if is_single else raw("pg_catalog.count(_postgrest_t)")
    return sql(
        "WITH pgrst_source AS ({call}) {total}{page_total} AS page_total,"
        " {body} AS body, {gucs}, '' AS response_inserted FROM ({rows}) _postgrest_t",
        call=call_sql(call),
        total=_counted(plan, page_total),
        page_total=page_total,
        body=body_sql(plan.handler, call.result),
        gucs=_GUCS,
        rows=read_sql(plan.read),
    )


def _counted(plan: StatementPlan, page_total: Sql) -> Sql:
    """`SELECT …, `: the total, of its own query where the page may be a part, else the page's."""
    counting = plan.counting
    if not counting.exact:
        return raw("SELECT null::bigint AS total_result_set, ")
    if not counting.own_query:
        return sql("SELECT {page_total} AS total_result_set, ", page_total=page_total)
    is_capped = counting.max_rows is not None and plan.statement is None
    # One row more than the maximum is enough to know that it is passed.
    cap = sql(" LIMIT {rows}", rows=literal(str((counting.max_rows or 0) + 1)))
    return sql(
        ", pgrst_source_count AS ({rows}{cap})"
        " SELECT (SELECT pg_catalog.count(*) FROM pgrst_source_count) AS total_result_set, ",
        rows=count_sql(plan.read),
        cap=cap if is_capped else EMPTY,
    )


def _location(plan: StatementPlan) -> Sql:
    """The primary key of a single inserted row as pairs of name and condition."""
    mutation = plan.statement
    if (
        not isinstance(mutation, Insert)
        or mutation.required
        or plan.reply.representation != "headers-only"
    ):
        return raw("null::json")
    return sql(
        "CASE WHEN pg_catalog.count(_postgrest_t) = 1 THEN (SELECT json_agg("
        "json_build_array(key, coalesce('eq.' || value, 'is.null')))"
        " FROM (SELECT row_to_json(_) AS row FROM pgrst_source AS _ LIMIT 1) data"
        " CROSS JOIN json_each_text(data.row) WHERE key IN ({names})) END",
        names=comma_list(map(literal, mutation.primary_key or ("",))),
    )


def _explained(explain: ExplainPlan, statement: Sql) -> Sql:
    form = raw("FORMAT JSON") if explain.as_json else raw("FORMAT TEXT")
    return sql(
        "EXPLAIN ({options}) {statement}",
        options=comma_list([form, *(_OPTIONS[option] for option in explain.options)]),
        statement=statement,
    )
