"""What is read of a request's headers."""

import json

from rest_compat.request.headers import read_headers


def test_sql_sees_the_last_of_repeated_headers():
    sender = read_headers((("x-one", "a"), ("x-one", "b")))
    assert json.loads(sender.headers) == {"x-one": "b"}


def test_the_first_origin_is_the_one_that_is_answered():
    assert read_headers((("origin", "http://a"), ("origin", "http://b"))).origin == "http://a"


def test_cookies_are_those_of_the_first_header_of_their_name():
    sender = read_headers((("cookie", "k=1;  j= 2 ;k;"), ("cookie", "k=3")))
    assert json.loads(sender.cookies) == {"k": "", "j": " 2 "}
    assert json.loads(read_headers((("cookie", ""), ("cookie", "k=3"))).cookies) == {}


def test_a_cookie_loses_the_quotes_around_its_value():
    sender = read_headers((("cookie", 'a="q"; b=""; c="; d="q" ;e=""q""'),))
    assert json.loads(sender.cookies) == {"a": "q", "b": "", "c": '"', "d": '"q" ', "e": '"q"'}
