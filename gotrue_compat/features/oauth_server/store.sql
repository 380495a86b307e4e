-- name: find_client
select * from oauth_clients where id = $1 and deleted_at is null;

-- name: list_clients
select * from oauth_clients where deleted_at is null order by created_at desc, id;

-- name: count_dynamic_clients
select count(*)::bigint as total from oauth_clients
where registration_type = 'dynamic' and deleted_at is null;

-- name: lock_authorization
select * from oauth_authorizations where authorization_id = $1 for update;

-- name: take_by_code
-- Deleted with the reading: a code is exchanged once.
delete from oauth_authorizations where authorization_code = $1 returning *;

-- name: find_by_code
select * from oauth_authorizations where authorization_code = $1;

-- name: find_consent
select * from oauth_consents where user_id = $1 and client_id = $2 and revoked_at is null;

-- name: put_consent
insert into oauth_consents (id, user_id, client_id, scopes, granted_at)
values ($1, $2, $3, $4, $5)
on conflict (user_id, client_id) do update
set scopes = excluded.scopes, granted_at = excluded.granted_at, revoked_at = null;

-- name: list_consents
select * from oauth_consents where user_id = $1 and revoked_at is null order by granted_at desc;

-- name: revoke_consent
update oauth_consents set revoked_at = greatest($3, granted_at)
where user_id = $1 and client_id = $2 and revoked_at is null returning id;

-- name: delete_codes
delete from oauth_authorizations
where user_id = $1 and client_id = $2 and authorization_code is not null;
