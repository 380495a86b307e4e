-- Database webhooks: a trigger that sends its row by pg_net, as the dashboard of Supabase makes them.

create schema if not exists supabase_functions;
grant usage on schema supabase_functions to postgres, anon, authenticated, service_role;

create table if not exists supabase_functions.hooks (
  id bigserial not null,
  hook_table_id integer not null,
  hook_name text not null,
  created_at timestamptz not null default now(),
  request_id bigint,
  constraint hooks_pkey primary key (id)
);
create index if not exists supabase_functions_hooks_request_id_idx
  on supabase_functions.hooks (request_id);
create index if not exists supabase_functions_hooks_h_table_id_h_name_idx
  on supabase_functions.hooks (hook_table_id, hook_name);
comment on table supabase_functions.hooks is 'Which trigger queued which request of pg_net.';

create or replace function supabase_functions.http_request()
returns trigger
language plpgsql
volatile
security definer
set search_path = ''
as $$
declare
  request bigint;
  url text := nullif(tg_argv[0], 'null');
  method text := upper(nullif(tg_argv[1], 'null'));
  headers jsonb := coalesce(
    nullif(tg_argv[2], 'null')::jsonb, '{"Content-Type": "application/json"}'
  );
  params jsonb := coalesce(nullif(tg_argv[3], 'null')::jsonb, '{}');
  timeout integer := coalesce(nullif(tg_argv[4], 'null')::integer, 1000);
begin
  if url is null then
    raise exception 'url argument is missing';
  end if;
  if method = 'GET' then
    request := net.http_get(url, params, headers, timeout);
  elsif method = 'POST' then
    request := net.http_post(
      url,
      jsonb_build_object(
        'type', tg_op,
        'table', tg_table_name,
        'schema', tg_table_schema,
        'record', case when tg_op = 'DELETE' then null else to_jsonb(new) end,
        'old_record', case when tg_op = 'INSERT' then null else to_jsonb(old) end
      ),
      params, headers, timeout
    );
  elsif method is null then
    raise exception 'method argument is missing';
  else
    raise exception 'method argument % is invalid', method;
  end if;
  insert into supabase_functions.hooks (hook_table_id, hook_name, request_id)
  values (tg_relid, tg_name, request);
  return coalesce(new, old);
end
$$;
comment on function supabase_functions.http_request() is
  'Trigger: url, method (GET or POST), headers, params, timeout in milliseconds.';

grant all on supabase_functions.hooks to postgres, service_role;
grant usage on sequence supabase_functions.hooks_id_seq to postgres, service_role;
