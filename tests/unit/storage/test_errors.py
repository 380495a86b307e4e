"""What PostgreSQL refuses, and the status of each answer: storage reference 1.1, 1.9."""

from __future__ import annotations

import pytest

from compat_base.postgres.faults import Fault
from compat_base.values.errors import Row
from storage_compat import errors


@pytest.mark.parametrize(
    ("fault", "row"),
    [
        (Fault("42501", "new row violates row-level security policy"), errors.ROW_LEVEL_SECURITY),
        (Fault("23505", "duplicate key"), errors.RESOURCE_EXISTS),
        (Fault("23503", "m", detail="is still referenced from"), errors.REFERENCED),
        (Fault("23503", "m", detail="is not present in"), errors.NO_RELATED),
        (Fault("57014", "canceled"), errors.DATABASE_TIMEOUT),
    ],
)
def test_a_sqlstate_is_the_row_that_it_means(fault: Fault, row: Row):
    assert errors.problem_of(fault) == row.problem()


def test_what_a_policy_raises_is_told_and_other_refusals_name_their_code_alone():
    assert errors.problem_of(Fault("42501", "no")).message == "no"
    assert errors.problem_of(Fault("XX001", "secret")).message == "database error, code: XX001"


@pytest.mark.parametrize(
    ("row", "status"),
    [(errors.NO_SUCH_KEY, 400), (errors.INVALID_RANGE, 416), (errors.DATABASE_TIMEOUT, 544),
     (errors.IMAGES_BUSY, 503), (errors.INVALID_ROLE, 403), (errors.KEY_EXISTS, 400)],
)  # fmt: skip
def test_only_a_few_answers_have_their_own_status(row: Row, status: int):
    assert errors.http_status(row.problem()) == status
