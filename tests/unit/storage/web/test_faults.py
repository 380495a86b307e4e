"""Problems become answers: storage reference 1.1, 1.2."""

from __future__ import annotations

import pytest

from compat_base.postgres.faults import Fault, PgFault, PoolTimeout
from compat_base.values import jsontext
from compat_base.values.errors import ApiError
from storage_compat import errors
from storage_compat.web import faults


def test_a_body_has_the_status_that_the_answer_has_not():
    answer = faults.answer_of(errors.NO_SUCH_BUCKET.problem())
    assert answer.status == 400
    assert jsontext.decode(answer.body) == {
        "statusCode": "404", "error": "Bucket not found", "message": "Bucket not found",
        "code": "NoSuchBucket",
    }  # fmt: skip


@pytest.mark.parametrize(
    ("path", "has_code"), [("/object/a", True), ("/objects", False), ("/x?a=1", False)]
)
def test_a_path_without_a_route_is_answered_in_one_of_two_shapes(path: str, has_code: bool):
    answer = faults.no_route("GET", path)
    assert answer.status == 404
    assert ("code" in jsontext.decode(answer.body)) is has_code


@pytest.mark.parametrize(
    ("error", "row"),
    [
        (PoolTimeout("busy"), errors.DATABASE_TIMEOUT),
        (TimeoutError(), errors.DATABASE_TIMEOUT),
        (PgFault(Fault("53300", "too many")), errors.TOO_MANY_CONNECTIONS),
        (ApiError.of(errors.NO_CONTENT), errors.NO_CONTENT),
        (RuntimeError("secret"), errors.INTERNAL),
    ],
)
def test_what_a_handler_raises_is_a_problem_and_nothing_inside_it_is_told(error, row):
    assert faults.problem_of(error) == row.problem()
