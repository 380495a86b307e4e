"""Sockets by address: how many may be open, and how many may be opened a second."""

from __future__ import annotations

import pytest

from compat_base.values.errors import ApiError
from realtime_compat.transports import addresses
from realtime_compat.transports.addresses import AddressLimits, address_of


def is_admitted(limits: AddressLimits, address: str | None, now: float = 0) -> bool:
    try:
        limits.admit(address, now)
    except ApiError as error:
        assert (error.problem.status, error.problem.message) == (
            429,
            "Too many connections from one address",
        )
        return False
    limits.opened(address)
    return True


def test_an_address_with_all_its_sockets_open_gets_one_when_one_closes():
    limits = AddressLimits(most_open=2, new_per_second=100)
    assert [is_admitted(limits, "192.0.2.1") for _ in range(3)] == [True, True, False]
    assert is_admitted(limits, "192.0.2.2")
    limits.closed("192.0.2.1")
    assert is_admitted(limits, "192.0.2.1")


def test_an_address_that_opens_too_many_waits_and_no_other_does():
    limits = AddressLimits(most_open=1000, new_per_second=2)
    assert [is_admitted(limits, "192.0.2.1") for _ in range(11)] == [True] * 10 + [False]
    assert is_admitted(limits, "192.0.2.2")
    assert is_admitted(limits, "192.0.2.1", now=30)


def test_without_a_gateway_no_address_is_limited():
    limits = AddressLimits(most_open=1, new_per_second=1)
    assert all(is_admitted(limits, None) for _ in range(100))


def test_addresses_without_sockets_are_forgotten(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(addresses, "MAX_ADDRESSES", 10)
    limits = AddressLimits(most_open=1, new_per_second=1)
    for number in range(100):
        assert is_admitted(limits, f"192.0.2.{number}")
        limits.closed(f"192.0.2.{number}")
    assert (len(limits._new), len(limits._open)) == (10, 0)


@pytest.mark.parametrize(
    ("header", "address"),
    [
        (None, None),
        ("", None),
        ("192.0.2.1", "192.0.2.1"),
        ("203.0.113.9, 192.0.2.1", "192.0.2.1"),
        ("::ffff:192.0.2.1", "192.0.2.1"),
        ("2001:db8:1:2:3::4", "2001:db8:1:2::/64"),
        ("unknown", "unknown"),
        ("x" * 1000, "x" * 64),
    ],
)
def test_the_callers_address_is_the_last_hop(header: str | None, address: str | None):
    assert address_of(header) == address
