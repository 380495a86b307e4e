-- Dumps of hosted projects name the ledger of the functions' own schema.
create table if not exists supabase_functions.migrations (
  version text constraint migrations_pkey primary key,
  inserted_at timestamptz not null default now()
);
comment on table supabase_functions.migrations is 'Named by dumps of hosted projects; empty here.';
do $owner$
begin
  if exists (select from pg_catalog.pg_roles where rolname = 'postgres') then
    grant all on supabase_functions.migrations to postgres, service_role;
  end if;
exception
  when insufficient_privilege then
    raise notice 'the ledger of supabase_functions is the migrating user''s: %', sqlerrm;
end
$owner$;
