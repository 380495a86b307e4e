-- Projects make tables of their own beside the webhooks', or the webhooks' own where there are none
-- yet: on Supabase `postgres` may, as a member of supabase_functions_admin.

do $webhooks$
begin
  if exists (select from pg_catalog.pg_roles where rolname = 'postgres') then
    grant create on schema supabase_functions to postgres;
  end if;
end
$webhooks$;
