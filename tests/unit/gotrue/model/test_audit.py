"""Audit actions."""

from __future__ import annotations

from gotrue_compat.model.audit import Action, AuditEntry
from tests.unit.gotrue.records import row


def test_no_two_actions_are_written_alike():
    names = [action.value[0] for action in Action]
    assert len(set(names)) == len(names)


def test_an_entry_is_read_as_it_is_stored():
    entry = AuditEntry.from_row(row(AuditEntry, payload={"action": "login"}, ip_address="::1"))
    assert (entry.payload, entry.ip_address) == ({"action": "login"}, "::1")
