-- Where things live: auth and realtime belong to their services, extensions keeps contributed code
-- out of the exposed schema, public is what the REST service exposes.

create schema if not exists auth authorization supabase_auth_admin;
create schema if not exists realtime authorization supabase_realtime_admin;
create schema if not exists extensions;

grant usage on schema public, auth, realtime, extensions to anon, authenticated, service_role;
grant usage, create on schema auth to supabase_auth_admin;
grant usage, create on schema realtime to supabase_realtime_admin;
grant usage on schema public, extensions to supabase_auth_admin, supabase_realtime_admin;

-- Users' own SQL expects these two. Nothing of ours needs them, so a server without contributed
-- modules, or an owner who may not install them, is served all the same.
do $extensions$
declare
  wanted text;
begin
  for wanted in
    select name from pg_catalog.pg_available_extensions where name in ('pgcrypto', 'uuid-ossp')
  loop
    execute format('create extension if not exists %I with schema extensions', wanted);
  end loop;
exception
  when insufficient_privilege then
    raise notice 'extensions pgcrypto and uuid-ossp were not installed: %', sqlerrm;
end
$extensions$;
