-- The publication of live changes is the project's, as on Supabase: its migrations add tables to it.
-- What the schema offers to whoever owns tables may be called by the project's owner.
do $owner$
begin
  if current_user <> 'postgres'
    and exists (select from pg_catalog.pg_roles where rolname = 'postgres' and not rolsuper)
  then
    grant usage on schema realtime to postgres;
    grant execute on all functions in schema realtime to postgres;
    grant select, insert, update, delete on realtime.guarded_tables to postgres;
    if (select pubowner from pg_catalog.pg_publication where pubname = 'supabase_realtime')
      = current_user::regrole
    then
      alter publication supabase_realtime owner to postgres;
    end if;
  end if;
exception
  when insufficient_privilege then
    raise notice 'the publication supabase_realtime keeps its owner: %', sqlerrm;
end
$owner$;
