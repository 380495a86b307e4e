"""Metadata are merged key by key; what a deleted user leaves tells nothing."""

from __future__ import annotations

from uuid import UUID

from gotrue_compat.rules.metadata import merged, obfuscated, obfuscated_phone

USER = UUID(int=7)


def test_null_deletes_a_key_and_objects_are_replaced_whole():
    old = {"a": 1, "b": {"c": 1, "d": 2}, "e": None}
    assert merged(old, {"a": None, "b": {"c": 3}}) == {"b": {"c": 3}, "e": None}


def test_obfuscated_values_stay_the_same_for_a_user_and_differ_between_users():
    assert obfuscated(USER, "a@b.es") == obfuscated(USER, "a@b.es")
    assert obfuscated(USER, "a@b.es") != obfuscated(UUID(int=8), "a@b.es")
    assert len(obfuscated(USER, "a@b.es")) == 43
    assert len(obfuscated_phone(USER, "34600000000")) == 15
