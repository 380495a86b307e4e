-- supabase-dbdev by name only, so that migrations that create it go on: it installs nothing, and says so.
create schema dbdev;

create function dbdev.install(package_name text) returns boolean
language plpgsql volatile
as $$
begin
  raise warning 'dbdev is not served: % was not installed', package_name;
  return false;
end
$$;

grant usage on schema dbdev to postgres;
