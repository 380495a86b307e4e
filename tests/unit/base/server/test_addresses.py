"""What one address may have of the server, whoever it says it is, and however many there are."""

from __future__ import annotations

import pytest

from compat_base.server.addresses import BURST_SECONDS, KEPT, AddressRates, AddressShares
from compat_base.server_limits import ServerLimits, address_limit


def test_an_address_has_its_share_and_not_another_ones():
    shares = AddressShares(2)
    assert [shares.take("192.0.2.1") for _ in range(3)] == [True, True, False]
    assert shares.take("192.0.2.2")


def test_what_is_closed_may_be_opened_again():
    shares = AddressShares(1)
    for _ in range(3):
        assert shares.take("192.0.2.1")
        assert not shares.take("192.0.2.1")
        shares.give_back("192.0.2.1")
    assert shares._open == {}


@pytest.mark.parametrize(
    ("one", "other"), [("2001:db8::1", "2001:db8::ffff:1"), ("::ffff:192.0.2.1", "192.0.2.1")]
)
def test_a_site_with_many_addresses_has_one_share(one: str, other: str):
    shares = AddressShares(1)
    assert shares.take(one)
    assert not shares.take(other)
    shares.give_back(other)
    assert shares.take("2001:db8:0:1::1")


def test_new_connections_come_at_their_rate_after_a_burst():
    rates = AddressRates(2)
    burst = 2 * BURST_SECONDS
    assert [rates.spend("192.0.2.1", 5.0) for _ in range(burst + 1)] == [True] * burst + [False]
    assert rates.spend("192.0.2.2", 5.0)
    assert [rates.spend("192.0.2.1", 6.0) for _ in range(3)] == [True, True, False]
    assert [rates.spend("192.0.2.1", 1e6) for _ in range(burst + 1)] == [True] * burst + [False]


def test_no_flood_of_addresses_fills_the_memory():
    rates = AddressRates(1)
    for number in range(KEPT + 100):
        rates.spend(f"10.{number >> 16}.{number >> 8 & 255}.{number & 255}", 0.0)
    assert len(rates._buckets) == KEPT


def test_half_of_all_is_the_share_that_nobody_set():
    assert address_limit(ServerLimits(), 4_000) == 1_500
    assert address_limit(ServerLimits(connections=1), 4_000) == 1
    assert address_limit(ServerLimits(address_connections=7), 4_000) == 7
