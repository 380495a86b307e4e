-- name: find
select s.*, array(select a from mfa_amr_claims a where a.session_id = s.id) as amr_rows
from sessions s where s.id = $1;

-- name: find_of_user
select s.*, array(select a from mfa_amr_claims a where a.session_id = s.id) as amr_rows
from sessions s where s.user_id = $1 order by s.created_at;

-- name: find_token
select t.* from refresh_tokens t where t.token = $1;

-- name: open
-- Writes a whole sign-in: the user's row, the session, its method, its first token, audit entries.
-- Writes nothing where the user is gone, where the password hash is no longer $17, or where another
-- request has exchanged the flow ($18): the flow is deleted here, so only one request gets it.
with taken as (
  delete from flow_state where id = $18::uuid returning id
), signed_in as (
  update users set last_sign_in_at = $2::timestamptz, updated_at = $2
  where id = $1::uuid and ($17::text is null or encrypted_password = $17)
    and ($18 is null or exists (select from taken)) returning *
), opened as (
  insert into sessions (id, user_id, created_at, updated_at, aal, user_agent, ip, not_after,
    oauth_client_id, scopes, refresh_token_hmac_key, refresh_token_counter)
  select $3::uuid, $1, $2, $2, 'aal1', $4::text, $5::inet, $6::timestamptz, $7::uuid, $8::text, $9::text, $10::bigint
  from signed_in
), proven as (
  insert into mfa_amr_claims (id, session_id, created_at, updated_at, authentication_method)
  select $11::uuid, $3, $2, $2, $12::text from signed_in
), issued as (
  insert into refresh_tokens (instance_id, token, user_id, revoked, created_at, updated_at, session_id)
  select '00000000-0000-0000-0000-000000000000', $13::text, $1::text, false, $2, $2, $3
  from signed_in where $13 is not null
), noted as (
  insert into audit_log_entries (instance_id, id, payload, created_at, ip_address)
  select '00000000-0000-0000-0000-000000000000', e.id, e.payload, e.at, coalesce(host($5), '')
  from signed_in, unnest($14::uuid[], $15::json[], $16::timestamptz[]) as e (id, payload, at)
)
select u.*,
  array(select i from identities i where i.user_id = u.id order by i.created_at, i.provider, i.id) as identity_rows,
  array(select f from mfa_factors f where f.user_id = u.id order by f.created_at, f.id) as factor_rows
from signed_in u;

-- name: exchange_active
-- Exchanges a batch of authorization codes, as `rotate_active` does for refresh tokens. Only flows
-- that have not expired, whose S256 challenge matches and whose user is not banned, and only where
-- both rows are unlocked. The flow is deleted, so a code can be exchanged once.
with active as materialized (
  select k.*, f.flow_row, u.user_row, (u.user_row).id as user_id
  from unnest($1::text[], $2::text[], $3::timestamptz[], $4::timestamptz[], $5::timestamptz[], $6::text[],
      $7::inet[], $8::uuid[], $9::uuid[], $10::text[], $11::uuid[], $12::timestamptz[]) with ordinality
    as k (code, challenge, since, until, at, user_agent, ip, session_id, claim_id, token, note, noted_at, number)
  cross join lateral (
    select f as flow_row from flow_state f
    where f.auth_code = k.code and f.code_challenge = k.challenge and f.code_challenge_method = 's256'
      and coalesce(case f.authentication_method when 'magiclink' then f.auth_code_issued_at end, f.created_at)
        between k.since and k.until
    for update skip locked
  ) as f
  cross join lateral (
    select u as user_row from users u
    where u.id = (f.flow_row).user_id and (u.banned_until is null or u.banned_until <= k.at)
    for no key update skip locked
  ) as u
  where k.number between 1 and cardinality($1)
), taken as (
  delete from flow_state f using active a where f.id = (a.flow_row).id
), signed_in as (
  update users u set last_sign_in_at = a.at, updated_at = a.at from active a where u.id = a.user_id
), opened as (
  insert into sessions (id, user_id, created_at, updated_at, aal, user_agent, ip)
  select a.session_id, a.user_id, a.at, a.at, 'aal1', a.user_agent, a.ip from active a
), proven as (
  insert into mfa_amr_claims (id, session_id, created_at, updated_at, authentication_method)
  select a.claim_id, a.session_id, a.at, a.at, (a.flow_row).authentication_method from active a
), issued as (
  insert into refresh_tokens (instance_id, token, user_id, revoked, created_at, updated_at, session_id)
  select '00000000-0000-0000-0000-000000000000', a.token, a.user_id::text, false, a.at, a.at, a.session_id
  from active a
), noted as (
  insert into audit_log_entries (instance_id, id, payload, created_at, ip_address)
  select '00000000-0000-0000-0000-000000000000', a.note, case
      when jsonb_typeof((a.user_row).raw_user_meta_data) = 'object' and (a.user_row).raw_user_meta_data ? 'full_name'
      then json_build_object('action', 'login', 'actor_id', a.user_id,
        'actor_name', (a.user_row).raw_user_meta_data -> 'full_name', 'actor_username', actor.username,
        'actor_via_sso', (a.user_row).is_sso_user, 'log_type', 'account', 'traits', of_flow.traits)
      else json_build_object('action', 'login', 'actor_id', a.user_id, 'actor_username', actor.username,
        'actor_via_sso', (a.user_row).is_sso_user, 'log_type', 'account', 'traits', of_flow.traits)
    end, a.noted_at, coalesce(host(a.ip), '')
  from active a,
    coalesce(nullif((a.user_row).phone, ''), (a.user_row).email, '') as actor (username),
    json_build_object('provider_type', (a.flow_row).provider_type) as of_flow (traits)
  where a.note is not null
)
select a.number, (a.user_row).*, null as session_row,
  (a.flow_row).authentication_method, (a.flow_row).provider_access_token, (a.flow_row).provider_refresh_token,
  array(select i from identities i where i.user_id = a.user_id order by i.created_at, i.provider, i.id) as identity_rows,
  array(select f from mfa_factors f where f.user_id = a.user_id order by f.created_at, f.id) as factor_rows
from active a;

-- name: rotate_active
-- Refreshes a batch of tokens. Where the token is active, its session and user are valid and none of the
-- three rows is locked, it revokes the token, issues its child, and updates session, user and audit log.
-- Every other token yields no row and no change; the caller then handles it one by one, waiting for locks.
-- Nothing waits here (`skip locked`), so one refresh of the batch cannot delay the others. Each look-up
-- locks its own row, which keeps it an index look-up; and the planner estimates one row for `between`,
-- so one generic plan serves a batch of any size.
with active as materialized (
  select k.*, t.id as token_id, t.user_id as token_user, s.session_row, u.user_row, (u.user_row).id as user_id
  from unnest($1::text[], $2::text[], $3::timestamptz[], $4::text[], $5::inet[], $6::uuid[], $7::timestamptz[],
      $8::timestamptz[], $9::uuid[], $10::timestamptz[], $11::uuid[], $12::timestamptz[]) with ordinality
    as k (token, child, at, user_agent, ip, client_id, opened_since, used_since,
      refreshed_note, refreshed_at, revoked_note, revoked_at, number)
  cross join lateral (
    select t.id, t.user_id, t.session_id, t.updated_at from refresh_tokens t
    where t.token = k.token and not coalesce(t.revoked, false) for update skip locked
  ) as t
  cross join lateral (
    select s as session_row from sessions s
    where s.id = t.session_id and s.oauth_client_id is not distinct from k.client_id
      and (s.not_after is null or s.not_after >= k.at)
      and (k.opened_since is null or s.created_at >= k.opened_since)
      and (k.used_since is null
        or coalesce(s.refreshed_at at time zone 'utc', greatest(t.updated_at, s.created_at)) >= k.used_since)
    for update skip locked
  ) as s
  cross join lateral (
    select u as user_row from users u
    where u.id = (s.session_row).user_id and (u.banned_until is null or u.banned_until <= k.at)
    for no key update skip locked
  ) as u
  where k.number between 1 and cardinality($1)
), written as (
  update users u set last_sign_in_at = u.last_sign_in_at, updated_at = a.at from active a where u.id = a.user_id
), revoked as (
  update refresh_tokens t set revoked = true, updated_at = a.at from active a where t.id = a.token_id
), used as (
  update sessions s
  set refreshed_at = a.at at time zone 'utc', updated_at = a.at, user_agent = a.user_agent, ip = a.ip
  from active a where s.id = (a.session_row).id
), noted as (
  insert into audit_log_entries (instance_id, id, payload, created_at, ip_address)
  select '00000000-0000-0000-0000-000000000000', e.id, case
      when jsonb_typeof((a.user_row).raw_user_meta_data) = 'object' and (a.user_row).raw_user_meta_data ? 'full_name'
      then json_build_object('action', e.action, 'actor_id', a.user_id,
        'actor_name', (a.user_row).raw_user_meta_data -> 'full_name',
        'actor_username', actor.username, 'actor_via_sso', (a.user_row).is_sso_user, 'log_type', 'token')
      else json_build_object('action', e.action, 'actor_id', a.user_id,
        'actor_username', actor.username, 'actor_via_sso', (a.user_row).is_sso_user, 'log_type', 'token')
    end, e.at, coalesce(host(a.ip), '')
  from active a,
    coalesce(nullif((a.user_row).phone, ''), (a.user_row).email, '') as actor (username),
    lateral (values (a.refreshed_note, 'token_refreshed', a.refreshed_at),
      (a.revoked_note, 'token_revoked', a.revoked_at)) as e (id, action, at)
  where e.id is not null
), issued as (
  insert into refresh_tokens (instance_id, token, user_id, revoked, created_at, updated_at, parent, session_id)
  select '00000000-0000-0000-0000-000000000000', a.child, a.token_user, false, a.at, a.at, a.token, (a.session_row).id
  from active a
)
select a.number, (a.user_row).*, a.session_row,
  array(select i from identities i where i.user_id = a.user_id order by i.created_at, i.provider, i.id) as identity_rows,
  array(select f from mfa_factors f where f.user_id = a.user_id order by f.created_at, f.id) as factor_rows,
  array(select m from mfa_amr_claims m where m.session_id = (a.session_row).id) as amr_rows
from active a;

-- name: lock_by_token
-- Token and session in one round trip; skips what another request holds (auth reference 5.6).
select t.*, s as session_row, array(select a from mfa_amr_claims a where a.session_id = s.id) as amr_rows
from refresh_tokens t join sessions s on s.id = t.session_id
where t.token = $1 for update of t, s skip locked;

-- name: lock
select s.*, array(select a from mfa_amr_claims a where a.session_id = s.id) as amr_rows
from sessions s where s.id = $1 for update of s skip locked;

-- name: active_token
select t.* from refresh_tokens t
where t.session_id = $1 and not coalesce(t.revoked, false) order by t.id desc limit 1;

-- name: rotate
-- In one statement: revokes the parent, inserts the child, records the session's use if $9, and
-- writes the user's row, as the original does with every token.
with written as (
  update users set last_sign_in_at = last_sign_in_at, updated_at = $5
  where id = (select s.user_id from sessions s where s.id = $4)
), revoked as (
  update refresh_tokens set revoked = true, updated_at = $5 where id = $1
), used as (
  update sessions set refreshed_at = $5 at time zone 'utc', updated_at = $5,
    user_agent = $6, ip = $7 where id = $4 and $9
)
insert into refresh_tokens (instance_id, token, user_id, revoked, created_at, updated_at, parent, session_id)
values ('00000000-0000-0000-0000-000000000000', $2, $8, false, $5, $5, $3, $4) returning *;

-- name: revoke_family
update refresh_tokens set revoked = true, updated_at = $2
where session_id = $1 and not coalesce(revoked, false);

-- name: revoke_token
update refresh_tokens set revoked = true, updated_at = $2 where token = $1;

-- name: delete_token
delete from refresh_tokens where id = $1;

-- name: add_method
insert into mfa_amr_claims (id, session_id, created_at, updated_at, authentication_method)
values ($1, $2, $4, $4, $3)
on conflict (session_id, authentication_method) do update set updated_at = excluded.updated_at
returning *;

-- name: delete_one
delete from sessions where id = $1;

-- name: delete_of_user
delete from sessions where user_id = $1;

-- name: delete_others
delete from sessions where user_id = $1 and id <> $2;

-- name: delete_lower
-- Sessions of the user other than this one that have not reached aal2.
delete from sessions where user_id = $1 and id <> $2 and coalesce(aal, 'aal1') < 'aal2';

-- name: downgrade
-- Lowers sessions bound to a deleted factor to aal1 and deletes their method.
with lowered as (
  update sessions set aal = 'aal1', factor_id = null, updated_at = $2 where factor_id = $1 returning id
)
delete from mfa_amr_claims where session_id in (select id from lowered) and authentication_method = $3;

-- name: delete_of_client
delete from sessions where user_id = $1 and oauth_client_id = $2;

-- name: opened_from
select exists (
  select from sessions where user_id = $1 and ip <<= $2::text::inet
) as found;
