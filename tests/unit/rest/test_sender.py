"""What is read of a request's headers."""

import json

from rest_compat.request.sender import sender_of


def test_sql_sees_the_last_of_repeated_headers():
    sender = sender_of((("x-one", "a"), ("x-one", "b")))
    assert json.loads(sender.headers) == {"x-one": "b"}


def test_the_first_origin_is_the_one_that_is_answered():
    assert sender_of((("origin", "http://a"), ("origin", "http://b"))).origin == "http://a"
