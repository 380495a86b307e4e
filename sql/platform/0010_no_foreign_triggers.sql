-- What a superuser writes has no trigger of the project's: it would run as that superuser.

do $$
declare
  written text;
begin
  foreach written in array array[
    'supabase_functions.hooks', 'net.http_request_queue', 'net._http_response'
  ] loop
    if exists (
      select from pg_catalog.pg_class
      where oid = to_regclass(written) and pg_has_role(current_user, relowner, 'usage')
    ) then
      execute format('revoke trigger on %s from postgres, service_role', written);
    end if;
  end loop;
end
$$;
