-- The REST service learns of a new table without a restart: after DDL that changes what it exposes
-- the database itself says so on the channel pgrst. Names as on Supabase, so that a dump of a
-- project and this file meet without doubles.

create or replace function extensions.pgrst_ddl_watch()
returns event_trigger
language plpgsql
volatile
set search_path = ''
as $$
begin
  if exists (
    select
    from pg_catalog.pg_event_trigger_ddl_commands() as command
    where command.schema_name is distinct from 'pg_temp'
      and command.command_tag in (
        'CREATE SCHEMA', 'ALTER SCHEMA',
        'CREATE TABLE', 'CREATE TABLE AS', 'SELECT INTO', 'ALTER TABLE',
        'CREATE FOREIGN TABLE', 'ALTER FOREIGN TABLE',
        'CREATE VIEW', 'ALTER VIEW',
        'CREATE MATERIALIZED VIEW', 'ALTER MATERIALIZED VIEW',
        'CREATE FUNCTION', 'ALTER FUNCTION', 'CREATE PROCEDURE', 'ALTER PROCEDURE',
        'CREATE AGGREGATE', 'ALTER AGGREGATE', 'CREATE CAST',
        'CREATE TRIGGER', 'CREATE RULE', 'CREATE TYPE', 'ALTER TYPE',
        'CREATE DOMAIN', 'ALTER DOMAIN', 'COMMENT'
      )
  ) then
    notify pgrst, 'reload schema';
  end if;
end
$$;

create or replace function extensions.pgrst_drop_watch()
returns event_trigger
language plpgsql
volatile
set search_path = ''
as $$
begin
  if exists (
    select
    from pg_catalog.pg_event_trigger_dropped_objects() as dropped
    where not dropped.is_temporary
      and dropped.object_type in (
        'schema', 'table', 'foreign table', 'view', 'materialized view', 'table column',
        'table constraint', 'function', 'procedure', 'aggregate', 'cast', 'trigger', 'type',
        'domain', 'rule'
      )
  ) then
    notify pgrst, 'reload schema';
  end if;
end
$$;

-- Only a superuser may create event triggers. Without them a schema change is announced by hand:
-- notify pgrst, 'reload schema'
do $triggers$
begin
  if not exists (select from pg_catalog.pg_event_trigger where evtname = 'pgrst_ddl_watch') then
    create event trigger pgrst_ddl_watch on ddl_command_end
      execute function extensions.pgrst_ddl_watch();
  end if;
  if not exists (select from pg_catalog.pg_event_trigger where evtname = 'pgrst_drop_watch') then
    create event trigger pgrst_drop_watch on sql_drop
      execute function extensions.pgrst_drop_watch();
  end if;
exception
  when insufficient_privilege then
    raise notice 'no event triggers: after DDL run  notify pgrst, ''reload schema''';
end
$triggers$;
