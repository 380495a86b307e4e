-- A script of an extension takes its dangerous functions from public: dblink_connect_u logs in without
-- a password, as anybody whom the server's socket trusts. In schema public the default privileges had
-- given them to the API roles and to `postgres` before. Functions may be run by public at their birth
-- anyway, so that those roles lose nothing else.

do $defaults$
begin
  if current_user <> 'postgres'
    and exists (select from pg_catalog.pg_roles where rolname = 'postgres' and not rolsuper)
    and pg_has_role(current_user, 'postgres', 'usage')
  then
    alter default privileges in schema public
      revoke all on functions from anon, authenticated, service_role, postgres;
  end if;
end
$defaults$;

-- Takes what functions of extensions, whose scripts keep them from public, were given at their birth
-- alone: who was granted one later keeps it. Called at each migration, as where the project's owner
-- migrates its default privileges are the project's.
create or replace function compat.keep_revoked() returns void
language plpgsql volatile set search_path = ''
as $$
declare
  given record;
begin
  for given in
    select distinct p.oid::pg_catalog.regprocedure as called, r.rolname
    from pg_catalog.pg_proc as p
    join pg_catalog.pg_language as l on l.oid = p.prolang and l.lanname = 'c'
    join pg_catalog.pg_init_privs as i on i.objoid = p.oid and i.privtype = 'e'
      and i.classoid = 'pg_catalog.pg_proc'::pg_catalog.regclass
    cross join pg_catalog.aclexplode(i.initprivs) as born
    cross join pg_catalog.aclexplode(p.proacl) as held
    join pg_catalog.pg_roles as r on r.oid = born.grantee
    where held.grantee = born.grantee and held.grantor = born.grantor
      and r.rolname in ('anon', 'authenticated', 'service_role', 'postgres')
      and born.grantee <> p.proowner and not born.is_grantable
      and pg_catalog.pg_has_role(current_user, p.proowner, 'usage')
      and not exists (
        select from pg_catalog.aclexplode(i.initprivs) as other where other.grantee = 0
      )
  loop
    execute pg_catalog.format(
      'revoke all on function %s from %I', given.called, given.rolname
    );
  end loop;
end
$$;
comment on function compat.keep_revoked() is
  'Takes functions that extensions keep from public from whom default privileges gave them.';
revoke all on function compat.keep_revoked() from public;
