-- Stored generated columns are part of a change, as they are of the row; before PostgreSQL 18 the
-- stream cannot carry them.

do $publication$
begin
  if current_setting('server_version_num')::integer >= 180000 then
    alter publication supabase_realtime set (publish_generated_columns = stored);
  end if;
end
$publication$;
