-- Policies that know a caller by auth.uid() need not read the claims for each row: where nothing else can
-- see it, the setting request.jwt.claim.sub, at which that function looks first, is given to them too.

-- Whether the policies by which rows of a table are read learn of their caller by the functions of schema
-- auth alone: they call no others, and use plain tables whose policies do so too.
create or replace function realtime.policies_call_auth_alone(entity oid)
returns boolean
language sql
stable
set search_path = ''
as $$
  with recursive policies (id) as (
    select p.oid
    from pg_catalog.pg_policy p
    where p.polrelid = entity and p.polcmd in ('r', '*')
    union
    select p.oid
    from policies
    join pg_catalog.pg_depend d
      on d.classid = 'pg_catalog.pg_policy'::regclass and d.objid = policies.id
      and d.refclassid = 'pg_catalog.pg_class'::regclass
    join pg_catalog.pg_policy p on p.polrelid = d.refobjid and p.polcmd in ('r', '*')
  ),
  auth_functions as (
    select p.oid
    from pg_catalog.pg_proc p
    join pg_catalog.pg_namespace n on n.oid = p.pronamespace
    where n.nspname = 'auth' and p.proname in ('uid', 'role', 'email', 'jwt') and p.pronargs = 0
  )
  select not exists (
    -- Of the server's own functions no dependency is recorded: they are found by their parentheses.
    select
    from policies
    join pg_catalog.pg_policy p on p.oid = policies.id
    where regexp_replace(
      pg_get_expr(p.polqual, p.polrelid),
      '\m(COALESCE|NULLIF|auth\.uid|auth\.role|auth\.email|auth\.jwt)\(', '(', 'g'
    ) ~ '[[:alnum:]_"]\(|\mpg_'
  ) and not exists (
    select
    from policies
    join pg_catalog.pg_depend d
      on d.classid = 'pg_catalog.pg_policy'::regclass and d.objid = policies.id
    left join pg_catalog.pg_class c
      on d.refclassid = 'pg_catalog.pg_class'::regclass and c.oid = d.refobjid
    where c.relkind is distinct from 'r' and c.relkind is distinct from 'p'
      and not (
        d.refclassid = 'pg_catalog.pg_proc'::regclass
        and d.refobjid in (select oid from auth_functions)
      )
  )
$$;

comment on function realtime.policies_call_auth_alone(oid) is
  'Whether only functions of schema auth tell the policies for reading a table who its caller is.';

revoke execute on function realtime.policies_call_auth_alone(oid) from public;
grant execute on function realtime.policies_call_auth_alone(oid) to supabase_realtime_admin;

do $owner$
begin
  if exists (select from pg_catalog.pg_roles where rolname = 'postgres') then
    grant execute on function realtime.policies_call_auth_alone(oid) to postgres;
  end if;
end
$owner$;
