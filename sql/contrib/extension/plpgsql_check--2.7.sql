-- plpgsql_check by name: no function is checked, and whoever asks is told so for each, as a warning.

create function @extschema@.plpgsql_check_function(
  funcoid regprocedure, relid regclass default 0, format text default 'text',
  fatal_errors boolean default true, other_warnings boolean default true,
  performance_warnings boolean default false, extra_warnings boolean default true,
  security_warnings boolean default false
) returns setof text
language sql stable
as $$
  select case lower(format)
    when 'json' then json_build_object('function', funcoid::text, 'issues', json_build_array(
      json_build_object('level', 'warning', 'message', said, 'sqlState', '0A000')))::text
    else 'warning:0A000:' || said
  end
  from (values ('it was not checked: this server has no plpgsql_check')) as reason (said)
$$;
