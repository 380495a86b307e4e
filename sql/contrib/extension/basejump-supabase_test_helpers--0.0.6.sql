-- The helpers that most projects' pgTAP tests install from database.dev: same names, arguments and
-- effects, our SQL. A user is known by an identifier, kept in raw_user_meta_data.test_identifier.
create schema tests;
create schema test_overrides;

create function tests.create_supabase_user(
  identifier text, email text default null, phone text default null, metadata jsonb default null
) returns uuid
language plpgsql security definer set search_path = ''
as $$
declare
  made uuid := pg_catalog.gen_random_uuid();
  meta jsonb := coalesce(metadata, '{}') || pg_catalog.jsonb_build_object('test_identifier', identifier);
begin
  insert into auth.users (
    instance_id, id, aud, role, email, phone, raw_user_meta_data, raw_app_meta_data, created_at,
    updated_at
  ) values (
    '00000000-0000-0000-0000-000000000000', made, 'authenticated', 'authenticated',
    coalesce(email, pg_catalog.concat(made, '@test.com')), phone, meta, '{}', pg_catalog.now(),
    pg_catalog.now()
  );
  return made;
end
$$;

create function tests.get_supabase_user(identifier text) returns json
language plpgsql security definer set search_path = ''
as $$
declare
  found json;
begin
  select pg_catalog.json_build_object(
    'id', u.id, 'email', u.email, 'phone', u.phone, 'raw_user_meta_data', u.raw_user_meta_data,
    'raw_app_meta_data', u.raw_app_meta_data
  ) into found
  from auth.users as u
  where u.raw_user_meta_data ->> 'test_identifier' = identifier
  limit 1;
  if found is null then
    raise exception 'User with identifier % not found', identifier;
  end if;
  return found;
end
$$;

create function tests.get_supabase_uid(identifier text) returns uuid
language sql security definer set search_path = ''
as $$ select (tests.get_supabase_user(identifier) ->> 'id')::uuid $$;

-- What follows acts on the caller's own transaction: claims, role and search path.
create function tests.authenticate_as(identifier text) returns void
language plpgsql
as $$
declare
  found json := tests.get_supabase_user(identifier);
begin
  perform set_config('role', 'authenticated', true);
  perform set_config('request.jwt.claims', json_build_object(
    'sub', found ->> 'id', 'email', found ->> 'email', 'phone', found ->> 'phone',
    'role', 'authenticated', 'user_metadata', found -> 'raw_user_meta_data',
    'app_metadata', found -> 'raw_app_meta_data'
  )::text, true);
exception
  when others then
    perform set_config('role', 'anon', true);
    perform set_config('request.jwt.claims', '', true);
    raise;
end
$$;

create function tests.authenticate_as_service_role() returns void
language plpgsql
as $$
begin
  perform set_config('role', 'service_role', true);
  perform set_config('request.jwt.claims', '', true);
end
$$;

create function tests.clear_authentication() returns void
language plpgsql
as $$
begin
  perform set_config('role', 'anon', true);
  perform set_config('request.jwt.claims', '', true);
end
$$;

create function tests.rls_enabled(testing_schema text) returns text
language plpgsql
as $$
begin
  return is(
    (select count(*)::integer from pg_catalog.pg_class
      where relnamespace = testing_schema::regnamespace and relkind = 'r' and not relrowsecurity),
    0, 'All tables in the ' || testing_schema || ' schema should have row level security enabled'
  );
end
$$;

create function tests.rls_enabled(testing_schema text, testing_table text) returns text
language plpgsql
as $$
begin
  return is(
    (select count(*)::integer from pg_catalog.pg_class
      where relnamespace = testing_schema::regnamespace and relname = testing_table
        and relrowsecurity),
    1, testing_table || ' table in the ' || testing_schema
      || ' schema should have row level security enabled'
  );
end
$$;

create function test_overrides.now() returns timestamptz
language plpgsql
as $$
begin
  return coalesce(
    nullif(current_setting('tests.frozen_time', true), '')::timestamptz, pg_catalog.now()
  );
end
$$;

create function tests.freeze_time(frozen_time timestamptz) returns void
language plpgsql
as $$
begin
  if current_setting('search_path') not like 'test_overrides,%' then
    perform set_config('tests.original_search_path', current_setting('search_path'), true);
    perform set_config(
      'search_path', 'test_overrides, pg_catalog, ' || current_setting('search_path'), true
    );
  end if;
  perform set_config('tests.frozen_time', frozen_time::text, true);
end
$$;

create function tests.unfreeze_time() returns void
language plpgsql
as $$
begin
  perform set_config('tests.frozen_time', '', true);
  perform set_config('search_path', current_setting('tests.original_search_path'), true);
end
$$;

-- They write into tables on which the project's owner may have triggers.
do $owner$
begin
  if exists (select from pg_catalog.pg_roles where rolname = 'postgres') then
    alter function tests.create_supabase_user(text, text, text, jsonb) owner to postgres;
    alter function tests.get_supabase_user(text) owner to postgres;
    alter function tests.get_supabase_uid(text) owner to postgres;
  end if;
end
$owner$;

grant usage on schema tests, test_overrides to public;
revoke execute on all functions in schema tests from public;
grant execute on all functions in schema tests to postgres, anon, authenticated, service_role;
-- those that a test adds to the schema are for everybody's tests too
alter default privileges for role postgres in schema tests revoke execute on functions from public;
alter default privileges for role postgres in schema tests
  grant execute on functions to anon, authenticated, service_role;
grant execute on function test_overrides.now() to public;
grant all on schema tests to postgres;
