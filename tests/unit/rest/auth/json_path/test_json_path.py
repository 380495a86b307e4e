"""Paths into JSON: reading, finding, writing (RFC 9535)."""

import pytest

from rest_compat.auth.json_path.finding import find
from rest_compat.auth.json_path.reading import JsonPathError, parse_json_path
from rest_compat.auth.json_path.writing import text_of

CLAIMS = {
    "role": "top",
    "a.b": "dotted",
    "https://x/role": "linked",
    "app": {"roles": ["one", "two", "admin"], "level": 3, "role": "deep"},
    "list": [{"name": "x", "level": 1, "ok": True}, {"name": "y", "level": 2}, 5, None],
}


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("$", [CLAIMS]),
        ("$.role", ["top"]),
        ("$ .app .level", [3]),
        ("$['a.b']", ["dotted"]),
        ('$["https://x/role"]', ["linked"]),
        ("$['app']['roles'][0]", ["one"]),
        ("$.app.roles[-1]", ["admin"]),
        ("$.app.roles[3]", []),
        ("$.app.roles[-4]", []),
        ("$.app.roles[0,2]", ["one", "admin"]),
        ("$['role', 'a.b']", ["top", "dotted"]),
        ("$.app.roles[1:]", ["two", "admin"]),
        ("$.app.roles[::-1]", ["admin", "two", "one"]),
        ("$.app.roles[0:3:2]", ["one", "admin"]),
        ("$.app.roles[::0]", []),
        ("$.app.*", [3, "deep", ["one", "two", "admin"]]),
        ("$.app.roles[*]", ["one", "two", "admin"]),
        ("$..role", ["top", "deep"]),
        ("$..[0]", ["one", CLAIMS["list"][0]]),
        ('$.app.roles[?(@ == "admin")]', ["admin"]),
        ("$.app.roles[?@ > 'b']", ["one", "two"]),
        ("$.app.roles[?@ != 'one']", ["two", "admin"]),
        ("$.list[?@.level >= 2].name", ["y"]),
        ("$.list[?@.level == 1 && @.ok == true].name", ["x"]),
        ("$.list[?@.level == 9 || @.name == 'y'].name", ["y"]),
        ("$.list[?@.ok].name", ["x"]),
        ("$.list[?!@.ok && @.name].name", ["y"]),
        ("$.list[?!(@.level < 2) && @.level].name", ["y"]),
        ("$.list[?@.level < $.app.level].name", ["x", "y"]),
        ("$.list[?@.none == @.neither].name", ["x", "y"]),
        ("$.list[?@ == null]", [None]),
        ("$.list[?@.ok == 1]", []),
        ("$.app.roles[?search(@, '^ad')]", ["admin"]),
        ("$.app.roles[?search(@, '[')]", []),
        ("$.role.deeper", []),
        (r"$['\u0072ole']", ["top"]),
    ],
)
def test_a_path_leads_to_its_values_in_order(text, found):
    assert find(parse_json_path(text), CLAIMS) == found


@pytest.mark.parametrize(
    "text",
    ["", "role", "$role", "$.", "$.a-b", "$.1", "$[", "$[]", "$[01]", "$[a]", "$['a", "$.a ",
     "$[?]", "$[?@.a =]", "$[?(@.a]", "$[?length(@)]", "$.a[?@ == 'x]", r"$['\x']"],
)  # fmt: skip
def test_what_is_no_path_is_refused(text):
    with pytest.raises(JsonPathError):
        parse_json_path(text)


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("$.role", "$.role"),
        ('$ ["a"] .b', "$['a'].b"),
        ("$..a..[0]..*", "$..a..[0]..*"),
        ("$.a[1:2]", "$.a[1:2:1]"),
        ("$.a[:2]", "$.a[:2:1]"),
        ("$.a[1::3]", "$.a[1::3]"),
        ("$.a[*, 'b', -1]", "$.a[*,'b',-1]"),
        ('$.r[?(@ == "x")]', "$.r[?(@ == 'x')]"),
        ("$.r[?@.a>=1||!@.b]", "$.r[?@.a >= 1.0 || !@.b]"),
        ("$.r[?@.a==true&&search(@.b,'x')]", "$.r[?@.a == true && search(@.b, 'x')]"),
        ("$.r[?@.a != null]", "$.r[?@.a != null]"),
    ],
)
def test_a_path_is_written_in_one_way(text, written):
    assert text_of(parse_json_path(text)) == written
