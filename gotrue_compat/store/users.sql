-- name: find_by_id
select u.*,
  array(select i from identities i where i.user_id = u.id order by i.created_at, i.provider, i.id) as identity_rows,
  array(select f from mfa_factors f where f.user_id = u.id order by f.created_at, f.id) as factor_rows
from users u where u.id = $1;

-- name: lock
-- Alone, without what belongs to the user: after a wait PostgreSQL reads this row again, but not
-- the rows of sub-selects, which would be those from before the wait.
select u.id from users u where u.id = $1 for no key update;

-- name: find_by_email
select u.*,
  array(select i from identities i where i.user_id = u.id order by i.created_at, i.provider, i.id) as identity_rows,
  array(select f from mfa_factors f where f.user_id = u.id order by f.created_at, f.id) as factor_rows
from users u
where u.instance_id = '00000000-0000-0000-0000-000000000000' and lower(u.email) = $1
  and coalesce(u.aud, '') = $2 and not u.is_sso_user;

-- name: find_by_phone
select u.*,
  array(select i from identities i where i.user_id = u.id order by i.created_at, i.provider, i.id) as identity_rows,
  array(select f from mfa_factors f where f.user_id = u.id order by f.created_at, f.id) as factor_rows
from users u where u.phone = $1 and coalesce(u.aud, '') = $2 and not u.is_sso_user;

-- name: find_by_phone_change
select u.*,
  array(select i from identities i where i.user_id = u.id order by i.created_at, i.provider, i.id) as identity_rows,
  array(select f from mfa_factors f where f.user_id = u.id order by f.created_at, f.id) as factor_rows
from users u
where u.phone_change = $1 and coalesce(u.aud, '') = $2 and not u.is_sso_user
order by u.phone_change_sent_at desc nulls last limit 1;

-- name: find_for_email_change
-- The new address finds the user by the new token, the current address by the current one.
select u.*,
  array(select i from identities i where i.user_id = u.id order by i.created_at, i.provider, i.id) as identity_rows,
  array(select f from mfa_factors f where f.user_id = u.id order by f.created_at, f.id) as factor_rows
from users u
where coalesce(u.aud, '') = $3 and not u.is_sso_user and (
    (u.email_change = $1 and u.email_change_token_new in ($2::text, 'pkce_' || $2::text))
    or ($4 and lower(u.email) = $1 and u.email_change_token_current in ($2::text, 'pkce_' || $2::text))
  )
limit 1;

-- name: find_duplicate
-- Who owns an address in the default linking domain: a user's own, or an identity's.
select u.*,
  array(select i from identities i where i.user_id = u.id order by i.created_at, i.provider, i.id) as identity_rows,
  array(select f from mfa_factors f where f.user_id = u.id order by f.created_at, f.id) as factor_rows
from users u
where coalesce(u.aud, '') = $2 and not u.is_sso_user and u.id is distinct from $3::uuid
  and u.id in (
    select o.id from users o
    where o.instance_id = '00000000-0000-0000-0000-000000000000' and lower(o.email) = $1
    union
    select i.user_id from identities i where i.email = $1 and i.provider not like 'sso:%'
  )
order by u.created_at limit 1;

-- name: find_linkable
-- Users who own one of the addresses, by identity or by row.
select u.*,
  array(select i from identities i where i.user_id = u.id order by i.created_at, i.provider, i.id) as identity_rows,
  array(select f from mfa_factors f where f.user_id = u.id order by f.created_at, f.id) as factor_rows
from users u
where u.id in (
    select o.id from users o where o.email = any ($1::text[])
    union
    select i.user_id from identities i where i.email = any ($1::text[])
  )
order by u.created_at, u.id;

-- name: find_current
-- Everything a request with a user's token needs, in one round trip: user, session, its methods.
-- The limit makes the planner use the index even if it was planned when there were few users.
select k.number, u.*,
  array(select i from identities i where i.user_id = u.id order by i.created_at, i.provider, i.id) as identity_rows,
  array(select f from mfa_factors f where f.user_id = u.id order by f.created_at, f.id) as factor_rows,
  (select s from sessions s where s.id = k.session_id and s.user_id = u.id) as session_row,
  array(select a from mfa_amr_claims a where a.session_id = k.session_id) as amr_rows
from unnest($1::uuid[], $2::uuid[]) with ordinality as k (user_id, session_id, number)
cross join lateral (select * from users where id = k.user_id limit 1) as u;

-- name: page
select u.*, '{}'::identities[] as identity_rows, '{}'::mfa_factors[] as factor_rows
from users u
where u.instance_id = '00000000-0000-0000-0000-000000000000' and coalesce(u.aud, '') = $1
  and ($2 = '' or u.email like '%' || $2 || '%' or u.raw_user_meta_data ->> 'full_name' ilike '%' || $2 || '%')
order by case when $3 then u.created_at end asc, case when not $3 then u.created_at end desc, u.id
limit $4 offset $5;

-- name: count
select count(*)::bigint as total from users u
where u.instance_id = '00000000-0000-0000-0000-000000000000' and coalesce(u.aud, '') = $1
  and ($2 = '' or u.email like '%' || $2 || '%' or u.raw_user_meta_data ->> 'full_name' ilike '%' || $2 || '%');

-- name: page_after
select u.*, '{}'::identities[] as identity_rows, '{}'::mfa_factors[] as factor_rows
from users u
where u.instance_id = '00000000-0000-0000-0000-000000000000' and coalesce(u.aud, '') = $1
  and ($2 = '' or u.email like '%' || $2 || '%' or u.raw_user_meta_data ->> 'full_name' ilike '%' || $2 || '%')
  and ($3::timestamptz is null or (u.created_at, u.id) < ($3::timestamptz, $4::uuid))
order by u.created_at desc, u.id desc limit $5;

-- name: page_after_ascending
select u.*, '{}'::identities[] as identity_rows, '{}'::mfa_factors[] as factor_rows
from users u
where u.instance_id = '00000000-0000-0000-0000-000000000000' and coalesce(u.aud, '') = $1
  and ($2 = '' or u.email like '%' || $2 || '%' or u.raw_user_meta_data ->> 'full_name' ilike '%' || $2 || '%')
  and ($3::timestamptz is null or (u.created_at, u.id) > ($3::timestamptz, $4::uuid))
order by u.created_at, u.id limit $5;

-- name: delete_passkeys
delete from webauthn_credentials where user_id = $1;

-- name: delete
delete from users where id = $1;

-- name: find_identity
select * from identities where provider_id = $1 and provider = $2;

-- name: delete_identity
delete from identities where id = $1;

-- name: delete_other_identities
delete from identities where user_id = $1 and id <> $2;

-- name: delete_identities
delete from identities where user_id = $1;
