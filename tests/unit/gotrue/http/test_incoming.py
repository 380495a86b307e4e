"""Members of bodies, queries and forms: auth reference 1.1, 1.2."""

from __future__ import annotations

import pytest

from compat_base.values.errors import ApiError
from compat_base.values.http import HttpRequest
from gotrue_compat.http.incoming import Incoming, Members
from gotrue_compat.http.json_body import NotJsonError
from tests.unit.gotrue.incoming import form, posted


def test_a_name_is_found_in_any_case_and_the_very_one_first():
    members = Members({"EMAIL": "other", "email": "own"})
    assert members.text("email") == "own"
    assert Members({"EMAIL": "other"}).text("email") == "other"


def test_null_is_absent():
    members = Members({"a": None})
    assert "a" not in members
    assert (members.text("a"), members.optional_text("a"), members.flag("a")) == ("", None, False)
    assert (members.object("a"), members.texts("a"), members.list_or_text("a")) == (None, None, ())


@pytest.mark.parametrize(
    ("value", "words"),
    [(5, "number into"), ([], "array into"), ({}, "object into"), (True, "bool into")],
)
def test_another_type_is_refused_in_gos_words(value: object, words: str):
    with pytest.raises(
        ApiError, match=f"cannot unmarshal {words} Go struct field .a of type string"
    ):
        Members({"a": value}).text("a")


def test_the_length_of_what_is_no_uuid_is_told_in_bytes():
    with pytest.raises(ApiError, match='incorrect UUID length 3 in string "éa"'):
        Members({"a": "éa"}).uuid("a")


def test_a_text_with_nul_is_refused_by_who_reads_it_and_ignored_by_others():
    members = Members({"a": "x\0", "b": "y"})
    assert members.text("b") == "y"
    with pytest.raises(ApiError, match=r"invalid character '\\x00' in string"):
        members.text("a")


def test_a_form_leaves_no_json_behind():
    with pytest.raises(ApiError, match="unexpected end of JSON input"):
        _ = form({"a": "b"}).json


def test_a_list_of_others_than_texts_is_refused():
    assert Members({"a": ["x", "y"]}).texts("a") == ("x", "y")
    assert Members({"a": ["x", None]}).texts("a") == ("x", "")  # as Go reads null
    with pytest.raises(ApiError):
        Members({"a": ["x", 5]}).texts("a")


def test_the_first_value_of_a_key_counts_and_nul_is_dropped():
    assert posted(query="a=1&a=2&b=x%00y").query == {"a": "1", "b": "xy"}


def test_only_a_form_has_fields():
    assert form({"a": "ü"}).form == {"a": "ü"}
    assert posted({"a": "b"}).form == {}


def test_a_thousand_fields_are_read_and_no_more():
    assert posted(query="&".join(["a=1"] * 1000)).query == {"a": "1"}
    with pytest.raises(ApiError):
        assert posted(query="&".join(["a=1"] * 1001)).query


def test_an_empty_body_is_no_json():
    with pytest.raises(ApiError):
        assert posted().json


def test_a_body_is_read_ahead_whether_a_form_or_json():
    sent = form({"a": "1"})
    sent.read_body()
    assert vars(sent)["form"] == {"a": "1"}
    sent = posted({"a": 1})
    sent.read_body()
    assert vars(sent)["read_json"] == {"a": 1}


def test_the_first_value_of_a_body_is_read_ahead_too():
    sent = Incoming(HttpRequest("POST", "/x", "/x", "", (), b'{"a": 1} x'))
    sent.read_body()
    assert isinstance(vars(sent)["read_json"], NotJsonError)
    assert vars(sent)["read_first_json"] == {"a": 1}


def test_a_form_of_too_many_fields_is_refused_by_who_asks_for_one():
    sent = form({str(number): "" for number in range(2_000)})
    sent.read_body()
    with pytest.raises(ApiError):
        sent.value("a")
