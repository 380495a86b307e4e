-- Where the administrator and `postgres` are two, the project's things are `postgres`'s, as on
-- Supabase: its migrations run as that role, and tools that connect as it may change what they made.

create schema if not exists graphql_public;
create schema if not exists vault;
create schema if not exists net;
create schema if not exists cron;

grant usage on schema graphql_public to anon, authenticated, service_role;
grant usage on schema net to anon, authenticated, service_role;

do $owner$
declare
  object record;
  owner oid := (select datdba from pg_catalog.pg_database where datname = current_database());
  own text[] := array[
    'auth', 'realtime', 'storage', 'storage_compat', 'compat', 'vault', 'net', 'cron',
    'graphql_public', 'extensions', 'supabase_functions'
  ];
begin
  if current_user = 'postgres'
    or not exists (select from pg_catalog.pg_roles where rolname = 'postgres' and not rolsuper)
    or not pg_has_role(current_user, 'postgres', 'usage')
  then
    return;
  end if;
  if owner = 'supabase_admin'::regrole then
    execute format('alter database %I owner to postgres', current_database());
  else
    execute format('grant create, temporary on database %I to postgres', current_database());
  end if;
  grant usage, create on schema public, extensions to postgres with grant option;
  grant usage on schema auth, realtime, graphql_public, vault, net, cron
    to postgres with grant option;
  if (select nspowner from pg_catalog.pg_namespace where nspname = 'extensions')
    = current_user::regrole
  then
    alter schema extensions owner to postgres;
  end if;

  -- What earlier versions let the project make as whoever migrated.
  for object in
    with spaces as (
      select n.oid, n.nspname, n.nspowner
      from pg_catalog.pg_namespace n
      where n.nspname !~ '^pg_' and n.nspname <> 'information_schema' and n.nspname <> all (own)
    ),
    members as (
      select classid, objid from pg_catalog.pg_depend where deptype = 'e'
    )
    select 1 as turn, format('schema %I', nspname) as name
    from spaces
    where nspowner = current_user::regrole and nspname <> 'public'
      and not exists (
        select from members
        where classid = 'pg_catalog.pg_namespace'::regclass and objid = spaces.oid
      )
    union all
    select 2, format('%s %I.%I', k.kind, s.nspname, c.relname)
    from pg_catalog.pg_class c
    join spaces s on s.oid = c.relnamespace
    join (values
      ('r', 'table'), ('p', 'table'), ('v', 'view'), ('m', 'materialized view'),
      ('f', 'foreign table'), ('S', 'sequence')
    ) as k (code, kind) on k.code = c.relkind
    where c.relowner = current_user::regrole
      and not exists (
        select from members where classid = 'pg_catalog.pg_class'::regclass and objid = c.oid
      )
      and not exists (  -- a column's own sequence follows its table
        select from pg_catalog.pg_depend d
        where d.classid = 'pg_catalog.pg_class'::regclass and d.objid = c.oid
          and d.deptype in ('a', 'i') and d.refobjsubid > 0
      )
    union all
    select 2, format('%s %s', case p.prokind when 'a' then 'aggregate' else 'routine' end,
      p.oid::regprocedure)
    from pg_catalog.pg_proc p
    join spaces s on s.oid = p.pronamespace
    where p.proowner = current_user::regrole
      and not exists (
        select from members where classid = 'pg_catalog.pg_proc'::regclass and objid = p.oid
      )
    union all
    select 2, format('type %s', t.oid::regtype)
    from pg_catalog.pg_type t
    join spaces s on s.oid = t.typnamespace
    where t.typowner = current_user::regrole
      and (t.typtype in ('e', 'd', 'r') or t.typtype = 'c' and exists (
        select from pg_catalog.pg_class c where c.oid = t.typrelid and c.relkind = 'c'
      ))
      and not exists (
        select from members where classid = 'pg_catalog.pg_type'::regclass and objid = t.oid
      )
    order by 1
  loop
    execute format('alter %s owner to postgres', object.name);
  end loop;
end
$owner$;

-- What `postgres` makes in public is granted as what the administrator makes is.
do $defaults$
begin
  if current_user <> 'postgres' and pg_has_role(current_user, 'postgres', 'usage')
    and exists (select from pg_catalog.pg_roles where rolname = 'postgres' and not rolsuper)
  then
    alter default privileges for role postgres in schema public
      grant all on tables to anon, authenticated, service_role;
    alter default privileges for role postgres in schema public
      grant all on functions to anon, authenticated, service_role;
    alter default privileges for role postgres in schema public
      grant all on sequences to anon, authenticated, service_role;
    alter default privileges in schema public
      grant all on tables to postgres;
    alter default privileges in schema public
      grant all on functions to postgres;
    alter default privileges in schema public
      grant all on sequences to postgres;
  end if;
end
$defaults$;

-- A project's SQL names an extension's functions without their schema; so psql, seeds and tools find
-- what the migrations found.
do $search_path$
begin
  execute format(
    'alter database %I set search_path to "$user", public, extensions', current_database()
  );
exception
  when insufficient_privilege then
    raise notice 'set by whoever owns the database: search_path "$user", public, extensions';
end
$search_path$;
