-- The roles that migrations, seeds and tools name on Supabase, beside those of the services.
--
-- `postgres` owns the project: no superuser, but it may make roles and databases, passes row-level
-- security, and acts for the API roles and for the owners of auth, storage and realtime, so that
-- policies and triggers on their tables can be made. `supabase_admin` is the administrator. A role
-- that exists is left as it is.

do $roles$
declare
  wanted record;
  setting text;
  attribute text;
begin
  for wanted in
    select *
    from (values
      -- name, attributes, attributes that may be refused, settings given to a new role
      ('postgres', 'login', array['createdb', 'createrole', 'bypassrls', 'replication'],
        array['search_path = "$user", public, extensions']),
      ('supabase_admin', 'nologin', array[]::text[], array[]::text[]),
      ('supabase_storage_admin', 'login noinherit', array[]::text[],
        array['search_path = ''storage''']),
      ('supabase_functions_admin', 'login noinherit', array[]::text[],
        array['search_path = ''supabase_functions''']),
      ('supabase_read_only_user', 'login', array['bypassrls'], array[]::text[]),
      ('supabase_replication_admin', 'login', array['replication'], array[]::text[]),
      ('supabase_etl_admin', 'login', array['replication'], array[]::text[]),
      ('dashboard_user', 'nologin', array['createdb', 'createrole', 'replication'],
        array[]::text[]),
      ('pgbouncer', 'login', array[]::text[], array[]::text[])
    ) as t (name, attributes, privileged, settings)
    where not exists (select from pg_catalog.pg_roles r where r.rolname = t.name)
  loop
    begin
      execute format('create role %I %s', wanted.name, wanted.attributes);
    exception
      when duplicate_object or unique_violation then
        continue;  -- another database of this cluster was migrated at the same moment
    end;
    foreach attribute in array wanted.privileged loop
      begin
        execute format('alter role %I %s', wanted.name, attribute);
      exception
        when insufficient_privilege then
          raise warning 'an administrator has to run: alter role % %;', wanted.name, attribute;
      end;
    end loop;
    foreach setting in array wanted.settings loop
      execute format('alter role %I set %s', wanted.name, setting);
    end loop;
  end loop;
end
$roles$;

-- Whom `postgres` acts for. Where it is the server's superuser it needs nothing; where the migrating
-- user may not grant, nothing is lost but the right in question.
do $members$
declare
  pair record;
  options text := case
    when current_setting('server_version_num')::integer >= 160000
    then 'with admin true, inherit true, set true'
    else 'with admin option'
  end;
begin
  for pair in
    select granted, 'postgres' as member
    from unnest(array[
      'anon', 'authenticated', 'service_role', 'authenticator', 'supabase_auth_admin',
      'supabase_realtime_admin', 'supabase_storage_admin', 'supabase_functions_admin',
      'dashboard_user', 'pg_monitor', 'pg_signal_backend', 'pg_read_all_data'
    ]) as g (granted)
    where exists (select from pg_catalog.pg_roles where rolname = 'postgres' and not rolsuper)
      and current_user <> 'postgres'
    union all
    select 'pg_read_all_data', member
    from unnest(array['supabase_read_only_user', 'supabase_etl_admin']) as m (member)
  loop
    continue when exists (
      select from pg_catalog.pg_auth_members a
      where a.roleid = pair.granted::regrole and a.member = pair.member::regrole
        and (a.admin_option or pair.member <> 'postgres')
    );
    begin
      execute format(
        'grant %I to %I %s', pair.granted, pair.member,
        case when pair.member = 'postgres' then options else '' end
      );
    exception
      when insufficient_privilege then
        raise notice '% is no member of %: %', pair.member, pair.granted, sqlerrm;
    end;
  end loop;
  -- Who migrates hands objects to `postgres`, and acts as it.
  if current_user <> 'postgres' and not pg_has_role(current_user, 'postgres', 'usage') then
    grant postgres to current_user;
  end if;
end
$members$;

-- What only a superuser may set: triggers off, as data dumps begin; what the server logs; and the REST
-- service's settings, which have no owner.
do $parameters$
declare
  parameter text;
begin
  if exists (select from pg_catalog.pg_roles where rolname = 'postgres' and not rolsuper) then
    foreach parameter in array array[
      'session_replication_role', 'log_min_messages', 'log_min_duration_statement',
      'pgrst.db_aggregates_enabled', 'pgrst.db_extra_search_path', 'pgrst.db_max_rows',
      'pgrst.db_plan_enabled', 'pgrst.db_pre_request', 'pgrst.db_root_spec', 'pgrst.db_schemas',
      'pgrst.db_timezone_enabled', 'pgrst.db_tx_end', 'pgrst.db_hoisted_tx_settings',
      'pgrst.jwt_aud', 'pgrst.jwt_role_claim_key', 'pgrst.openapi_mode',
      'pgrst.openapi_security_active', 'pgrst.server_cors_allowed_origins',
      'pgrst.server_timing_enabled', 'pgrst.server_trace_header'
    ] loop
      execute format('grant set on parameter %s to postgres', parameter);
    end loop;
  end if;
exception
  when insufficient_privilege then
    raise notice 'seeds may not turn triggers off: %', sqlerrm;
end
$parameters$;
