"""A plan with its script, as the plan cache keeps it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

from compat_base.values.http import HttpRequest
from rest_compat.catalog.model import SchemaCache
from rest_compat.plan.model import InfoPlan, InspectPlan, Plan, StatementPlan
from rest_compat.plan.read import PlanRules
from rest_compat.query.build import Script, TransactionScript, build_inspection, build_script
from rest_compat.query.session import Preamble, SessionRules
from rest_compat.settings import Settings


@dataclass(frozen=True, slots=True)
class PreparedStatement:
    """A read, write or call, with its script."""

    plan: StatementPlan
    script: Script


@dataclass(frozen=True, slots=True)
class PreparedInspection:
    """The root document, with the script of its transaction."""

    plan: InspectPlan
    script: TransactionScript


Prepared: TypeAlias = PreparedStatement | PreparedInspection | InfoPlan
"""A description (OPTIONS) is answered from the plan alone."""


@dataclass(frozen=True, slots=True)
class Rules:
    """The settings that plans and scripts depend on."""

    plan: PlanRules
    session: SessionRules


def build(plan: Plan, rules: SessionRules) -> Prepared:
    """The plan with its script, where it has one."""
    match plan:
        case StatementPlan():
            return PreparedStatement(plan, build_script(plan, rules))
        case InspectPlan():
            return PreparedInspection(plan, build_inspection(plan, rules))
        case InfoPlan():
            return plan


@dataclass(slots=True)  # made for each request: a frozen one takes three times as long
class Run:
    """Inputs of a response besides its plan; `mark` ends a stage of Server-Timing.

    `query` is the canonical form of the request's own.
    """

    request: HttpRequest
    query: str
    settings: Settings
    cache: SchemaCache
    preamble: Callable[[TransactionScript], Preamble]
    mark: Callable[[str], None]
