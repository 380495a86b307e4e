"""Settings are read whole, and every problem of them is named."""

from __future__ import annotations

import pytest

from compat_base.values.settings import SettingsError
from realtime_compat.settings import read_settings
from tests.harness_realtime import SECRET


@pytest.mark.parametrize("text", ["{", "{}x", "[1]", '[{"key": "secret"}]', '[{"until": 1}]', "1"])
def test_retired_keys_that_cannot_be_read_are_a_problem_without_the_keys(text: str):
    with pytest.raises(SettingsError) as caught:
        read_settings({"API_JWT_SECRET": SECRET, "REALTIME_RETIRED_KEYS": text})
    assert "REALTIME_RETIRED_KEYS" in str(caught.value.problems)
    assert "secret" not in str(caught.value.problems)


def test_settings_are_read_from_the_originals_variables():
    settings = read_settings(
        {
            "API_JWT_SECRET": SECRET,
            "DB_HOST": "db",
            "DB_USER": "me",
            "DB_PASSWORD": "p@ss",
            "DB_NAME": "x",
            "TENANT_MAX_CONCURRENT_USERS": "7",
        }
    )
    assert settings.database_url == "postgresql://me:p%40ss@db:5432/x"
    assert settings.limits.connections == 7
    assert SECRET not in repr(settings.api_secret)


def test_every_problem_of_the_settings_is_told():
    with pytest.raises(SettingsError) as caught:
        read_settings({"API_JWT_JWKS": "{", "PORT": "x", "JWT_CLAIM_VALIDATORS": "[]"})
    assert len(caught.value.problems) == 4


@pytest.mark.parametrize(
    "url", ["redis://h", "rediss://:p@h:6380/1", "unix:///run/redis.sock?db=1"]
)
def test_an_address_of_redis_is_taken(url: str):
    assert read_settings({"API_JWT_SECRET": SECRET, "REDIS_URL": url}).redis_url == url


@pytest.mark.parametrize("url", ["localhost:6379", "http://h", "redis://:secret@h:99999/0"])
def test_an_address_that_redis_cannot_have_is_a_problem_without_its_password(url: str):
    with pytest.raises(SettingsError) as caught:
        read_settings({"API_JWT_SECRET": SECRET, "REDIS_URL": url})
    (problem,) = caught.value.problems
    assert problem.startswith("REDIS_URL must be")
    assert "secret" not in problem
