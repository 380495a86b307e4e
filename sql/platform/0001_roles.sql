-- The database roles that Supabase's clients, tokens and services name.
--
-- A token's role claim becomes the database role of the request, so these names are part of the
-- wire contract. Roles belong to the whole cluster: one that exists already is left exactly as it
-- is, settings included. Passwords of login roles are never written here.
--
-- Attributes that only a superuser may give (bypassrls, replication) are tried and, where refused,
-- named in a warning with the statement an administrator has to run.

do $roles$
declare
  wanted record;
  setting text;
begin
  for wanted in
    select *
    from (values
      -- name, attributes, attribute that may be refused, settings given to a new role
      ('anon',                    'nologin', null,           array['statement_timeout = ''3s''']),
      ('authenticated',           'nologin', null,           array['statement_timeout = ''8s''']),
      ('service_role',            'nologin', 'bypassrls',    array[]::text[]),
      ('authenticator',           'login noinherit', null,
        array['statement_timeout = ''8s''', 'lock_timeout = ''8s''']),
      ('supabase_auth_admin',     'login noinherit', null,
        array['search_path = ''auth''', 'idle_in_transaction_session_timeout = ''60s''']),
      ('supabase_realtime_admin', 'login noinherit', 'replication', array[]::text[])
    ) as t (name, attributes, privileged, settings)
    where not exists (select from pg_catalog.pg_roles r where r.rolname = t.name)
  loop
    begin
      execute format('create role %I %s', wanted.name, wanted.attributes);
    exception
      when duplicate_object or unique_violation then
        continue;  -- another database of this cluster was migrated at the same moment
    end;
    if wanted.privileged is not null then
      begin
        execute format('alter role %I %s', wanted.name, wanted.privileged);
      exception
        when insufficient_privilege then
          raise warning 'an administrator has to run: alter role % %;',
            wanted.name, wanted.privileged;
      end;
    end if;
    foreach setting in array wanted.settings loop
      execute format('alter role %I set %s', wanted.name, setting);
    end loop;
  end loop;
end
$roles$;

-- Who may become whom: the services that act in somebody's name switch to the token's role, and a
-- migrating user who is no superuser has to be a member of the roles it hands objects to.
do $members$
declare
  pair record;
  switch text := case
    when current_setting('server_version_num')::integer >= 160000 then 'set' else 'member'
  end;
begin
  for pair in
    select granted, member
    from unnest(array['anon', 'authenticated', 'service_role']) as g (granted)
    cross join unnest(array['authenticator', 'supabase_realtime_admin', current_user]) as m (member)
    union all
    select granted, current_user
    from unnest(array['supabase_auth_admin', 'supabase_realtime_admin']) as g (granted)
  loop
    continue when pg_has_role(pair.member, pair.granted, switch)
      and (pair.member <> current_user or pg_has_role(pair.member, pair.granted, 'usage'));
    execute format('grant %I to %I', pair.granted, pair.member);
  end loop;
end
$members$;
