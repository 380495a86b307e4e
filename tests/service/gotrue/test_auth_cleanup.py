"""What requests leave in the database goes again: auth reference 5.9, docs/limits."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from datetime import UTC, datetime
from typing import Any

import pytest
import pytest_asyncio

from compat_base.postgres.database import open_database
from compat_base.values.world import real_world
from compat_stack.keys.installation import make_keys
from compat_stack.services.manifest import AUTH
from compat_stack.services.service import Deployment, variables_of
from compat_stack.settings import read_settings as read_stack_settings
from gotrue_compat.app.composition import pool_settings, prepare
from gotrue_compat.core.cleanup import is_due
from gotrue_compat.settings import read_settings
from gotrue_compat.store.cleanup import BATCH, Retention, clean
from gotrue_compat.store.rate_limits import DatabaseBuckets
from tests.harness_auth import BASE, Auth

Clean = Callable[..., Awaitable[None]]
# A row of each kind that is older than it may get, by what anybody's requests make
EXPIRED = {
    "flow_state": (
        "insert into auth.flow_state (id, provider_type, authentication_method, created_at)"
        " values (gen_random_uuid(), 'email', 'magiclink', now() - interval '25 hours')"
    ),
    "oauth_client_states": (
        "insert into auth.oauth_client_states (id, provider_type, created_at)"
        " values (gen_random_uuid(), 'google', now() - interval '25 hours')"
    ),
    "webauthn_challenges": (
        "insert into auth.webauthn_challenges (id, challenge_type, session_data, created_at, expires_at)"
        " values (gen_random_uuid(), 'authentication', '{}', now() - interval '2 h', now() - interval '1 h')"
    ),
    "code_tries": (
        "insert into auth.code_tries (subject, tries, last_at)"
        " values (gen_random_uuid(), 1, now() - interval '25 hours')"
    ),
    "oauth_authorizations": (
        "with client as (insert into auth.oauth_clients (id, registration_type, redirect_uris,"
        " grant_types, token_endpoint_auth_method) values (gen_random_uuid(), 'dynamic', '', '', 'none')"
        " returning id) insert into auth.oauth_authorizations (id, authorization_id, client_id,"
        " redirect_uri, scope, created_at, expires_at) select gen_random_uuid(), gen_random_uuid()::text,"
        " id, '', '', now() - interval '26 hours', now() - interval '25 hours' from client"
    ),
}  # fmt: skip


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def cleaning(server, services_database) -> AsyncIterator[Clean]:
    """Cleans the file's database as of now."""
    url = server.url(services_database, "supabase_auth_admin")
    settings = read_settings(BASE | {"DATABASE_URL": url})
    async with open_database(pool_settings(settings), prepare=prepare) as database:

        async def cleaned(**kept: Any) -> None:
            await clean(database, datetime.now(UTC), Retention(**kept))

        yield cleaned


async def count(auth: Auth, table: str) -> int:
    [row] = await auth.rows(f"select count(*) as rows from auth.{table}")
    return row["rows"]


async def test_sessions_go_three_days_after_their_end(auto: Auth, cleaning: Clean, email: str):
    await auto.signed_up(email)
    await auto.rows("update auth.sessions set not_after = now() - interval '71 hours'")
    await cleaning()
    assert await count(auto, "sessions") == 1
    await auto.rows("update auth.sessions set not_after = now() - interval '73 hours'")
    await cleaning()
    assert await count(auto, "sessions") == 0


@pytest.mark.parametrize("table", EXPIRED)
async def test_more_rows_than_one_batch_go_in_one_round(auto: Auth, cleaning: Clean, table: str):
    insert = EXPIRED[table]
    await auto.rows(f"do $$ begin for i in 0..{BATCH} loop {insert}; end loop; end $$")
    assert await count(auto, table) == BATCH + 1
    await cleaning()
    assert await count(auto, table) == 0


async def test_users_without_an_address_go_after_a_month_only_where_that_is_wanted(
    auto: Auth, cleaning: Clean
):
    for age in ("29 days", "31 days"):
        await auto.rows(
            f"insert into auth.users (id, is_anonymous, created_at) values (gen_random_uuid(), true, now() - interval '{age}')"
        )
    await cleaning()
    assert await count(auto, "users where is_anonymous") == 2
    await cleaning(anonymous_users=True)
    assert await count(auto, "users where is_anonymous") == 1


async def test_of_several_nodes_one_cleans_up_in_a_minute(server, services_database):
    url = server.url(services_database, "supabase_auth_admin")
    settings = pool_settings(read_settings(BASE | {"DATABASE_URL": url}))
    async with open_database(settings) as one, open_database(settings) as other:
        found = await asyncio.gather(*(is_due(DatabaseBuckets(each)) for each in (one, other)))
    assert sorted(found) == [False, True]


def test_the_stack_cleans_up_and_keeps_users_without_an_address():
    deployment = Deployment("http://h", "postgresql://postgres@/x", None)
    variables: dict[str, Any] = variables_of(
        AUTH, read_stack_settings({}), deployment, make_keys(real_world())
    )
    settings = read_settings(variables)
    assert settings.database.cleanup
    assert not settings.database.cleanup_anonymous_users


async def _kept(auth: Auth, mark: str) -> tuple[int, int]:
    """How many audit entries and users of a mark there are."""
    found = await auth.rows(
        "select (select count(*) from auth.audit_log_entries where ip_address = $1) as entries,"
        " (select count(*) from auth.users where raw_user_meta_data->>'mark' = $1) as users",
        mark,
    )
    return found[0]["entries"], found[0]["users"]


async def test_audit_entries_and_unconfirmed_users_are_kept_unless_a_time_is_set(
    auth: Auth, cleaning: Clean
):
    mark = "10.9.8.7"
    await auth.rows(
        "insert into auth.audit_log_entries (id, created_at, ip_address)"
        " select gen_random_uuid(), now() - make_interval(days => age), $1 from unnest(array[1, 90]) age",
        mark,
    )
    await auth.rows(
        "insert into auth.users (id, aud, email, created_at, updated_at, raw_user_meta_data, email_confirmed_at)"
        " select gen_random_uuid(), 'authenticated', n || '-kept@example.com', now() - make_interval(days => age),"
        " now(), jsonb_build_object('mark', $1::text), confirmed"
        " from (values (1, 90, null), (2, 1, null), (3, 90, now())) as v (n, age, confirmed)",
        mark,
    )
    await cleaning()
    assert await _kept(auth, mark) == (2, 3)
    month = 30 * 24 * 3600
    await cleaning(audit_seconds=month, unconfirmed_seconds=month)
    assert await _kept(auth, mark) == (1, 2)
