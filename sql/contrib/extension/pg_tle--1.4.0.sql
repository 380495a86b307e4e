-- pg_tle by name only, so that migrations that create it go on: what is installed by it is not kept.

create function pgtle.install_extension(
  name text, version text, description text, ext text, requires text[] default null,
  schema text default null
) returns boolean
language sql volatile
as $$ select false $$;

create function pgtle.uninstall_extension(extname text) returns boolean
language sql volatile
as $$ select true $$;

create function pgtle.uninstall_extension_if_exists(extname text) returns boolean
language sql volatile
as $$ select true $$;

create function pgtle.available_extensions(
  out name name, out default_version text, out comment text
) returns setof record
language sql stable
as $$
  select name, default_version, comment from pg_catalog.pg_available_extensions where false
$$;

grant usage on schema pgtle to postgres;
