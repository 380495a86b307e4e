"""Who a token says is asking."""

import json

import pytest
from jwt import PyJWS

from compat_base.values import jsontext, jwt
from compat_base.values.errors import ApiError
from rest_compat.auth.authenticate import AuthRules, TokenCache, authenticate
from rest_compat.auth.role_claim import parse_role_claim_path

KEY = jwt.secret_key("a secret for the tests, long enough")
NOW = 1_000_000


def signed(claims):
    """A token of these claims; they may be JSON text already."""
    text = claims if isinstance(claims, str) else json.dumps(claims)
    return PyJWS().encode(text.encode(), KEY.private, "HS256")


def identity(claims, *, anon="anon", cache=None, audience=None):
    rules = AuthRules((KEY,), audience, parse_role_claim_path("$.role"), anon)
    token = None if claims is None else signed(claims)
    return authenticate(token, rules, cache or TokenCache(10), NOW)


def refusal(claims, **rules):
    with pytest.raises(ApiError) as raised:
        identity(claims, **rules)
    return raised.value.problem


def test_the_role_is_the_tokens_or_the_anonymous_one():
    assert identity({"role": "member"}).role == "member"
    assert identity({}).role == identity(None).role == "anon"
    assert refusal(None, anon=None).code == "PGRST302"


@pytest.mark.parametrize(
    ("claims", "message"),
    [
        ({"exp": NOW - 31}, "JWT expired"),
        ({"nbf": NOW + 31}, "JWT not yet valid"),
        ({"iat": NOW + 31}, "JWT issued at future"),
        ({"exp": "soon"}, "The JWT 'exp' claim must be a number"),
        ({"aud": "other"}, "JWT not in audience"),
    ],
)
def test_a_token_counts_in_its_time_and_for_its_audience(claims, message):
    found = refusal(claims, audience="here")
    assert (found.code, found.message) == ("PGRST303", message)
    assert identity({"exp": NOW - 30, "nbf": NOW + 30, "aud": ["here"]}, audience="here")


@pytest.mark.parametrize("header", [{"kid": 5}, {"typ": 5}, {"cty": ["a"]}])
def test_a_token_whose_header_has_no_texts_cannot_be_read(header):
    made = jwt.sign({"role": "member"}, KEY)
    head = jsontext.base64url(jsontext.encode_bytes({"alg": "HS256"} | header))
    rules = AuthRules((KEY,), None, parse_role_claim_path("$.role"), "anon")
    with pytest.raises(ApiError) as raised:
        authenticate(f"{head}.{made.partition('.')[2]}", rules, TokenCache(10), NOW)
    assert raised.value.problem.message == "JWT cryptographic operation failed"


@pytest.mark.parametrize("number", ["1e10000000", "-1e10000000", "1e300", "1e-10000000", "0.5"])
def test_a_time_that_is_no_whole_number_of_64_bits_counts_as_0(number):
    payload = f'{{"role":"member","nbf":{number},"iat":{number}}}'
    assert identity(payload).role == "member"
    assert refusal(f'{{"exp":{number}}}').message == "JWT expired"


def test_a_number_beyond_what_can_be_read_is_refused():
    assert refusal(f'{{"exp":1e{"9" * 20}}}').message == "Parsing claims failed"


def test_a_token_is_checked_once_and_its_times_each_time():
    cache = TokenCache(1)
    for role in ("one", "one", "other"):
        assert json.loads(identity({"role": role}, cache=cache).claims) == {"role": role}
    assert (cache.requests, cache.hits, cache.evictions) == (3, 1, 1)
