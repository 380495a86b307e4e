-- Types of the realtime schema and the two publications that the service streams.
-- `supabase_realtime` starts empty: users add the tables whose changes they want to hear of.

do $types$
declare
  wanted record;
begin
  for wanted in
    select *
    from (values
      (1, 'action', 'enum (''INSERT'', ''UPDATE'', ''DELETE'', ''TRUNCATE'', ''ERROR'')'),
      (2, 'equality_op', 'enum (''eq'', ''neq'', ''lt'', ''lte'', ''gt'', ''gte'', ''in'', ''like'','
        || ' ''ilike'', ''is'', ''match'', ''imatch'', ''isdistinct'')'),
      (3, 'user_defined_filter',
        '(column_name text, op realtime.equality_op, value text, negate boolean)'),
      (4, 'wal_column', '(name text, type_name text, type_oid oid, value jsonb, is_pkey boolean,'
        || ' is_selectable boolean)'),
      (5, 'wal_rls',
        '(wal jsonb, is_rls_enabled boolean, subscription_ids uuid[], errors text[])')
    ) as t (n, name, definition)
    where to_regtype(format('realtime.%I', t.name)) is null
    order by n
  loop
    execute format('create type realtime.%I as %s', wanted.name, wanted.definition);
    execute format('alter type realtime.%I owner to supabase_realtime_admin', wanted.name);
  end loop;
end
$types$;

do $publication$
begin
  if not exists (select from pg_catalog.pg_publication where pubname = 'supabase_realtime') then
    create publication supabase_realtime;
  end if;
end
$publication$;
