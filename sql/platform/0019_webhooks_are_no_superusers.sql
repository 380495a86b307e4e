-- What a webhook sends is made of a row whose types may have casts of the project's owner: they run as
-- the owner of the function, which is supabase_functions_admin, as on Supabase, and no superuser.
do $webhooks$
declare
  called regprocedure;
begin
  if not (
    select r.rolsuper from pg_catalog.pg_proc as p
    join pg_catalog.pg_roles as r on r.oid = p.proowner
    where p.oid = 'supabase_functions.http_request()'::regprocedure
  ) then
    return;
  end if;
  grant usage on schema supabase_functions to supabase_functions_admin;
  grant select, insert on supabase_functions.hooks to supabase_functions_admin;
  grant usage on sequence supabase_functions.hooks_id_seq to supabase_functions_admin;
  if exists (select from pg_catalog.pg_namespace where nspname = 'net') then
    grant usage on schema net to supabase_functions_admin;
    for called in
      select p.oid from pg_catalog.pg_proc as p
      where p.pronamespace = 'net'::regnamespace and p.proname in ('http_get', 'http_post')
    loop
      execute format('grant execute on function %s to supabase_functions_admin', called);
    end loop;
  end if;
  alter function supabase_functions.http_request() owner to supabase_functions_admin;
  -- An owner's rights leave with the ownership: those of everybody else are as they were.
  grant execute on function supabase_functions.http_request() to postgres;
end
$webhooks$;
