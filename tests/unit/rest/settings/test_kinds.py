"""What a setting takes, read from text and written to a file."""

import json

import pytest
from cryptography.hazmat.primitives.asymmetric import ec

from compat_base.values import jsontext
from compat_base.values.settings import SettingsError
from rest_compat.settings import kinds
from rest_compat.settings.options import dashed, merged, text_of
from rest_compat.settings.secret import signing_secret, verification_keys
from rest_compat.settings.table import Settings, database_keys, fixed_at_start, read_settings

KEY = ("k",)


@pytest.mark.parametrize(
    ("kind", "text", "value"),
    [
        (kinds.text("d"), "", "d"),
        (kinds.integer(None), "x", None),
        (kinds.integer(None), "7", 7),
        (kinds.boolean(default=True), "False", False),
        (kinds.boolean(default=False), "1", True),
        (kinds.words("a"), "b, c", ("b", "c")),
        (kinds.socket_mode(), "600", 0o600),
    ],
)
def test_a_text_is_read_as_its_kind(kind, text, value):
    assert kind.parse({"k": text}, KEY) == value


@pytest.mark.parametrize(
    ("kind", "text"),
    [
        (kinds.socket_mode(), "599"),
        (kinds.schemas("public"), "pg_catalog"),
        (kinds.audience(), "a:%"),
    ],
)
def test_what_is_no_value_of_a_kind_is_refused(kind, text):
    with pytest.raises(SettingsError):
        kind.parse({"k": text}, KEY)


def test_the_database_counts_before_the_environment_and_that_before_a_file():
    environment = {"PGRST_DB_POOL": "2", "PGRST_APP_SETTINGS_X": "y", "OTHER": "z"}
    found = merged(environment, {"db-pool": "1", "db-uri": "u"}, {"db_pool": "3"})
    assert found == {"db-pool": "3", "db-uri": "u", "app.settings.X": "y"}
    assert dashed({"a_b": "1"}) == {"a-b": "1"}
    assert text_of({"a": "", "b": "2"}, "a", "b") == "2"


def test_a_secret_is_long_enough_and_shown_as_it_was_given():
    with pytest.raises(SettingsError, match="at least 32 characters"):
        verification_keys({"jwt-secret": "short"})
    (key,) = verification_keys({"jwt-secret": "x" * 32})
    assert key.algorithms == ("HS256",)
    encoded = {"jwt-secret": "eHh4", "jwt-secret-is-base64": "true"}
    secret = signing_secret()
    found = secret.parse(encoded, ("jwt-secret",))
    assert (found.reveal(), secret.dump(found)) == ("xxx", '"eHh4"')


def test_some_settings_may_stand_in_the_database_and_some_change_at_a_start_alone():
    assert "db_max_rows" in {key.replace("-", "_") for key in database_keys(Settings)}
    assert fixed_at_start(Settings)
    assert read_settings({"PGRST_DB_TX_END": "rollback-allow-override"}).tx_override


RSA = {"kty": "RSA", "n": jsontext.base64url(b"\xff" * 256), "e": "AQAB"}
OCT = {"kty": "oct", "k": jsontext.base64url(b"x" * 32)}


@pytest.mark.parametrize(
    ("members", "kinds"),
    [
        ([], []),
        ([OCT, RSA], ["oct", "RSA"]),
        ([{**RSA, "use": "enc"}, {**OCT, "use": "sig"}], ["oct"]),
        ([{"kty": "AKP"}, {**RSA, "alg": "PS256"}, {**RSA, "alg": "RSA-OAEP"}, OCT], ["oct"]),
    ],
)
def test_of_a_key_set_those_for_signatures_of_a_known_kind_are_taken(members, kinds):
    found = verification_keys({"jwt-secret": json.dumps({"keys": members})})
    assert [key.kty for key in found] == kinds


def test_a_lone_public_key_of_a_curve_that_the_original_does_not_know_is_no_hmac_secret():
    point = ec.derive_private_key(7, ec.SECP256K1()).public_key().public_numbers()
    x, y = (jsontext.base64url(one.to_bytes(32)) for one in (point.x, point.y))
    jwk = {"kty": "EC", "crv": "secp256k1", "x": x, "y": y}
    (key,) = verification_keys({"jwt-secret": json.dumps(jwk)})
    assert key.algorithms == ("ES256K",)


def test_without_a_secret_there_is_no_key_set():
    assert verification_keys({}) is None
