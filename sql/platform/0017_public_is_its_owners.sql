-- `postgres` owns the database, and grants and revokes on schema public as that one's owner. A grant
-- option of its own went before that: `revoke … on schema public from anon` then took back nothing.

do $public$
declare
  given record;
begin
  if not (select rolsuper from pg_catalog.pg_roles where rolname = current_user)
    or not exists (
      select from pg_catalog.pg_database
      where datname = current_database() and datdba = to_regrole('postgres')
    )
    or not exists (
      select from pg_catalog.pg_namespace
      where nspname = 'public' and nspowner = to_regrole('pg_database_owner')
    )
  then
    return;
  end if;
  for given in
    select entry.privilege_type, coalesce(quote_ident(rolname), 'public') as grantee
    from pg_catalog.pg_namespace as n
    cross join pg_catalog.aclexplode(n.nspacl) as entry
    left join pg_catalog.pg_roles as r on r.oid = entry.grantee
    where n.nspname = 'public' and entry.grantor = to_regrole('postgres')
  loop
    execute format('grant %s on schema public to %s', given.privilege_type, given.grantee);
  end loop;
  revoke grant option for all on schema public from postgres cascade;
end
$public$;
