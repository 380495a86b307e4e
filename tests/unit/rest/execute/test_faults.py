"""SQLSTATE to status, and errors that SQL raises as JSON."""

import pytest

from compat_base.postgres.faults import Fault
from rest_compat.execute.faults import problem_of_fault


@pytest.mark.parametrize(
    ("state", "message", "status"),
    [
        ("23505", "", 409),
        ("42501", "", 403),
        ("42P01", "", 404),
        ("42883", "", 404),
        ("42883", "function xmlagg(x)", 406),
        ("22023", 'role "x" does not exist', 401),
        ("22023", "bad", 400),
        ("57014", "", 500),
        ("53300", "", 503),
        ("53400", "", 500),
        ("21000", "UPDATE requires a WHERE clause", 400),
        ("21000", "", 500),
        ("P0001", "", 400),
        ("P0002", "", 500),
        ("40001", "", 500),
        ("25006", "", 405),
        ("PT418", "", 418),
        ("PTxxx", "", 500),
        ("PT099", "", 500),
        ("22P02", "", 400),
        ("0L000", "", 403),
        ("42P17", "", 500),
    ],
)
def test_sqlstates_have_their_statuses(state, message, status):
    assert problem_of_fault(Fault(state, message), authenticated=True).status == status


@pytest.mark.parametrize(
    ("message", "detail", "details"),
    [
        ("nope", None, "Invalid JSON value for MESSAGE: 'nope'"),
        ('{"code":"a","message":"b"}', None, "DETAIL is missing in the RAISE statement"),
        ('{"code":"a","message":"b"}', "{}", "Invalid JSON value for DETAIL: '{}'"),
        ('{"code":"a"}', "{}", 'Invalid JSON value for MESSAGE: \'{"code":"a"}\''),
        (
            r'{"code":"a","message":"\ud800"}',
            "{}",
            r"""Invalid JSON value for MESSAGE: '{"code":"a","message":"\ud800"}'""",
        ),
    ],
)
def test_raised_json_that_cannot_be_read_is_explained(message, detail, details):
    problem = problem_of_fault(Fault("PGRST", message, detail), authenticated=True)
    assert (problem.code, problem.status, problem.details) == ("PGRST121", 500, details)


@pytest.mark.parametrize("status", ["400", "400.0", "4e2"])
def test_a_raised_status_may_be_any_whole_number(status):
    message, detail = '{"code":"C","message":"M"}', f'{{"status":{status},"headers":{{}}}}'
    found = problem_of_fault(Fault("PGRST", message, detail), authenticated=True)
    assert (found.status, type(found.status)) == (400, int)
