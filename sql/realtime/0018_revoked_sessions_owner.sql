-- Who asks for revoked sessions reads tables of supabase_auth_admin, whose members may put views in
-- their place: what those call runs as that role, and as no superuser.
do $owner$
begin
  if exists (select from pg_catalog.pg_roles where rolname = 'supabase_auth_admin')
    and (
      select r.rolsuper from pg_catalog.pg_proc as p
      join pg_catalog.pg_roles as r on r.oid = p.proowner
      where p.oid = 'realtime.revoked_sessions(uuid[])'::regprocedure
    )
  then
    alter function realtime.revoked_sessions(uuid[]) owner to supabase_auth_admin;
  end if;
end
$owner$;
