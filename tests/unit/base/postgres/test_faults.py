"""What PostgreSQL refuses, sorted into answers and lost connections."""

from __future__ import annotations

import pytest

from compat_base.postgres.faults import Fault, PgFault, Unavailable, refusal


@pytest.mark.parametrize("sqlstate", ["08006", "08P01", "57P01", "57P03"])
def test_a_connection_that_is_no_more_is_unavailable(sqlstate: str):
    refused = refusal(Fault(sqlstate, "going"))
    assert isinstance(refused, Unavailable)
    assert (str(refused), refused.fault) == ("going", Fault(sqlstate, "going"))


@pytest.mark.parametrize("sqlstate", ["23505", "42501", "57014", "40001", "P0001"])
def test_a_statement_that_is_refused_is_a_fault(sqlstate: str):
    refused = refusal(Fault(sqlstate, "no", detail="d"))
    assert isinstance(refused, PgFault)
    assert refused.fault.detail == "d"
    assert str(refused) == f"{sqlstate}: no"
