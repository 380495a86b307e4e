-- The schema cron comes with pg_cron, as on Supabase: projects ask by it whether there are jobs.
do $cron$
begin
  drop schema if exists cron restrict;
exception
  when dependent_objects_still_exist or insufficient_privilege then
    null;  -- the extension was made before, or its objects are here as plain ones
end
$cron$;

-- What an earlier pg_net lacks: a publication of all tables has its answers too, which the worker
-- deletes; and who grants on all of its functions has to have a right on each.
do $net$
begin
  if to_regclass('net._http_response') is not null then
    alter table net._http_response replica identity full;
  end if;
  if to_regprocedure('net._enqueue(text,text,jsonb,jsonb,bytea,integer)') is not null
    and exists (select from pg_catalog.pg_roles where rolname = 'postgres')
  then
    grant execute on function net._enqueue(text, text, jsonb, jsonb, bytea, integer) to postgres;
  end if;
exception
  when insufficient_privilege then
    raise notice 'pg_net stays as it is: %', sqlerrm;
end
$net$;
