"""Routes committed changes to the channels that may see them (realtime reference 10, 11).

Transactions are processed in commit order, in batches of whatever arrived meanwhile. Filters run
first; then row-level security is checked in few round trips, once for callers with equal claims.
Nothing is delivered before a whole batch is decided, so a database that goes away in between costs
a retry, and no message is lost or doubled.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import islice

from compat_base.postgres.database import Database
from compat_base.slices import Slices
from compat_base.values.events import Observation, Observer, Severity
from compat_base.values.world import Clock
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
from realtime_compat.dispatch.fanout import Batch, FanOut
from realtime_compat.dispatch.slow_callers import QueuedChange, SlowCallers
from realtime_compat.dispatch.visibility import Answers, VisibilityChecker
from realtime_compat.subscriptions import Subscriptions

MAX_CHANGES = 1000  # in one batch

Pending = tuple[Transaction, RowChange]


@dataclass(slots=True)
class Case:
    """A change being routed: its audience so far, and the callers who get an error instead.

    The `slow` callers of its audience are checked by their own queues.
    """

    change: Resolved
    found: Found
    index: TableIndex
    admitted: frozenset[str]
    needs_check: bool
    refused: dict[str, Audience]
    audience: Audience = NOBODY
    slow: frozenset[Caller] = frozenset()


@dataclass(frozen=True, slots=True)
class Decided:
    """A batch whose audiences are known; `query_seconds`: how long the database took to decide."""

    cases: Sequence[Case]
    answers: Answers
    query_seconds: float = 0.0


@dataclass(slots=True)
class Router:
    """Decides and delivers one batch after the other."""

    database: Database
    catalog: Catalog
    subscriptions: Subscriptions
    messages: StoredMessages
    visibility: VisibilityChecker
    slow_callers: SlowCallers
    fanout: FanOut
    clock: Clock
    observer: Observer
    _met: set[int] = field(default_factory=set[int])

    def batches(self, transactions: Sequence[Transaction]) -> Iterable[list[Pending]]:
        """Deliver stored messages, and cut the changes of tables into batches."""
        changes = (
            (transaction, change)
            for transaction in transactions
            for change in transaction.changes
            if not self._is_message(change)
        )
        while pending := list(islice(changes, MAX_CHANGES)):
            yield pending

    async def decide(self, pending: list[Pending]) -> Decided:
        """Find the audience of each change; raises Unavailable or PoolTimeout."""
        await self._meet_tables({change.relation.oid for _, change in pending})
        began, slices = self.clock.monotonic(), Slices(self.clock)
        cases: list[Case] = []
        for transaction, change in pending:
            await slices.rest()
            case = await self._case(transaction, change, slices)
            if case is not None:
                cases.append(case)
        if not cases:
            return Decided((), Answers())
        await self._evaluate_conditions(cases)
        answers = await self.visibility.check(self._questions(cases))
        for caller in answers.slow:
            self.slow_callers.add(caller)
        return Decided(cases, answers, self.clock.monotonic() - began)

    async def deliver(self, decided: Decided) -> None:
        """Deliver a batch."""
        batch, slices = self.fanout.batch(), Slices(self.clock)
        for number, case in enumerate(decided.cases):
            self._add(batch, number, case, decided.answers)
            await slices.rest()
        await self.fanout.send(batch)

    def _is_message(self, change: RowChange) -> bool:
        is_message = self.messages.is_one(change.relation)
        if is_message:
            self.messages.deliver(change)
        return is_message

    async def _meet_tables(self, tables: set[int]) -> None:
        """Read the publication again: a new table may match a wildcard."""
        new = tables - self._met
        if new - self.subscriptions.tables:
            await self.subscriptions.follow_publication()
        self._met |= new

    async def _case(
        self, transaction: Transaction, change: RowChange, slices: Slices
    ) -> Case | None:
        """The change with its matching subscriptions; None without any."""
        index = self.subscriptions.index.table(change.relation.oid)
        if index is None or not index.roles(change.action):
            return None
        table = await self._settle(index, transaction, change, slices)
        if table is None:
            facts = {"table": f"{change.relation.schema}.{change.relation.name}"}
            self.observer(Observation("table_gone", Severity.WARNING, facts))
            return None
        resolved = payload.resolve(change, table, transaction)
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
            resolved,
            found,
            index,
            admitted=frozenset(role for role, error in refusals.items() if not error),
            needs_check=asks and table.has_policies,
            # A caller who may not read a guarded table's key does not learn of a deletion.
            refused={} if table.is_guarded else refused,
        )

    async def _settle(
        self, index: TableIndex, transaction: Transaction, change: RowChange, slices: Slices
    ) -> Table | None:
        """Load the table and its column privileges; None where it was dropped."""
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

    async def _evaluate_conditions(self, cases: Sequence[Case]) -> None:
        """Have PostgreSQL evaluate the remaining conditions, and set each audience."""
        unknown = list(
            dict.fromkeys(
                (number, condition)
                for number, case in enumerate(cases)
                for _, conditions in case.found.unknown
                for condition in conditions
            )
        )
        verdicts: dict[tuple[int, Condition], Verdict] = {}
        if unknown:
            questions = [_comparison(cases[number].change, c) for number, c in unknown]
            answers = await Comparisons(self.database, self.observer).evaluate(questions)
            verdicts = dict(zip(unknown, answers, strict=True))
        for number, case in enumerate(cases):
            audiences = list(case.found.audiences)
            for audience, conditions in case.found.unknown:
                found = [verdicts[number, condition] for condition in conditions]
                if all(found):
                    audiences.append(audience)
                elif None in found and False not in found:
                    self.subscriptions.cut_off(audience.channels())
            case.audience = case.index.audience(audiences).of_roles(case.admitted)

    # Row-level security

    def _questions(self, cases: Sequence[Case]) -> dict[int, tuple[Resolved, frozenset[Caller]]]:
        """The callers to check, by the number of the case."""
        wanted: dict[int, tuple[Resolved, frozenset[Caller]]] = {}
        for number, case in enumerate(cases):
            viewers = case.audience.viewers
            if case.needs_check and viewers:
                case.slow = self.slow_callers.among(viewers)
                wanted[number] = (case.change, viewers - case.slow if case.slow else viewers)
        return wanted

    def _add(self, batch: Batch, number: int, case: Case, answers: Answers) -> None:
        for error, audience in case.refused.items():
            batch.add(case.change, audience.by_viewer.values(), error)
        recipients = case.audience.by_viewer
        # Callers left out of the check are queued, even if they are no longer slow.
        slow = self.slow_callers.among(case.audience.viewers) | case.slow
        seeing = answers.seen[number] if case.needs_check else recipients
        seen_by = [c for c in seeing if c not in slow] if slow else seeing
        batch.add(case.change, map(recipients.__getitem__, seen_by))
        if number in answers.failed:
            self.fanout.notify_errors(case.change, answers.failed[number], recipients)
        for caller in slow:
            self.slow_callers.put(
                caller, QueuedChange(case.change, recipients[caller], case.needs_check)
            )


def _comparison(change: Resolved, condition: Condition) -> Comparison:
    column = next(c for c in change.table.columns if c.name == condition.column)
    return Comparison(condition, column.type.oid, payload.text_of(change.row[column.name]) or "")
