"""What may be called though it is not public."""

from __future__ import annotations

from ipaddress import ip_address

from compat_stack.network.egress import egress_of


def test_hosts_and_networks_of_the_variable_may_be_called():
    allowed = egress_of({"GOTRUE_EGRESS_ALLOW_LIST": "login.lan, 10.1.0.0/16"})
    assert allowed.has_host("login.lan")
    assert allowed.has_address(ip_address("10.1.2.3"))
    assert not allowed.has_address(ip_address("10.2.2.3"))


def test_without_it_public_addresses_alone():
    assert not egress_of({}).has_address(ip_address("127.0.0.1"))
