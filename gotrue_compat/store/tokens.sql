-- name: put
-- A newer token of a kind replaces the older one, as the original deletes and inserts.
insert into one_time_tokens (id, user_id, token_type, token_hash, relates_to)
values ($1, $2, $3::one_time_token_type, $4, $5)
on conflict (user_id, token_type) do update
set id = excluded.id, token_hash = excluded.token_hash, relates_to = excluded.relates_to,
  created_at = now(), updated_at = now();

-- name: find
select user_id, token_type::text as token_type, token_hash, relates_to from one_time_tokens
where token_hash = any ($1::text[]) and token_type = any ($2::one_time_token_type[]);

-- name: delete_of_user
delete from one_time_tokens where user_id = $1;

-- name: delete_kind
delete from one_time_tokens where user_id = $1 and token_type = $2::one_time_token_type;

-- name: find_flow
select * from flow_state where id = $1;

-- name: lock_flow
select * from flow_state where id = $1 for update;

-- name: take_flow_by_code
-- Taken, not read: of two exchanges of one code only one gets the row.
delete from flow_state where id = $1 returning id;

-- name: find_flow_by_code
select * from flow_state where auth_code = $1;

-- name: newest_flow
select * from flow_state where user_id = $1 and authentication_method = $2
order by created_at desc limit 1;

-- name: take_client_state
delete from oauth_client_states where id = $1 returning provider_type, code_verifier, created_at;
