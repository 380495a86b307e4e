-- name: tables
-- Columns of tables by oid, in table order. Deletes of a guarded table go only to callers who could read the row.
select
  c.oid::bigint as oid, n.nspname as schema, c.relname as name, c.relrowsecurity as has_policies,
  g.entity is not null as is_guarded,
  c.relrowsecurity and realtime.policies_call_auth_alone(c.oid) as is_by_subject,
  a.attname as column_name, a.attnum::integer as number, a.atttypid::bigint as type_oid,
  coalesce(a.attnum = any (i.indkey), false) as is_key,
  coalesce(l.collisdeterministic, true) as is_plain
from pg_catalog.pg_class c
join pg_catalog.pg_namespace n on n.oid = c.relnamespace
join pg_catalog.pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
left join pg_catalog.pg_index i on i.indrelid = c.oid and i.indisprimary
left join pg_catalog.pg_collation l on l.oid = a.attcollation
left join realtime.guarded_tables g on g.entity = c.oid
where c.oid = any ($1::bigint[]::oid[])
order by c.oid, a.attnum;

-- name: types
-- Types by oid, with the element or base type of their values.
select
  t.oid::bigint as oid, t.typname as name, t.typtype::text as kind,
  t.typcategory::text as category, t.typlen::integer as length, t.typelem::bigint as element,
  t.typbasetype::bigint as base, coalesce(e.typdelim, ',')::text as delimiter,
  coalesce((
    select array_agg(a.attname::text order by a.attnum)
    from pg_catalog.pg_attribute a
    where t.typtype = 'c' and a.attrelid = t.typrelid and a.attnum > 0 and not a.attisdropped
  ), '{}') as field_names,
  coalesce((
    select array_agg(a.atttypid::bigint order by a.attnum)
    from pg_catalog.pg_attribute a
    where t.typtype = 'c' and a.attrelid = t.typrelid and a.attnum > 0 and not a.attisdropped
  ), '{}') as field_types
from pg_catalog.pg_type t
left join pg_catalog.pg_type e on e.oid = t.typelem
where t.oid = any ($1::bigint[]::oid[]);

-- name: readable_columns
-- The columns of tables that roles may select; a dropped role may select none.
select r.rolname as role, a.attrelid::bigint as oid, array_agg(a.attname::text) as columns
from pg_catalog.pg_roles r
cross join pg_catalog.pg_attribute a
where r.rolname = any ($1::text[])
  and a.attrelid = any ($2::bigint[]::oid[]) and a.attnum > 0 and not a.attisdropped
  and pg_catalog.has_column_privilege(r.oid, a.attrelid, a.attnum, 'select')
group by r.rolname, a.attrelid;

-- name: published_tables
-- The tables of a publication.
select
  c.oid::bigint as oid, n.nspname as schema, c.relname as name, c.relrowsecurity as has_policies
from pg_catalog.pg_publication p
cross join lateral pg_catalog.pg_get_publication_tables(p.pubname) as published
join pg_catalog.pg_class c on c.oid = published.relid
join pg_catalog.pg_namespace n on n.oid = c.relnamespace
where p.pubname = $1::text
order by 2, 3;

-- name: existing_publications
-- Which of these publications exist.
select pubname as name from pg_catalog.pg_publication where pubname = any ($1::text[]) order by 1;

-- name: await_commits
-- Returns once the rows of these transactions are visible.
select realtime.await_commits($1::bigint[]);

-- name: visible_to
-- Whether these transactions are visible, and if so which rows callers of a role may see, by groups of
-- callers.
select c.are_visible, v.first, v.last, v.seen, v.errors
from (select realtime.commits_visible($1::bigint[])) as c (are_visible)
left join lateral realtime.visible_to(
  $2::bigint::oid::regclass,
  $3::jsonb,
  $4::text,
  case when c.are_visible then $5::text[] else '{}' end,
  $6::boolean,
  $7::text,
  $8::text[]
) as v on true;

-- name: comparisons
-- Compares values by the rules of the column's own type, in the given order.
select
  coalesce(realtime.check_equality_op(
    q.op::realtime.equality_op, q.type_oid::oid::regtype, q.value, q.wanted, q.negate
  ), false) as holds
from unnest($1::text[], $2::bigint[], $3::text[], $4::text[], $5::boolean[])
  with ordinality as q (op, type_oid, value, wanted, negate, n)
order by q.n;

-- name: subscribe
-- The entries of one channel, all or none; the trigger refuses a bad filter or column.
select lsn, refused, state, message from realtime.subscribe($1::uuid, $2::jsonb, $3::jsonb);

-- name: forget_subscriptions
-- Deletes the entries of closed channels.
delete from realtime.subscription where subscription_id = any ($1::uuid[]);

-- name: readable_extensions
-- What of a private topic a caller may read.
select realtime.readable_extensions($1::text, $2::text[], $3::jsonb) as extensions;

-- name: is_writable
-- Whether a caller may write to a private topic.
select realtime.is_writable($1::text, $2::text, $3::jsonb) as allowed;

-- name: replay
-- The newest stored broadcasts of a private topic, oldest first.
select id::text as id, event, payload::text as payload, binary_payload
from (
  select *
  from realtime.messages
  where topic = $1::text and private and extension = 'broadcast' and event is not null
    and (payload is not null or binary_payload is not null)
    and inserted_at >= to_timestamp($2::bigint / 1000.0) at time zone 'utc'
    and inserted_at < (now() + interval '1 minute') at time zone 'utc'
  order by inserted_at desc
  limit $3::integer
) as newest
order by inserted_at;

-- name: maintain_messages
-- Creates the partitions of today and the next days and drops old ones.
select realtime.maintain_messages();

-- name: ping
-- Whether the database answers.
select 1 as one;

-- name: hold_node
-- Marks a node as alive: a session-level lock, which ends with the connection.
select pg_catalog.pg_advisory_lock($1::bigint);

-- name: forget_dead_nodes
-- Deletes what crashed nodes left behind: a record begins with its node's number.
delete from realtime.subscription
where left(replace(subscription_id::text, '-', ''), 16) not in (
  select lpad(to_hex(l.classid::bigint), 8, '0') || lpad(to_hex(l.objid::bigint), 8, '0')
  from pg_catalog.pg_locks l
  join pg_catalog.pg_database d on d.oid = l.database
  where l.locktype = 'advisory' and l.objsubid = 1 and l.granted
    and d.datname = pg_catalog.current_database()
);

-- name: revoked_sessions
-- Which of these sessions no longer exist.
select id::text as id from realtime.revoked_sessions($1::uuid[]) as id;
