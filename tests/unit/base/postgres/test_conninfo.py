"""The words of a failed connection, and the settings beside a connection string."""

from __future__ import annotations

import psycopg
import pytest

from compat_base.postgres.conninfo import failure, split_settings

REFUSED = 'connection to server at "{}", port 1 failed: Connection refused'


def failed(text: str) -> psycopg.OperationalError:
    return psycopg.OperationalError(text)


@pytest.mark.parametrize(
    "prefix", ["connection failed: ", "connection is bad: ", "consuming input failed: "]
)
def test_what_the_driver_puts_before_libpqs_words_is_left_out(prefix: str):
    assert (
        failure(failed(f"{prefix}server closed the connection\n")) == "server closed the connection"
    )


def test_a_host_that_is_unknown_is_told_as_by_libpq():
    error = failed("failed to resolve host 'db.invalid': [Errno -2] Name or service not known")
    assert failure(error) == (
        'could not translate host name "db.invalid" to address: Name or service not known'
    )


def test_a_name_is_told_beside_the_address_that_it_stands_for():
    error = failed(f"connection failed: {REFUSED.format('10.0.0.5')}")
    assert failure(error, "postgresql://u@db.example:1/d") == (
        'connection to server at "db.example" (10.0.0.5), port 1 failed: Connection refused'
    )


@pytest.mark.parametrize(
    "conninfo", ["", "host=10.0.0.5", "host=a,b", "host=a hostaddr=10.0.0.5", "nonsense"]
)
def test_no_name_is_told_where_none_is_certain(conninfo: str):
    words = REFUSED.format("10.0.0.5")
    assert failure(failed(f"connection failed: {words}"), conninfo) == words


def test_several_attempts_are_told_one_after_the_other():
    error = failed(
        f"connection failed: {REFUSED.format('127.0.0.1')}\n"
        "Multiple connection attempts failed. All failures were:\n"
        f"- host: 'localhost', port: '1', hostaddr: '::1': connection failed: {REFUSED.format('::1')}\n"
        f"- host: '127.0.0.1', port: '1', hostaddr: '127.0.0.1': connection failed: {REFUSED.format('127.0.0.1')}"
    )
    assert failure(error).splitlines() == [
        'connection to server at "localhost" (::1), port 1 failed: Connection refused',
        'connection to server at "127.0.0.1", port 1 failed: Connection refused',
    ]


def test_a_query_keeps_what_libpq_knows_and_gives_the_rest_as_settings():
    url = "postgres://u:p%2F@h/d?application_name=x&search_path=a&timezone=UTC"
    assert split_settings(url) == (
        "postgres://u:p%2F@h/d?application_name=x",
        {"search_path": "a", "timezone": "UTC"},
    )
