"""`[auth.third_party.*]`: whose tokens count besides the project's own."""

from __future__ import annotations

import pytest

from compat_base.values.settings import SettingsError
from compat_stack.project.config import read_config
from compat_stack.project.third_party import issuer_of


@pytest.mark.parametrize(
    ("provider", "config", "issuer"),
    [
        ("firebase", {"project_id": "shop-1"}, "https://securetoken.google.com/shop-1"),
        ("auth0", {"tenant": "shop"}, "https://shop.auth0.com"),
        ("auth0", {"tenant": "shop", "tenant_region": "eu"}, "https://shop.eu.auth0.com"),
        (
            "aws_cognito",
            {"user_pool_id": "eu-west-1_aB", "user_pool_region": "eu-west-1"},
            "https://cognito-idp.eu-west-1.amazonaws.com/eu-west-1_aB",
        ),
        ("clerk", {"domain": "clerk.example.com"}, "https://clerk.example.com"),
        ("clerk", {"domain": "big-cat-1.clerk.accounts.dev"}, "https://big-cat-1.clerk.accounts.dev"),
        ("workos", {"issuer_url": "https://api.workos.com/x/"}, "https://api.workos.com/x"),
    ],
)  # fmt: skip
def test_a_provider_is_an_issuer(provider: str, config: dict[str, str], issuer: str):
    assert issuer_of(provider, config) == issuer


@pytest.mark.parametrize(
    ("provider", "config", "reason"),
    [
        ("firebase", {}, "without project_id"),
        ("aws_cognito", {"user_pool_id": "a"}, "without user_pool_region"),
        ("clerk", {"domain": "evil.example"}, "wants a domain such as"),
        ("auth0", {"tenant": "a.evil.example/"}, "has a tenant with other than"),
    ],
)
def test_what_is_no_provider_is_refused(provider: str, config: dict[str, str], reason: str):
    with pytest.raises(ValueError, match=reason):
        issuer_of(provider, config)


def test_the_one_that_is_enabled_counts():
    text = (
        '[auth.third_party.clerk]\nenabled = true\ndomain = "clerk.example.com"\n'
        "[auth.third_party.firebase]\nenabled = false\n"
        '[auth.third_party.auth0]\ntenant = "shop"\n'
    )
    config = read_config(text, {}, "config.toml", "folder")
    assert config.variables["THIRD_PARTY_ISSUER"] == "https://clerk.example.com"
    assert config.remarks == config.not_served == ()


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        (
            "[auth.third_party.clerk]\nenabled = true",
            "config.toml:1: [auth.third_party.clerk] is enabled without domain",
        ),
        (
            (
                '[auth.third_party.auth0]\nenabled = true\ntenant = "a"\n'
                '[auth.third_party.firebase]\nenabled = true\nproject_id = "b"'
            ),
            "config.toml:4: [auth.third_party.firebase] is the second that is enabled: one may be",
        ),
    ],
)
def test_what_is_wrong_with_it_is_told_with_its_line(text: str, problem: str):
    with pytest.raises(SettingsError) as caught:
        read_config(text, {}, "config.toml", "folder")
    assert caught.value.problems == (problem,)


def test_one_whose_variable_is_missing_is_left_off():
    text = '[auth.third_party.clerk]\nenabled = true\ndomain = "env(CLERK_DOMAIN)"'
    config = read_config(text, {}, "config.toml", "folder")
    assert "THIRD_PARTY_ISSUER" not in config.variables
    assert config.remarks == (
        "config.toml:3: env(CLERK_DOMAIN) is not set, in .env neither: [auth.third_party.clerk] is left off",
    )
