"""ApiRequest → Plan, by what the request does."""

from __future__ import annotations

from dataclasses import dataclass, replace

from compat_base.values.errors import ApiError
from rest_compat.api_request.model import (
    ApiRequest,
    Preferences,
    RelationAction,
    RootAction,
    RoutineAction,
    Verb,
)
from rest_compat.catalog.model import Routine, SchemaCache, Table
from rest_compat.errors import MAX_AFFECTED_RPC, PREFERENCES
from rest_compat.http.ranges import ALL
from rest_compat.plan.call import find_routine, make_call, result_relation
from rest_compat.plan.lookup import get_table
from rest_compat.plan.model import (
    BuiltinHandler,
    Counting,
    InfoPlan,
    InspectPlan,
    Plan,
    Promise,
    ReplyShape,
    SessionFacts,
    StatementPlan,
)
from rest_compat.plan.mutate import make_mutation
from rest_compat.plan.negotiate import Choice, negotiate, negotiate_root
from rest_compat.plan.read import PlanRules, make_read, selects_everything, warnings_of
from rest_compat.plan.read_tree import ReadNode
from rest_compat.plan.statements import Insert, Mutation

_VOLATILE = "v"


def make_plan(api: ApiRequest, cache: SchemaCache, rules: PlanRules) -> Plan:
    """Plan a request; ApiError for the first problem."""
    return _Planner(api, cache, rules).plan()


@dataclass(frozen=True, slots=True)
class _Planner:
    api: ApiRequest
    cache: SchemaCache
    rules: PlanRules

    def plan(self) -> Plan:
        match self.api.action:
            case RootAction() as action:
                return self._root(action)
            case RoutineAction() as action:
                return self._call(action)
            case RelationAction(name, Verb.INFO):
                return InfoPlan(_relation_allows(get_table(self.cache, name)))
            case RelationAction(_, Verb.READ) as action:
                return self._read(action)
            case RelationAction() as action:
                return self._write(action)

    # ── what is done ───────────────────────────────────────────────────────────────────────────

    def _root(self, action: RootAction) -> Plan:
        if action.info:
            return InfoPlan("OPTIONS,GET,HEAD")
        negotiate_root(self.api.accepts)
        session = self._session(read_only=True)
        return InspectPlan(action.schema, action.head, self._reply_schema(), session)

    def _read(self, action: RelationAction) -> StatementPlan:
        table = get_table(self.cache, action.name)
        read = make_read(self.api, self.cache, table.name, self.rules)
        choice = self._negotiated(table, read)
        self._check_preferences()
        return StatementPlan(
            read=read,
            statement=None,
            handler=BuiltinHandler.NOTHING if action.head else choice[0],
            counting=self._counting(),
            promise=Promise(single=choice[1].is_object()),
            reply=self._reply(Verb.READ, action.name.name, choice, read, head=action.head),
            session=self._session(read_only=True),
        )

    def _write(self, action: RelationAction) -> StatementPlan:
        table = get_table(self.cache, action.name)
        read = make_read(self.api, self.cache, table.name, self.rules)
        statement = make_mutation(self.api, action.verb, table, self.cache, read)
        self._check_preferences()
        handler, media = self._negotiated(table, read)
        is_full = self.api.preferences.representation == "representation"
        reply = self._reply(action.verb, action.name.name, (handler, media), read)
        return StatementPlan(
            read=read,
            statement=statement,
            handler=handler if is_full else BuiltinHandler.NOTHING,
            counting=Counting(exact=self.api.preferences.counts()),
            promise=self._write_promise(action.verb, is_object=media.is_object()),
            reply=replace(reply, applied=self._write_preferences(action.verb, statement)),
            session=self._session(read_only=False),
        )

    def _call(self, action: RoutineAction) -> Plan:
        routine = find_routine(self.api, action, self.cache)
        relation = result_relation(routine)
        read = make_read(self.api, self.cache, relation, self.rules)
        choice = negotiate(
            self.cache,
            relation,
            self.api.accepts,
            everything=selects_everything(read),
            plans=self.rules.plans,
        )
        self._check_preferences()
        limit = self._max_affected()
        if limit is not None and not routine.returns.is_set:
            raise ApiError.of(MAX_AFFECTED_RPC)
        if action.info:
            return InfoPlan(_routine_allows(routine))
        reply = self._reply(Verb.CALL, action.name.name, choice, read, head=action.head)
        return StatementPlan(
            read=read,
            statement=make_call(self.api, action, routine, read),
            handler=BuiltinHandler.NOTHING if action.head else choice[0],
            counting=self._counting(),
            promise=Promise(single=choice[1].is_object(), max_affected=limit),
            reply=replace(reply, void=routine.returns.is_void()),
            session=self._call_session(action, routine),
        )

    # ── what is common ─────────────────────────────────────────────────────────────────────────

    def _negotiated(self, table: Table, read: ReadNode) -> Choice:
        return negotiate(
            self.cache,
            table.name,
            self.api.accepts,
            everything=selects_everything(read),
            plans=self.rules.plans,
        )

    def _check_preferences(self) -> None:
        preferences = self.api.preferences
        if preferences.is_strict() and preferences.invalid:
            raise ApiError.of(PREFERENCES, preferences=", ".join(preferences.invalid))

    def _max_affected(self) -> int | None:
        preferences = self.api.preferences
        return preferences.max_affected if preferences.is_strict() else None

    def _write_promise(self, verb: Verb, *, is_object: bool) -> Promise:
        if verb is Verb.UPSERT:
            return Promise(upserted_one=True)
        limit = self._max_affected() if verb in {Verb.UPDATE, Verb.DELETE} else None
        return Promise(single=is_object, max_affected=limit)

    def _counting(self) -> Counting:
        count = self.api.preferences.count
        max_rows = self.rules.max_rows
        return Counting(
            exact=count in {"exact", "estimated"},
            planned=count in {"planned", "estimated"},
            max_rows=max_rows if count == "estimated" else None,
            own_query=max_rows is not None or self.api.window != ALL,
        )

    def _reply_schema(self) -> str | None:
        return self.api.schema if self.api.by_profile else None

    def _reply(
        self, verb: Verb, name: str, choice: Choice, read: ReadNode, *, head: bool = False
    ) -> ReplyShape:
        preferences = self.api.preferences
        return ReplyShape(
            verb=verb,
            name=name,
            media=choice[1],
            window=self.api.window,
            head=head,
            applied=_echoed(preferences, verb),
            schema=self._reply_schema(),
            merges=preferences.resolution == "merge-duplicates",
            representation=preferences.representation,
            warnings=warnings_of(read),
        )

    def _write_preferences(self, verb: Verb, statement: Mutation) -> Preferences:
        preferences = _echoed(self.api.preferences, verb)
        if not isinstance(statement, Insert) or verb is not Verb.INSERT:
            return preferences
        has_target = statement.primary_key or self.api.parameters.on_conflict is not None
        return preferences if has_target else replace(preferences, resolution=None)

    def _session(self, *, read_only: bool) -> SessionFacts:
        preferences = self.api.preferences
        wants = preferences.transaction
        rolls_back = wants == "rollback" or (self.rules.tx_rollback and wants != "commit")
        return SessionFacts(
            schema=self.api.schema,
            read_only=read_only,
            isolation=None,
            settings=(),
            timezone=preferences.timezone,
            rolls_back=rolls_back,
        )

    def _call_session(self, action: RoutineAction, routine: Routine) -> SessionFacts:
        read_only = action.safe or routine.volatility != _VOLATILE
        return replace(
            self._session(read_only=read_only),
            isolation=routine.isolation,
            settings=routine.settings,
        )


def _echoed(preferences: Preferences, verb: Verb) -> Preferences:
    """The preferences that mean anything for this verb."""
    is_write = verb not in {Verb.READ, Verb.CALL}
    return replace(
        preferences,
        resolution=preferences.resolution if verb is Verb.INSERT else None,
        representation=preferences.representation if is_write else None,
        missing=preferences.missing if verb in {Verb.INSERT, Verb.UPDATE} else None,
        max_affected=preferences.max_affected
        if verb in {Verb.UPDATE, Verb.DELETE, Verb.CALL}
        else None,
    )


def _relation_allows(table: Table) -> str:
    methods = ["OPTIONS,GET,HEAD"]
    if table.insertable:
        methods.append("POST")
    if table.insertable and table.updatable and table.primary_key:
        methods.append("PUT")
    if table.updatable:
        methods.append("PATCH")
    if table.deletable:
        methods.append("DELETE")
    return ",".join(methods)


def _routine_allows(routine: Routine) -> str:
    return "OPTIONS,POST" if routine.volatility == _VOLATILE else "OPTIONS,GET,HEAD,POST"
