-- name: put
-- A newer token of a kind replaces the older one, as the original deletes and inserts; attempts
-- counted for the older one ($6) are forgotten.
with forgotten as (delete from code_tries where subject = $6)
insert into one_time_tokens (id, user_id, token_type, token_hash, relates_to)
values ($1, $2, $3::one_time_token_type, $4, $5)
on conflict (user_id, token_type) do update
set id = excluded.id, token_hash = excluded.token_hash, relates_to = excluded.relates_to,
  created_at = now(), updated_at = now();

-- name: find
select user_id, token_type::text as token_type, token_hash, relates_to from one_time_tokens
where token_hash = any ($1::text[]) and token_type = any ($2::one_time_token_type[]);

-- name: count_tries
-- Counts an attempt on each token; returns those that had attempts left.
insert into code_tries as t (subject, tries, last_at)
select subject, 1, clock_timestamp() from unnest($1::uuid[]) as s (subject) order by subject
on conflict (subject) do update set tries = t.tries + 1, last_at = excluded.last_at
where t.tries < $2
returning subject;

-- name: forget_tries
delete from code_tries where subject = any ($1::uuid[]);

-- name: delete_of_user
delete from one_time_tokens where user_id = $1;

-- name: delete_kind
delete from one_time_tokens where user_id = $1 and token_type = $2::one_time_token_type;

-- name: find_flow
select * from flow_state where id = $1;

-- name: lock_flow
select * from flow_state where id = $1 for update;

-- name: take_flow
-- Deletes while reading: of two exchanges of one code only one gets the row.
delete from flow_state where id = $1 returning id;

-- name: load_flow_by_code
-- Everything the exchange of a code needs to decide, in one round trip and without a lock.
select f as flow_row, u.*,
  array(select i from identities i where i.user_id = u.id order by i.created_at, i.provider, i.id) as identity_rows,
  array(select m from mfa_factors m where m.user_id = u.id order by m.created_at, m.id) as factor_rows
from flow_state f left join users u on u.id = f.user_id where f.auth_code = $1;

-- name: newest_flow
select * from flow_state where user_id = $1 and authentication_method = $2
order by created_at desc limit 1;

-- name: take_client_state
delete from oauth_client_states where id = $1 returning provider_type, code_verifier, created_at;
