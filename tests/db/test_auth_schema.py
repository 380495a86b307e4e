"""The schema auth: what the original's tools find in it, and what they may do."""

from __future__ import annotations

import asyncpg
import pytest

from compat_base.postgres.sqlfiles import SQL_FOLDER
from tests.harness_sql import Connection, acting

USERS = """
    instance_id id aud role email encrypted_password email_confirmed_at invited_at
    confirmation_token confirmation_sent_at recovery_token recovery_sent_at email_change_token_new
    email_change email_change_sent_at last_sign_in_at raw_app_meta_data raw_user_meta_data
    is_super_admin created_at updated_at phone phone_confirmed_at phone_change phone_change_token
    phone_change_sent_at confirmed_at email_change_token_current email_change_confirm_status
    banned_until reauthentication_token reauthentication_sent_at is_sso_user deleted_at is_anonymous
"""
TABLES = """
    audit_log_entries custom_oauth_providers flow_state identities instances mfa_amr_claims
    mfa_challenges mfa_factors oauth_authorizations oauth_client_states oauth_clients oauth_consents
    one_time_tokens refresh_tokens saml_providers saml_relay_states schema_migrations sessions
    sso_domains sso_providers users webauthn_challenges webauthn_credentials
"""
OURS = ("code_tries", "rate_limits")  # the original overlooks them
# What came with the original's migrations since 2024, as `table column`.
LATER = """
    users.is_anonymous flow_state.auth_code_issued_at flow_state.invite_token flow_state.referrer
    flow_state.oauth_client_state_id flow_state.linking_target_id flow_state.email_optional
    saml_providers.name_id_format sso_providers.disabled mfa_factors.phone
    mfa_factors.last_challenged_at mfa_factors.web_authn_credential mfa_factors.web_authn_aaguid
    mfa_factors.last_webauthn_challenge_data mfa_challenges.otp_code
    mfa_challenges.web_authn_session_data oauth_clients.client_type
    oauth_clients.token_endpoint_auth_method oauth_authorizations.nonce sessions.oauth_client_id
    sessions.refresh_token_hmac_key sessions.refresh_token_counter sessions.scopes
    custom_oauth_providers.custom_claims_allowlist
"""
FINGERPRINT = """
    select c.relname || '.' || a.attname || ' ' || format_type(a.atttypid, a.atttypmod) || ' '
      || a.attnotnull || ' ' || coalesce(pg_get_expr(d.adbin, d.adrelid), '') as line
    from pg_class c
    join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
    left join pg_attrdef d on d.adrelid = c.oid and d.adnum = a.attnum
    where c.relnamespace = 'auth'::regnamespace and c.relkind in ('r', 'i')
    union all
    select conrelid::regclass || ' ' || conname || ' ' || pg_get_constraintdef(oid)
    from pg_constraint where connamespace = 'auth'::regnamespace and contype <> 'n'
    union all
    select indexdef from pg_indexes where schemaname = 'auth'
    order by line
"""


async def fingerprint(db: Connection) -> list[str]:
    return [row["line"] for row in await db.fetch(FINGERPRINT)]


async def apply_again(db: Connection) -> None:
    for path in sorted((SQL_FOLDER / "auth").glob("*.sql")):
        await db.execute(path.read_text())


async def test_users_have_the_originals_columns_in_its_order(services: Connection) -> None:
    rows = await services.fetch(
        "select column_name::text as name from information_schema.columns"
        " where table_schema = 'auth' and table_name = 'users' order by ordinal_position"
    )
    assert [row["name"] for row in rows] == USERS.split()


async def test_every_table_of_the_original_is_there(services: Connection) -> None:
    rows = await services.fetch(
        "select tablename::text as name, tableowner from pg_tables where schemaname = 'auth'"
        " order by 1"
    )
    assert [row["name"] for row in rows] == sorted([*TABLES.split(), *OURS])
    assert {row["tableowner"] for row in rows} == {"supabase_auth_admin"}


async def test_the_ledger_lists_the_originals_migrations(services: Connection) -> None:
    rows = await services.fetch("select version from auth.schema_migrations order by version")
    assert len(rows) == 70
    assert (rows[0]["version"], rows[-1]["version"]) == ("00", "20260625000000")


async def test_the_auth_services_role_needs_no_schema_in_front(services: Connection) -> None:
    await services.execute("set local session authorization supabase_auth_admin")
    await services.execute("set local search_path = auth")
    await services.execute("insert into users (id, email) values (gen_random_uuid(), 'a@x.es')")
    await services.execute("insert into refresh_tokens (token) values ('t')")
    assert await services.fetchval("select count(*) from users") == 1
    await services.execute("truncate users cascade; alter table users add column later text")


@pytest.mark.parametrize("role", ["anon", "authenticated", "service_role"])
@pytest.mark.parametrize("table", TABLES.split())
async def test_no_api_role_reads_a_table_of_auth(
    services: Connection, role: str, table: str
) -> None:
    with pytest.raises(asyncpg.InsufficientPrivilegeError):
        async with acting(services, "x", role):
            await services.execute(f"select * from auth.{table}")


@pytest.mark.parametrize(
    ("settings", "expected"),
    [
        ({}, (None, None, None, None)),
        ({"claims": "", "claim.sub": ""}, (None, None, None, None)),
        ({"claims": "{}"}, (None, None, None, "{}")),
        (
            {"claims": '{"sub":"00000000-0000-0000-0000-000000000001","role":"r","email":"e"}'},
            (
                "00000000-0000-0000-0000-000000000001",
                "r",
                "e",
                '{"sub": "00000000-0000-0000-0000-000000000001", "role": "r", "email": "e"}',
            ),
        ),
        (
            {
                "claims": '{"sub":"00000000-0000-0000-0000-000000000001","role":"r"}',
                "claim.sub": "00000000-0000-0000-0000-000000000002",
                "claim.role": "other",
                "claim.email": "old@x.es",
                "claim": '{"from": "claim"}',
            },
            (
                "00000000-0000-0000-0000-000000000002",
                "other",
                "old@x.es",
                '{"from": "claim"}',
            ),
        ),
    ],
)
async def test_a_request_knows_its_caller(
    services: Connection, settings: dict[str, str], expected: tuple[str | None, ...]
) -> None:
    for name, value in settings.items():
        await services.execute("select set_config($1, $2, true)", f"request.jwt.{name}", value)
    for role in ("anon", "authenticated", "service_role"):
        async with services.transaction():
            await services.execute(f"set local role {role}")
            row = await services.fetchrow(
                "select auth.uid()::text, auth.role(), auth.email(), auth.jwt()::text"
            )
            assert row is not None
            assert (row[0], row[1], row[2]) == expected[:3]
            same = "select $1::text::jsonb is not distinct from $2::text::jsonb"
            assert await services.fetchval(same, row[3], expected[3])
            await services.execute("reset role")


async def test_an_email_belongs_to_one_account_unless_it_is_sso(services: Connection) -> None:
    insert = "insert into auth.users (id, email, is_sso_user) values (gen_random_uuid(), $1, $2)"
    for is_sso in (False, True, True):
        await services.execute(insert, "a@x.es", is_sso)
    with pytest.raises(asyncpg.UniqueViolationError) as refusal:
        await services.execute(insert, "a@x.es", False)
    assert refusal.value.constraint_name == "users_email_partial_key"


async def test_confirmed_at_is_the_earlier_confirmation(services: Connection) -> None:
    assert await services.fetchval(
        "insert into auth.users (id, email_confirmed_at, phone_confirmed_at)"
        " values (gen_random_uuid(), '2026-01-02', '2026-01-01')"
        " returning confirmed_at = phone_confirmed_at"
    )


async def test_applying_it_again_changes_nothing(services: Connection) -> None:
    before = await fingerprint(services)
    await apply_again(services)
    assert await fingerprint(services) == before


async def test_a_schema_of_an_earlier_release_is_brought_up_to_date(services: Connection) -> None:
    before = await fingerprint(services)
    for place in LATER.split():
        table, column = place.split(".")
        await services.execute(f"alter table auth.{table} drop column {column} cascade")
    await services.execute("""
        drop table auth.webauthn_challenges, auth.webauthn_credentials, auth.oauth_client_states;
        alter table auth.flow_state alter column auth_code set not null;
        alter table auth.saml_relay_states add column from_ip_address inet;
        alter table auth.oauth_clients add column client_id text unique;
        insert into auth.oauth_clients (id, registration_type, redirect_uris, grant_types)
          values (gen_random_uuid(), 'manual', '', '');
        delete from auth.schema_migrations where version > '2024';
    """)
    await apply_again(services)
    assert await fingerprint(services) == before
    assert await services.fetchval("select count(*) from auth.schema_migrations") == 70
    method = await services.fetchval("select token_endpoint_auth_method from auth.oauth_clients")
    assert method == "client_secret_basic"


async def test_a_schema_too_old_is_refused_with_the_remedy(services: Connection) -> None:
    await services.execute("alter table auth.identities rename column provider_id to old_id")
    with pytest.raises(asyncpg.RaiseError, match="GoTrue of 2023 or earlier") as refusal:
        await apply_again(services)
    assert "start a current release" in str(refusal.value.hint)


async def test_what_others_own_in_auth_is_handed_over(services: Connection) -> None:
    await services.execute("alter table auth.users owner to postgres")
    await services.execute("create table auth.extra (id bigserial)")
    await apply_again(services)
    owners = await services.fetch(
        "select distinct tableowner::text as name from pg_tables where schemaname = 'auth'"
    )
    assert [row["name"] for row in owners] == ["supabase_auth_admin"]
