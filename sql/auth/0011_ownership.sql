-- Everything in auth belongs to the auth service's role, and nobody else reads it: row-level
-- security without a policy on the tables that the original guards so. On a server whose
-- administrator is `postgres`, that role reads the tables and may pass the right on.

do $ownership$
declare
  object record;
begin
  for object in
    select format('%s auth.%I', k.kind, c.relname) as name
    from pg_catalog.pg_class c
    join (values ('r', 'table'), ('p', 'table'), ('S', 'sequence'), ('v', 'view')) as k (code, kind)
      on k.code = c.relkind
    where c.relnamespace = 'auth'::regnamespace
      and c.relowner <> 'supabase_auth_admin'::regrole
      and not exists (  -- a column's own sequence follows its table
        select from pg_catalog.pg_depend d
        where d.classid = 'pg_catalog.pg_class'::regclass and d.objid = c.oid
          and d.deptype in ('a', 'i') and d.refobjsubid > 0
      )
    union all
    select format('type auth.%I', t.typname)
    from pg_catalog.pg_type t
    where t.typnamespace = 'auth'::regnamespace and t.typtype in ('e', 'd')
      and t.typowner <> 'supabase_auth_admin'::regrole
    union all
    select format('routine %s', p.oid::regprocedure)
    from pg_catalog.pg_proc p
    where p.pronamespace = 'auth'::regnamespace
      and p.proowner <> 'supabase_auth_admin'::regrole
      and not p.prosecdef  -- a definer function of the project acts as whoever made it
  loop
    execute format('alter %s owner to supabase_auth_admin', object.name);
  end loop;
end
$ownership$;

do $guards$
declare
  guarded text;
begin
  foreach guarded in array array[
    'schema_migrations', 'instances', 'users', 'audit_log_entries', 'saml_relay_states',
    'refresh_tokens', 'mfa_factors', 'sessions', 'sso_providers', 'sso_domains',
    'mfa_challenges', 'mfa_amr_claims', 'saml_providers', 'flow_state', 'identities',
    'one_time_tokens'
  ] loop
    execute format('alter table auth.%I enable row level security', guarded);
    if exists (select from pg_catalog.pg_roles where rolname = 'postgres' and not rolsuper) then
      execute format('grant select on auth.%I to postgres with grant option', guarded);
    end if;
  end loop;
end
$guards$;
