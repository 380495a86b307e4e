-- A cluster that was made before the embedded PostgreSQL had uuid-ossp gets it now.
do $extensions$
begin
  if exists (select from pg_catalog.pg_available_extensions where name = 'uuid-ossp') then
    create extension if not exists "uuid-ossp" with schema extensions;
  end if;
exception
  when insufficient_privilege then
    raise notice 'the extension uuid-ossp was not installed: %', sqlerrm;
end
$extensions$;
