"""One request on one page: parse → plan → build → execute → render.

- HttpRequest ─ `split_request` ─▶ Shape + Values, and ─ `authenticate` ─▶ Identity
- Shape ─ `prepare` (parse, plan, build) ─▶ Script; Identity ─ `make_preamble` ─▶ Preamble
- Preamble + Script + Values ─ `answer` (execute, render) ─▶ HttpResponse

All but `answer` is pure, and wrapped by `rest_compat.runtime.plan_cache`.
"""

from __future__ import annotations

from compat_base.values.http import HttpResponse
from rest_compat.catalog.model import SchemaCache
from rest_compat.errors import TOO_DEEP, syntax_error
from rest_compat.execute import Executor
from rest_compat.plan.make import make_plan
from rest_compat.plan.model import InfoPlan
from rest_compat.query.prepared import (
    Prepared,
    PreparedInspection,
    PreparedStatement,
    Rules,
    Run,
    build,
)
from rest_compat.request.parse import parse
from rest_compat.request.shape import Shape, Values
from rest_compat.response.render import render, render_info
from rest_compat.response.root_document import render_root


def prepare(shape: Shape, cache: SchemaCache, rules: Rules) -> Prepared:
    """Parse → plan → build; ApiError for the first problem."""
    try:
        api = parse(shape, allow_transaction=rules.plan.allow_transaction)
        plan = make_plan(api, cache, rules.plan)
        return build(plan, rules.session)
    except RecursionError as error:
        raise syntax_error(TOO_DEEP, TOO_DEEP) from error


async def answer(prepared: Prepared, values: Values, run: Run, database: Executor) -> HttpResponse:
    """Execute → render; ApiError for what PostgreSQL or the verdict on the result refuses."""
    caller = run.request.caller
    match prepared:
        case InfoPlan() as plan:
            run.mark("transaction")
            return render_info(plan)
        case PreparedInspection(plan, script):
            only = run.settings.only_accessible
            head = run.preamble(script)
            found = await database.inspect(head, script, plan.schema, caller, only_accessible=only)
            run.mark("transaction")
            return render_root(plan, found, run.cache, run.settings)
        case PreparedStatement(plan, script):
            head = run.preamble(script)
            outcome = await database.execute(head, script, values, plan.counting, caller)
            run.mark("transaction")
            return render(plan.reply, outcome, run.query, run.settings.verbosity)
