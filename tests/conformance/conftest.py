"""The second stack of this ring: a project of the tests' own in the planner's place."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.conftest import served_stack
from tests.harness_stack import ROOMY, Stack

PROJECT = Path(__file__).parent / "project"
SETTINGS = {
    **ROOMY,
    "MIGRATIONS_DIR": str(PROJECT),
    "LOG_LEVEL": "debug",
    "PGRST_LOG_LEVEL": "debug",
    "PGRST_LOG_QUERY": "main-query",
    "PGRST_DB_SCHEMAS": "public,inventory",
    "PGRST_DB_PLAN_ENABLED": "true",
    "PGRST_DB_AGGREGATES_ENABLED": "true",
    "PGRST_DB_TX_END": "commit-allow-override",
    "GOTRUE_MAILER_AUTOCONFIRM": "false",
    "GOTRUE_SMTP_MAX_FREQUENCY": "1ns",
    "GOTRUE_RATE_LIMIT_EMAIL_SENT": "10000",
    "GOTRUE_EXTERNAL_ANONYMOUS_USERS_ENABLED": "true",
    "GOTRUE_EXTERNAL_PHONE_ENABLED": "true",
    "GOTRUE_SMS_TEST_OTP": "34600000001:123456,34600000002:654321",
    "GOTRUE_SMS_MAX_FREQUENCY": "1ns",
    "GOTRUE_SECURITY_MANUAL_LINKING_ENABLED": "true",
    "GOTRUE_URI_ALLOW_LIST": "https://app.example.com/**",
    "TENANT_MAX_EVENTS_PER_SECOND": "100000",
    "TENANT_MAX_JOINS_PER_SECOND": "100000",
    "TENANT_MAX_CONCURRENT_USERS": "10000",
    "REALTIME_PRESENCE_CALLS": "1000",
}


@pytest.fixture(scope="session")
def project_stack(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Stack]:
    """The stack over the small shop of `project/`, with more of the services switched on."""
    with served_stack(request, tmp_path_factory.mktemp("shop"), SETTINGS) as started:
        yield started
