-- name: add
insert into audit_log_entries (instance_id, id, payload, created_at, ip_address)
values ('00000000-0000-0000-0000-000000000000', $1, $2, $3, $4);

-- name: page
select * from audit_log_entries
where $1 = '' or payload ->> $1 ilike '%' || $2 || '%'
order by created_at desc, id limit $3 offset $4;

-- name: page_by_author
select * from audit_log_entries
where payload ->> 'actor_username' ilike '%' || $1 || '%' or payload ->> 'actor_name' ilike '%' || $1 || '%'
order by created_at desc, id limit $2 offset $3;

-- name: count
select count(*)::bigint as total from audit_log_entries
where $1 = '' or payload ->> $1 ilike '%' || $2 || '%';

-- name: count_by_author
select count(*)::bigint as total from audit_log_entries
where payload ->> 'actor_username' ilike '%' || $1 || '%' or payload ->> 'actor_name' ilike '%' || $1 || '%';
