-- A database that was made before our uuid-ossp had version 5 gets it now.
do $extensions$
begin
  if exists (
    select from pg_catalog.pg_extension as e
    join pg_catalog.pg_available_extension_versions as v on v.name = e.extname
    where e.extname = 'uuid-ossp' and e.extversion = '1.1' and v.version = '1.1.1'
  ) then
    alter extension "uuid-ossp" update to '1.1.1';
  end if;
exception
  when insufficient_privilege then
    raise notice 'the extension uuid-ossp was not updated: %', sqlerrm;
end
$extensions$;
