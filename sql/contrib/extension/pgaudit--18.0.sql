-- pgaudit by name only, so that migrations that create it go on: nothing is logged. Its two
-- functions are there, because dumps grant on them.
create function @extschema@.pgaudit_ddl_command_end() returns event_trigger
language plpgsql
as $$ begin end $$;

create function @extschema@.pgaudit_sql_drop() returns event_trigger
language plpgsql
as $$ begin end $$;
