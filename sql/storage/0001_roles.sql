-- The storage service's login role, and the schema it owns.
--
-- It becomes the API roles to ask what a caller may do; the tables are its own. A role that exists
-- is left as it is.

do $role$
begin
  if not exists (select from pg_catalog.pg_roles where rolname = 'supabase_storage_admin') then
    create role supabase_storage_admin login noinherit;
    alter role supabase_storage_admin set search_path = 'storage';
  end if;
exception
  when duplicate_object or unique_violation then
    null;  -- another database of this cluster was migrated at the same moment
end
$role$;

do $members$
declare
  pair record;
  switch text := case
    when current_setting('server_version_num')::integer >= 160000 then 'set' else 'member'
  end;
begin
  for pair in
    select granted, 'supabase_storage_admin' as member
    from unnest(array['anon', 'authenticated', 'service_role']) as g (granted)
    union all
    select 'supabase_storage_admin', current_user::text
  loop
    continue when pg_has_role(pair.member, pair.granted, switch)
      and (pair.member <> current_user or pg_has_role(pair.member, pair.granted, 'usage'));
    execute format('grant %I to %I', pair.granted, pair.member);
  end loop;
end
$members$;

create schema if not exists storage authorization supabase_storage_admin;
create schema if not exists storage_compat authorization supabase_storage_admin;

grant usage on schema storage to anon, authenticated, service_role;
grant usage, create on schema storage, storage_compat to supabase_storage_admin;
grant usage on schema public, extensions to supabase_storage_admin;
