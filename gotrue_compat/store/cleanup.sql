-- name: revoked_tokens
delete from refresh_tokens where id in (
  select id from refresh_tokens where revoked and updated_at < $1::timestamptz - interval '24 hours' limit 100 for update skip locked);

-- name: ended_sessions
delete from sessions where id in (
  select id from sessions where not_after < $1::timestamptz - interval '72 hours' limit 100 for update skip locked);

-- name: relay_states
delete from saml_relay_states where id in (
  select id from saml_relay_states where created_at < $1::timestamptz - interval '24 hours' limit 100 for update skip locked);

-- name: flow_states
delete from flow_state where id in (
  select id from flow_state where created_at < $1::timestamptz - interval '24 hours' limit 100 for update skip locked);

-- name: client_states
delete from oauth_client_states where id in (
  select id from oauth_client_states where created_at < $1::timestamptz - interval '24 hours' limit 100 for update skip locked);

-- name: challenges
delete from mfa_challenges where id in (
  select id from mfa_challenges where created_at < $1::timestamptz - interval '24 hours' limit 100 for update skip locked);

-- name: passkey_challenges
delete from webauthn_challenges where id in (
  select id from webauthn_challenges where expires_at < $1::timestamptz limit 100 for update skip locked);

-- name: unverified_factors
delete from mfa_factors where id in (
  select id from mfa_factors where status = 'unverified' and created_at < $1::timestamptz - interval '24 hours' limit 100 for update skip locked);

-- name: anonymous_users
delete from users where id in (
  select id from users where is_anonymous and created_at < $1::timestamptz - interval '30 days' limit 100 for update skip locked);

-- name: code_tries
delete from code_tries where subject in (
  select subject from code_tries where last_at < $1::timestamptz - interval '24 hours' limit 10000 for update skip locked);
