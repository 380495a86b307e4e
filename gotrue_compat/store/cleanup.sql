-- Each deletes a batch of at most $2 rows that had expired at $1, and returns their number.
-- Rows that another transaction has locked are left for the next batch.

-- name: revoked_tokens
with gone as (delete from refresh_tokens where id in (
  select id from refresh_tokens where revoked and updated_at < $1::timestamptz - interval '24 hours' limit $2 for update skip locked) returning 1)
select count(*)::int as rows from gone;

-- name: ended_sessions
with gone as (delete from sessions where id in (
  select id from sessions where not_after < $1::timestamptz - interval '72 hours' limit $2 for update skip locked) returning 1)
select count(*)::int as rows from gone;

-- name: relay_states
with gone as (delete from saml_relay_states where id in (
  select id from saml_relay_states where created_at < $1::timestamptz - interval '24 hours' limit $2 for update skip locked) returning 1)
select count(*)::int as rows from gone;

-- name: flow_states
with gone as (delete from flow_state where id in (
  select id from flow_state where created_at < $1::timestamptz - interval '24 hours' limit $2 for update skip locked) returning 1)
select count(*)::int as rows from gone;

-- name: client_states
with gone as (delete from oauth_client_states where id in (
  select id from oauth_client_states where created_at < $1::timestamptz - interval '24 hours' limit $2 for update skip locked) returning 1)
select count(*)::int as rows from gone;

-- name: challenges
with gone as (delete from mfa_challenges where id in (
  select id from mfa_challenges where created_at < $1::timestamptz - interval '24 hours' limit $2 for update skip locked) returning 1)
select count(*)::int as rows from gone;

-- name: passkey_challenges
with gone as (delete from webauthn_challenges where id in (
  select id from webauthn_challenges where expires_at < $1::timestamptz limit $2 for update skip locked) returning 1)
select count(*)::int as rows from gone;

-- name: unverified_factors
with gone as (delete from mfa_factors where id in (
  select id from mfa_factors where status = 'unverified' and created_at < $1::timestamptz - interval '24 hours' limit $2 for update skip locked) returning 1)
select count(*)::int as rows from gone;

-- name: authorizations
-- Authorization requests: anybody who knows a client's id can create such rows.
with gone as (delete from oauth_authorizations where id in (
  select id from oauth_authorizations where expires_at < $1::timestamptz - interval '24 hours' limit $2 for update skip locked) returning 1)
select count(*)::int as rows from gone;

-- name: code_tries
with gone as (delete from code_tries where subject in (
  select subject from code_tries where last_at < $1::timestamptz - interval '24 hours' limit $2 for update skip locked) returning 1)
select count(*)::int as rows from gone;

-- name: anonymous_users
with gone as (delete from users where id in (
  select id from users where is_anonymous and created_at < $1::timestamptz - interval '30 days' limit $2 for update skip locked) returning 1)
select count(*)::int as rows from gone;

-- name: audit_log
-- Deletes what is older than $1; without it, nothing.
with gone as (delete from audit_log_entries where id in (
  select id from audit_log_entries where created_at < $1::timestamptz limit $2 for update skip locked) returning 1)
select count(*)::int as rows from gone;

-- name: unconfirmed_users
-- Users who never confirmed the message sent before $1; without it, nothing is deleted.
with gone as (delete from users where id in (
  select id from users where email_confirmed_at is null and phone_confirmed_at is null
    and last_sign_in_at is null and deleted_at is null and not is_anonymous and not is_sso_user
    and greatest(created_at, confirmation_sent_at) < $1::timestamptz
  limit $2 for update skip locked) returning 1)
select count(*)::int as rows from gone;
