"""From committed transactions to the channels that may hear of them (realtime reference 10, 11).

Transactions are taken in the order of their commits, in batches of whatever has come meanwhile.
Filters come first; what is left is asked of the database in few round trips, callers with equal
claims once. Nothing is delivered before a whole batch is decided, so a database that goes away in
between costs another try and neither a loss nor a doubled message.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import islice

from compat_base.database import Database
from compat_base.events import Observation, Observer, Severity
from compat_base.faults import PgFault
from compat_base.world import Clock
from realtime_compat.access import rows
from realtime_compat.access.catalog import Catalog
from realtime_compat.access.rows import Comparison, TooSlowError
from realtime_compat.changes import payload
from realtime_compat.changes.conditions import Verdict, judge
from realtime_compat.changes.filters import Condition
from realtime_compat.changes.model import Action, Relation, RowChange, Transaction
from realtime_compat.changes.payload import Resolved
from realtime_compat.changes.subscribers import Audience
from realtime_compat.deliveries import Deliveries, Round
from realtime_compat.lanes import Lanes, Parcel
from realtime_compat.sight import Answers, Oracle
from realtime_compat.stored import StoredMessages
from realtime_compat.subscriptions import Subscriptions
from realtime_compat.tokens import Caller

MAX_CHANGES = 1000  # in one batch

Pending = tuple[Transaction, RowChange]


@dataclass(slots=True)
class Case:
    """A change on its way: who may still hear of it, and who is refused with which error.

    Those `apart` are not asked about: their lanes do that.
    """

    change: Resolved
    audience: Audience
    needs_sight: bool
    refused: dict[str, Audience]
    apart: frozenset[Caller] = frozenset()


@dataclass(frozen=True, slots=True)
class Decided:
    """A batch whose audience is known, and for how many seconds the database was asked."""

    cases: Sequence[Case]
    answers: Answers
    asked: float = 0.0


@dataclass(slots=True)
class Feed:
    """Decides and delivers, one batch after the other."""

    database: Database
    catalog: Catalog
    subscriptions: Subscriptions
    messages: StoredMessages
    oracle: Oracle
    lanes: Lanes
    deliveries: Deliveries
    clock: Clock
    observer: Observer
    _met: set[int] = field(default_factory=set[int])

    def batches(self, transactions: Sequence[Transaction]) -> Iterable[list[Pending]]:
        """Pass stored messages on, and cut the changes of tables into batches."""
        changes = (
            (transaction, change)
            for transaction in transactions
            for change in transaction.changes
            if not self._is_message(change)
        )
        while batch := list(islice(changes, MAX_CHANGES)):
            yield batch

    async def decide(self, batch: list[Pending]) -> Decided:
        """Find out who hears of a batch of changes; raises Unavailable or PoolTimeout."""
        await self._meet_tables({change.relation.oid for _, change in batch})
        wanted = [
            (transaction, change, audience)
            for transaction, change in batch
            if (audience := self._audience(transaction, change))
        ]
        if not wanted:
            return Decided((), Answers())
        began = self.clock.monotonic()
        await self._refresh(wanted)
        cases = [case for one in wanted if (case := self._case(*one)) is not None]
        await self._filter(cases)
        questions = self._questions(cases)
        if questions:
            xids = {transaction.xid for transaction, _, _ in wanted}
            await rows.await_commits(self.database, tuple(xids))
        answers = await self.oracle.look(questions)
        for caller in answers.slow:
            self.lanes.set_apart(caller)
        return Decided(cases, answers, self.clock.monotonic() - began)

    def tell(self, decided: Decided) -> None:
        """Deliver a batch."""
        round_ = self.deliveries.round()
        for number, case in enumerate(decided.cases):
            self._tell(round_, number, case, decided.answers)
        self.deliveries.give(round_)

    def _is_message(self, change: RowChange) -> bool:
        is_message = self.messages.is_one(change.relation)
        if is_message:
            self.messages.deliver(change)
        return is_message

    async def _meet_tables(self, tables: set[int]) -> None:
        """A table never met before may be one that a wildcard stands for."""
        new = tables - self._met
        if new - self.subscriptions.tables:
            await self.subscriptions.follow_publication()
        self._met |= new

    def _audience(self, transaction: Transaction, change: RowChange) -> Audience:
        index = self.subscriptions.index
        return index.audience(change.relation.oid, change.action, transaction.lsn)

    async def _refresh(self, wanted: Iterable[tuple[Transaction, RowChange, Audience]]) -> None:
        relations: dict[int, Relation] = {}
        roles: defaultdict[int, set[str]] = defaultdict(set)
        for _, change, audience in wanted:
            relations[change.relation.oid] = change.relation
            roles[change.relation.oid] |= audience.roles
        await self.catalog.refresh(relations.values(), roles, self.clock.monotonic())

    def _case(self, transaction: Transaction, change: RowChange, audience: Audience) -> Case | None:
        """The change with those who may read its key, and the error of the others."""
        table = self.catalog.table(change.relation.oid)
        if table is None:
            facts = {"table": f"{change.relation.schema}.{change.relation.name}"}
            self.observer(Observation("table_gone", Severity.WARNING, facts))
            return None
        resolved = payload.resolve(change, table, transaction.committed_at)
        refusals = {
            role: payload.refusal(resolved, self.catalog.readable(table.oid, role))
            for role in audience.roles
        }
        refused = {
            error: audience.keep(lambda s, error=error: refusals[s.viewer.role] == error)
            for error in filter(None, refusals.values())
        }
        admitted = audience.keep(lambda s: not refusals[s.viewer.role]) if refused else audience
        asks = table.is_guarded if change.action is Action.DELETE else True
        # Whoever may not read a guarded table's key is not even told that something happened.
        told = {} if table.is_guarded else refused
        return Case(resolved, admitted, asks and table.has_policies, told)

    # Filters

    async def _filter(self, cases: Sequence[Case]) -> None:
        """Cut every case down to the subscriptions whose conditions all hold."""
        judged = [(case, _judge(case)) for case in cases if case.audience.conditions]
        asked = [
            (case, verdicts, condition)
            for case, verdicts in judged
            for condition, verdict in verdicts.items()
            if verdict is None
        ]
        if asked:
            questions = [_comparison(case.change, condition) for case, _, condition in asked]
            answers = await self._compare(questions)
            for (_, verdicts, condition), answer in zip(asked, answers, strict=True):
                verdicts[condition] = answer
        for case, verdicts in judged:
            holding = {condition for condition, verdict in verdicts.items() if verdict}
            case.audience = case.audience.passing(holding)

    async def _compare(self, questions: Sequence[Comparison]) -> Sequence[bool]:
        """PostgreSQL's own comparisons; where one makes the query fail, each is asked alone."""
        try:
            return await rows.compare(self.database, questions)
        except (PgFault, TooSlowError) as error:
            facts = {"error": str(error), "conditions": len(questions)}
            self.observer(Observation("comparison_failed", Severity.WARNING, facts))
            if len(questions) == 1:
                return (False,)
        return [(await self._compare([question]))[0] for question in questions]

    # Row-level security

    def _questions(self, cases: Sequence[Case]) -> dict[int, tuple[Resolved, frozenset[Caller]]]:
        """Who must be asked about: by the case's number."""
        wanted: dict[int, tuple[Resolved, frozenset[Caller]]] = {}
        for number, case in enumerate(cases):
            viewers = case.audience.viewers
            if case.needs_sight and viewers:
                case.apart = self.lanes.slow(viewers)
                wanted[number] = (case.change, viewers - case.apart if case.apart else viewers)
        return wanted

    def _tell(self, round_: Round, number: int, case: Case, answers: Answers) -> None:
        for error, audience in case.refused.items():
            round_.add(case.change, audience.by_viewer.values(), error)
        ears = case.audience.by_viewer
        # Whoever was not asked about goes by a lane, even if that is not slow any more by now.
        slow = self.lanes.slow(case.audience.viewers) | case.apart
        sighted = answers.seen[number] if case.needs_sight else ears
        told = [c for c in sighted if c not in slow] if slow else sighted
        round_.add(case.change, map(ears.__getitem__, told))
        if number in answers.failed:
            self.deliveries.tell_errors(case.change, answers.failed[number], ears)
        for caller in slow:
            self.lanes.put(caller, Parcel(case.change, ears[caller], case.needs_sight))


def _judge(case: Case) -> dict[Condition, Verdict]:
    """What can be said without the database; a column that the row lacks holds for nothing."""
    columns = {column.name: column for column in case.change.table.columns}
    row = case.change.row
    return {
        condition: (
            judge(condition, columns[condition.column], row[condition.column])
            if condition.column in row
            else False
        )
        for condition in case.audience.conditions
    }


def _comparison(change: Resolved, condition: Condition) -> Comparison:
    column = next(c for c in change.table.columns if c.name == condition.column)
    return Comparison(condition, column.type.oid, payload.text_of(change.row[column.name]) or "")
