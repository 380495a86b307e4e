"""From committed transactions to the channels that may hear of them (realtime reference 10, 11).

Transactions are taken in the order of their commits, in batches of whatever has come meanwhile.
Filters come first; what is left is asked of the database in few round trips, callers with equal
claims once. Nothing is delivered before a whole batch is decided, so a database that goes away in
between costs another try and neither a loss nor a doubled message.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import islice

from compat_base.postgres.database import Database
from compat_base.slices import Slices
from compat_base.values.events import Observation, Observer, Severity
from compat_base.values.world import Clock
from realtime_compat.access import rows
from realtime_compat.access.catalog import Catalog
from realtime_compat.access.rows import Comparison
from realtime_compat.auth import Caller
from realtime_compat.changes import payload
from realtime_compat.changes.audience import NOBODY, Audience
from realtime_compat.changes.conditions import Verdict
from realtime_compat.changes.filters import Condition
from realtime_compat.changes.index import Found, TableIndex
from realtime_compat.changes.model import Action, RowChange, Table, Transaction
from realtime_compat.changes.payload import Resolved
from realtime_compat.dispatch.comparisons import Comparisons
from realtime_compat.dispatch.database_broadcasts import StoredMessages
from realtime_compat.dispatch.fanout import Deliveries, Round
from realtime_compat.dispatch.slow_callers import Lanes, Parcel
from realtime_compat.dispatch.visibility import Answers, Oracle
from realtime_compat.subscriptions import Subscriptions

MAX_CHANGES = 1000  # in one batch

Pending = tuple[Transaction, RowChange]


@dataclass(slots=True)
class Case:
    """A change on its way: who may still hear of it, and who is refused with which error.

    Those `apart` are not asked about: their lanes do that.
    """

    xid: int
    change: Resolved
    found: Found
    index: TableIndex
    admitted: frozenset[str]
    needs_sight: bool
    refused: dict[str, Audience]
    audience: Audience = NOBODY
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
        began, slices = self.clock.monotonic(), Slices(self.clock)
        cases: list[Case] = []
        for transaction, change in batch:
            await slices.rest()
            case = await self._case(transaction, change, slices)
            if case is not None:
                cases.append(case)
        if not cases:
            return Decided((), Answers())
        await self._ask_conditions(cases)
        questions = self._questions(cases)
        if questions:
            xids = {case.xid for case in cases}
            await rows.await_commits(self.database, tuple(xids))
        answers = await self.oracle.look(questions)
        for caller in answers.slow:
            self.lanes.set_apart(caller)
        return Decided(cases, answers, self.clock.monotonic() - began)

    async def tell(self, decided: Decided) -> None:
        """Deliver a batch."""
        round_, slices = self.deliveries.round(), Slices(self.clock)
        for number, case in enumerate(decided.cases):
            self._tell(round_, number, case, decided.answers)
            await slices.rest()
        await self.deliveries.give(round_)

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

    async def _case(
        self, transaction: Transaction, change: RowChange, slices: Slices
    ) -> Case | None:
        """The change with those who want it, and those who are refused instead."""
        index = self.subscriptions.index.table(change.relation.oid)
        if index is None or not index.roles(change.action):
            return None
        table = await self._settle(index, transaction, change, slices)
        if table is None:
            facts = {"table": f"{change.relation.schema}.{change.relation.name}"}
            self.observer(Observation("table_gone", Severity.WARNING, facts))
            return None
        resolved = payload.resolve(change, table, transaction.committed_at)
        refusals = {
            role: payload.refusal(resolved, self.catalog.readable(table.oid, role))
            for role in index.roles(change.action)
        }
        refused = {
            error: index.everyone(change.action).of_roles(
                {role for role, found in refusals.items() if found == error}
            )
            for error in filter(None, refusals.values())
        }
        found = await slices.run(index.search(change.action, resolved.row))
        self.subscriptions.cut_off(found.exceeding)
        if not (found.audiences or found.unknown or refused):
            return None
        asks = table.is_guarded if change.action is Action.DELETE else True
        return Case(
            transaction.xid,
            resolved,
            found,
            index,
            admitted=frozenset(role for role, error in refusals.items() if not error),
            needs_sight=asks and table.has_policies,
            # Whoever may not read a guarded table's key is not even told that something happened.
            refused={} if table.is_guarded else refused,
        )

    async def _settle(
        self, index: TableIndex, transaction: Transaction, change: RowChange, slices: Slices
    ) -> Table | None:
        """Know the table and what its subscribers' roles may read, and let the index know it."""
        oid = change.relation.oid
        while True:
            roles = index.roles(change.action)
            known = {oid: set(roles)}
            await self.catalog.refresh((change.relation,), known, self.clock.monotonic())
            table = self.catalog.table(oid)
            if table is None:
                return None
            await slices.run(index.settle(table.columns, transaction.lsn))
            if index.roles(change.action) <= roles:
                return table

    async def _ask_conditions(self, cases: Sequence[Case]) -> None:
        """Have PostgreSQL judge what is left of the conditions, and know every case's audience."""
        asked = list(
            dict.fromkeys(
                (number, condition)
                for number, case in enumerate(cases)
                for _, conditions in case.found.unknown
                for condition in conditions
            )
        )
        verdicts: dict[tuple[int, Condition], Verdict] = {}
        if asked:
            questions = [_comparison(cases[number].change, c) for number, c in asked]
            answers = await Comparisons(self.database, self.observer).ask(questions)
            verdicts = dict(zip(asked, answers, strict=True))
        for number, case in enumerate(cases):
            audiences = list(case.found.audiences)
            for audience, conditions in case.found.unknown:
                found = [verdicts[number, condition] for condition in conditions]
                if all(found):
                    audiences.append(audience)
                elif None in found and False not in found:
                    self.subscriptions.cut_off(audience.channels())
            audience = case.index.audience(audiences)
            is_whole = all(viewer.role in case.admitted for viewer in audience.viewers)
            case.audience = audience if is_whole else audience.of_roles(case.admitted)

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


def _comparison(change: Resolved, condition: Condition) -> Comparison:
    column = next(c for c in change.table.columns if c.name == condition.column)
    return Comparison(condition, column.type.oid, payload.text_of(change.row[column.name]) or "")
