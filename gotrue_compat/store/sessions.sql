-- name: find
select s.*, array(select a from mfa_amr_claims a where a.session_id = s.id) as amr_rows
from sessions s where s.id = $1;

-- name: find_of_user
select s.*, array(select a from mfa_amr_claims a where a.session_id = s.id) as amr_rows
from sessions s where s.user_id = $1 order by s.created_at;

-- name: lock_of_user
-- Skips what another request holds: the caller retries instead of waiting here (reference 5.6).
select s.*, array(select a from mfa_amr_claims a where a.session_id = s.id) as amr_rows
from sessions s where s.user_id = $1 order by s.created_at for update of s skip locked;

-- name: find_token
select t.* from refresh_tokens t where t.token = $1;

-- name: lock_by_token
-- Token and session in one round trip; skips what another request holds (reference 5.6).
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
-- Revokes the parent, inserts the child, and notes the use of the session: one statement.
with revoked as (
  update refresh_tokens set revoked = true, updated_at = $5 where id = $1
), used as (
  update sessions set refreshed_at = $5 at time zone 'utc', updated_at = $5,
    user_agent = $6, ip = $7 where id = $4
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
-- Sessions bound to a factor that is gone fall back, and forget the method.
with lowered as (
  update sessions set aal = 'aal1', factor_id = null, updated_at = $2 where factor_id = $1 returning id
)
delete from mfa_amr_claims where session_id in (select id from lowered) and authentication_method = $3;

-- name: delete_of_client
delete from sessions where user_id = $1 and oauth_client_id = $2;
