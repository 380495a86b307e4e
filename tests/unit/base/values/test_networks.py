"""Which addresses are of the public internet, and what a setting permits beside them."""

from __future__ import annotations

from ipaddress import ip_address

import pytest

from compat_base.values.networks import (
    caller_network,
    is_loopback,
    is_public,
    kind_of,
    permitted,
)


@pytest.mark.parametrize(
    ("address", "kind"),
    [
        ("127.0.0.1", "loopback"), ("127.255.255.254", "loopback"), ("::1", "loopback"),
        ("10.0.0.1", "private network"), ("172.16.0.1", "private network"),
        ("172.31.255.255", "private network"), ("192.168.0.1", "private network"),
        ("100.64.0.1", "private network"), ("100.127.255.255", "private network"),
        ("fc00::1", "private network"), ("fd12:3456::1", "private network"),
        ("fec0::1", "private network"), ("169.254.169.254", "link-local"),
        ("fe80::1", "link-local"), ("fe80::1%eth0", "link-local"),
        ("224.0.0.1", "multicast"), ("239.255.255.255", "multicast"), ("ff02::1", "multicast"),
        ("0.0.0.0", "reserved"), ("0.1.2.3", "reserved"), ("::", "reserved"),
        ("255.255.255.255", "reserved"), ("240.0.0.1", "reserved"), ("192.0.0.192", "reserved"),
        ("192.0.2.1", "reserved"), ("198.18.0.1", "reserved"), ("198.51.100.1", "reserved"),
        ("203.0.113.1", "reserved"), ("192.88.99.1", "reserved"), ("168.63.129.16", "reserved"),
        ("::ffff:127.0.0.1", "loopback"), ("::ffff:10.0.0.1", "private network"),
        ("::ffff:169.254.169.254", "link-local"), ("::127.0.0.1", "reserved"),
        ("::ffff:0:127.0.0.1", "reserved"), ("64:ff9b::127.0.0.1", "loopback"),
        ("64:ff9b::a9fe:a9fe", "link-local"), ("64:ff9b:1::1", "reserved"),
        ("2002:7f00:1::", "loopback"), ("2002:0a00:0001::1", "private network"),
        ("2001:0:4136:e378:8000:63bf:80ff:fffe", "reserved"), ("2001:db8::1", "reserved"),
        ("2001:10::1", "reserved"), ("3fff::1", "reserved"), ("5f00::1", "reserved"),
        ("100::1", "reserved"), ("4000::1", "reserved"),
        ("8.8.8.8", ""), ("100.63.255.255", ""), ("100.128.0.0", ""), ("172.32.0.1", ""),
        ("198.20.0.1", ""), ("223.255.255.255", ""), ("2606:4700::1111", ""),
        ("2a00:1450:4003::1", ""), ("::ffff:8.8.8.8", ""), ("64:ff9b::8.8.8.8", ""),
        ("2002:808:808::1", ""), ("2606:4700::5efe:127.0.0.1", "loopback"),
        ("2606:4700::200:5efe:10.0.0.1", "private network"), ("fe80::5efe:8.8.8.8", "link-local"),
        ("2606:4700::5efe:169.254.169.254", "link-local"), ("2606:4700::200:5efe:8.8.8.8", ""),
    ],
)  # fmt: skip
def test_special_addresses_are_told_by_their_kind(address: str, kind: str):
    assert kind_of(ip_address(address)) == kind
    assert is_public(ip_address(address)) is (kind == "")


def test_a_setting_permits_hosts_and_networks():
    found, strange = permitted(("Keycloak", "id.lan", "10.1.0.0/16", "::1", "192.168.0.7"))
    assert strange == ()
    assert found.has_host("keycloak")
    assert found.has_host("ID.lan")
    assert not found.has_host("x.id.lan")
    for address in ("10.1.2.3", "::1", "192.168.0.7", "8.8.8.8", "::ffff:10.1.2.3"):
        assert found.has_address(ip_address(address)), address
    for address in ("10.2.0.1", "127.0.0.1", "192.168.0.8", "::ffff:10.2.0.1"):
        assert not found.has_address(ip_address(address)), address


@pytest.mark.parametrize(
    "word", ["http://x", "x:80", "a b", "10.0.0.0/33", "10.0.0.1/8", "*.lan", "u@x", "x/y", "127.1"]
)
def test_words_that_are_neither_are_told(word: str):
    assert permitted((word,))[1] == (word,)


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("192.0.2.1", "192.0.2.1"), ("2001:db8::1:2:3:4", "2001:db8::/64"),
        ("2001:db8:0:1::1", "2001:db8:0:1::/64"), ("::ffff:192.0.2.1", "192.0.2.1"),
        ("unknown", "unknown"), ("", ""), ("1" * 70, "1" * 70),
    ],
)  # fmt: skip
def test_a_limit_knows_a_caller_by_the_site(text: str, name: str):
    assert caller_network(text) == name


@pytest.mark.parametrize("text", ["127.0.0.1", "127.8.8.8", "::1", "::ffff:127.0.0.1"])
def test_an_address_of_this_machine_is_loopback(text: str):
    assert is_loopback(text)


@pytest.mark.parametrize("text", ["10.0.0.1", "0.0.0.0", "::", "localhost", "", "127.1"])
def test_any_other_text_is_not(text: str):
    assert not is_loopback(text)
