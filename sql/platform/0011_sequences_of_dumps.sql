-- Dumps of a hosted project's data set the services' sequences, as its owner.
do $sequences$
begin
  if exists (select from pg_catalog.pg_roles where rolname = 'postgres') then
    grant all on sequence supabase_functions.hooks_id_seq to postgres, service_role;
    if to_regclass('net.http_request_queue_id_seq') is not null then
      grant all on sequence net.http_request_queue_id_seq to postgres, service_role;
    end if;
  end if;
exception
  when insufficient_privilege then
    raise notice 'sequences of the services stay as they are: %', sqlerrm;
end
$sequences$;
