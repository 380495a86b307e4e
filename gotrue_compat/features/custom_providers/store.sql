-- name: find
select * from custom_oauth_providers where identifier = $1;

-- name: list
select * from custom_oauth_providers where $1 = '' or provider_type = $1 order by created_at;

-- name: count
select count(*)::bigint as total from custom_oauth_providers;

-- name: delete
delete from custom_oauth_providers where identifier = $1 returning id;
