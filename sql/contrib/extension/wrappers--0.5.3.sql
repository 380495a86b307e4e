-- wrappers by name only, so that migrations that create its wrappers, servers and foreign tables go
-- on: whatever reads such a table is refused. Handlers can be written in C alone, so each is the
-- server's own function that refuses.

-- It runs as superuser: a function of whoever creates it, in the schema that they name, is not found.
set local search_path to pg_catalog, pg_temp;

do $handlers$
declare
  name text;
begin
  foreach name in array array[
    'airtable', 'auth0', 'big_query', 'click_house', 'cognito', 'duckdb', 'firebase',
    'hello_world', 'iceberg', 'logflare', 'mssql', 'redis', 's3', 's3_vectors', 'stripe', 'wasm'
  ] loop
    execute format(
      'create function @extschema@.%I() returns fdw_handler language internal strict as %L',
      name || '_fdw_handler', 'fdw_handler_in'
    );
    execute format(
      'create function @extschema@.%I(options text[], catalog oid) returns void language plpgsql'
      ' as %L', name || '_fdw_validator', 'begin end'
    );
    execute format(
      'create function @extschema@.%I() returns table (name text, version text, author text,'
      ' website text) language sql as %L',
      name || '_fdw_meta', 'select null::text, null::text, null::text, null::text where false'
    );
  end loop;
end
$handlers$;

create table @extschema@.wrappers_fdw_stats (
  fdw_name text not null,
  create_times bigint,
  rows_in bigint,
  rows_out bigint,
  bytes_in bigint,
  bytes_out bigint,
  metadata jsonb,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  constraint wrappers_fdw_stats_pkey primary key (fdw_name)
);
