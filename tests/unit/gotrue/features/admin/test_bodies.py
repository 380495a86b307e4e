"""What is read of requests of administrators."""

from __future__ import annotations

from uuid import UUID

import pytest

from compat_base.values.errors import ApiError
from gotrue_compat.features.admin import bodies
from tests.unit.gotrue.incoming import ID, posted


def test_a_password_that_is_not_given_is_told_from_an_empty_one():
    assert bodies.user_record(posted({})).password is None
    assert bodies.user_record(posted({"password": ""})).password == ""


def test_a_deletion_is_hard_unless_its_body_says_otherwise():
    assert not bodies.user_deletion(posted(user_id=ID)).should_soft_delete
    soft = bodies.user_deletion(posted({"should_soft_delete": True}, user_id=ID))
    assert (soft.user_id, soft.should_soft_delete) == (UUID(ID), True)


def test_a_factors_id_and_body_are_read_once_its_user_is_known():
    read = bodies.user_factor(posted(user_id=ID, factor_id="x"))
    assert read.user_id == UUID(ID)
    with pytest.raises(ApiError):
        read.factor_id()


def test_lists_are_asked_for_by_the_query():
    listed = bodies.user_list(posted(query="page=2&per_page=5&filter=a%40b&page=9"))
    assert (listed.page, listed.per_page, listed.filter) == ("2", "5", "a@b")
    assert bodies.audit(posted(query="query=author:a")).query == "author:a"


def test_a_link_is_asked_for_by_type():
    assert bodies.link_request(posted({"type": "invite", "email": "a@b"})).kind == "invite"
