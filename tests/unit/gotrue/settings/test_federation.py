"""Identity providers, SAML and the OAuth server: their variables."""

from __future__ import annotations

import base64

import pytest
from cryptography.hazmat.primitives.asymmetric import rsa
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat

from compat_base.values.setting_rows import read_rows
from compat_base.values.settings import Reader, SettingsError
from gotrue_compat.settings import federation


def reader(**values: str) -> Reader:
    return Reader({f"GOTRUE_{name}": value for name, value in values.items()}, prefix="GOTRUE_")


def test_a_provider_is_read_by_its_name():
    read = read_rows(
        federation.ExternalSettings,
        reader(
            EXTERNAL_GITHUB_ENABLED="true",
            EXTERNAL_GITHUB_CLIENT_ID="a,b",
            EXTERNAL_GITHUB_URL="http://x/",
        ),
    ).providers["github"]
    assert (read.enabled, read.client_ids, read.url) == (True, ("a", "b"), "http://x")


def test_a_sign_in_under_way_lasts_five_minutes_at_least():
    assert (
        read_rows(
            federation.ExternalSettings, reader(EXTERNAL_FLOW_STATE_EXPIRY_DURATION="1s")
        ).flow_state_seconds
        == 300
    )


def test_domains_of_providers_are_pairs():
    read = read_rows(
        federation.ExternalSettings,
        reader(EXPERIMENTAL_PROVIDER_LINKING_DOMAINS="google=a,apple=b"),
    )
    assert read.linking_domains == {"google": "a", "apple": "b"}


@pytest.mark.parametrize("text", ["google", "=a", "google="])
def test_what_is_no_pair_is_refused(text: str):
    settings_reader = reader(EXPERIMENTAL_PROVIDER_LINKING_DOMAINS=text)
    read_rows(federation.ExternalSettings, settings_reader)
    with pytest.raises(SettingsError, match="must be a pair"):
        settings_reader.finish(None)


def _key(bits: int = 2048, exponent: int = 65537) -> str:
    der = rsa.generate_private_key(exponent, bits).private_bytes(
        Encoding.DER, PrivateFormat.TraditionalOpenSSL, NoEncryption()
    )
    return base64.b64encode(der).decode()


@pytest.mark.parametrize(
    ("key", "words"),
    [
        ("eA==", "base64 of an RSA key"),
        ("%", "base64 of an RSA key"),
        (_key(1024), "2048 bits"),
        (_key(exponent=3), "exponent 65537"),
    ],
)
def test_a_key_of_saml_is_of_rsa(key: str, words: str):
    for name in ("SAML_PRIVATE_KEY", "SAML_PRIVATE_KEY_NEXT"):
        settings_reader = reader(**{"SAML_ENABLED": "true", "SAML_PRIVATE_KEY": _key(), name: key})
        federation.read_saml(settings_reader)
        with pytest.raises(SettingsError, match=f"GOTRUE_{name} .*{words}"):
            settings_reader.finish(None)


@pytest.mark.parametrize("values", [{"SAML_ENABLED": "true"}, {"SAML_EXTERNAL_URL": "nowhere"}])
def test_saml_needs_a_key_and_an_address(values: dict[str, str]):
    settings_reader = reader(**values)
    federation.read_saml(settings_reader)
    with pytest.raises(SettingsError, match="GOTRUE_SAML"):
        settings_reader.finish(None)


def test_wallets_and_the_oauth_server_are_off_until_they_are_set():
    assert not read_rows(federation.Web3Settings, reader()).solana
    assert read_rows(federation.OAuthServerSettings, reader()).max_dynamic_clients == 0
