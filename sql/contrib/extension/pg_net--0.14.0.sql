-- pg_net without its library: requests are rows, which the stack's worker sends once their
-- transaction is committed. Names, arguments and answers as the original's. A request is sent at
-- most once: one that a killed worker had taken is answered by an error.

-- It runs as superuser: a function of whoever creates it, in the schema that they name, is not found.
set local search_path to pg_catalog, pg_temp;

create sequence net.http_request_queue_id_seq;

create table net.http_request_queue (
  id bigint not null default nextval('net.http_request_queue_id_seq'),
  method text not null,
  url text not null,
  headers jsonb not null default '{}'::jsonb,
  body bytea,
  timeout_milliseconds integer not null,
  taken timestamptz,
  constraint http_request_queue_pkey primary key (id),
  constraint http_request_queue_method_check check (method in ('GET', 'POST', 'DELETE', 'PUT', 'PATCH')),
  constraint http_request_queue_timeout_check check (timeout_milliseconds between 1 and 600000)
);
alter sequence net.http_request_queue_id_seq owned by net.http_request_queue.id;
comment on table net.http_request_queue is 'Requests that wait for the worker, or that it has taken.';

create table net._http_response (
  id bigint,
  status_code integer,
  content_type text,
  headers jsonb,
  content text,
  timed_out boolean,
  error_msg text,
  created timestamptz not null default now()
);
-- A publication of all tables has this one too, and the worker deletes from it.
alter table net._http_response replica identity full;
create index _http_response_created_idx on net._http_response (created);
create index _http_response_id_idx on net._http_response (id);
comment on table net._http_response is 'Answers, kept for six hours.';

create type net.request_status as enum ('PENDING', 'SUCCESS', 'ERROR');
create type net.http_response as (status_code integer, headers jsonb, body text);
create type net.http_response_result as (
  status net.request_status, message text, response net.http_response
);

create function net._urlencode_string(string text) returns text
language sql immutable strict parallel safe set search_path = ''
return (
  select coalesce(string_agg(
    case
      when get_byte(b, n) between 48 and 57 or get_byte(b, n) between 65 and 90
        or get_byte(b, n) between 97 and 122 or get_byte(b, n) in (45, 46, 95, 126)
      then chr(get_byte(b, n))
      else '%' || upper(lpad(to_hex(get_byte(b, n)), 2, '0'))
    end, '' order by n
  ), '')
  from convert_to(string, 'UTF8') as b, generate_series(0, length(b) - 1) as n
);

create function net._encode_url_with_params(url text, params jsonb) returns text
language sql immutable parallel safe set search_path = ''
return (
  select url || coalesce(
    case when strpos(url, '?') > 0 then '&' else '?' end || string_agg(
      net._urlencode_string(key) || '=' || net._urlencode_string(coalesce(value, '')), '&'
    ), ''
  )
  from jsonb_each_text(coalesce(params, '{}'::jsonb))
);

create function net._enqueue(
  method text, url text, params jsonb, headers jsonb, body bytea, timeout_milliseconds integer
) returns bigint
language plpgsql volatile security definer set search_path = ''
as $$
declare
  request bigint;
begin
  if url is null or url !~* '^https?://' then
    raise exception 'the url of a request has to begin with http:// or https://'
      using errcode = '22023';
  end if;
  if octet_length(body) > 1048576 or length(url) > 8192 or length(headers::text) > 65536 then
    raise exception 'a request is too large: a body has up to 1048576 bytes, a url 8192, headers 65536'
      using errcode = '54000';
  end if;
  insert into net.http_request_queue (method, url, headers, body, timeout_milliseconds)
  values (
    _enqueue.method, net._encode_url_with_params(_enqueue.url, params),
    coalesce(_enqueue.headers, '{}'::jsonb), _enqueue.body,
    coalesce(_enqueue.timeout_milliseconds, 5000)
  )
  returning id into request;
  perform pg_notify('compat_net', '');
  return request;
end
$$;

create function net.http_get(
  url text, params jsonb default '{}'::jsonb, headers jsonb default '{}'::jsonb,
  timeout_milliseconds integer default 5000
) returns bigint
language sql volatile security definer set search_path = ''
as $$ select net._enqueue('GET', url, params, headers, null, timeout_milliseconds) $$;

create function net.http_post(
  url text, body jsonb default '{}'::jsonb, params jsonb default '{}'::jsonb,
  headers jsonb default '{"Content-Type": "application/json"}'::jsonb,
  timeout_milliseconds integer default 5000
) returns bigint
language plpgsql volatile security definer set search_path = ''
as $$
declare
  kind text;
begin
  select value into kind from jsonb_each_text(headers) where lower(key) = 'content-type';
  if kind is not null and split_part(kind, ';', 1) <> 'application/json' then
    raise exception 'Content-Type header must be "application/json"' using errcode = '22023';
  end if;
  return net._enqueue(
    'POST', url, params,
    case when kind is null then coalesce(headers, '{}') || '{"Content-Type": "application/json"}'
      else headers end,
    convert_to(body::text, 'UTF8'), timeout_milliseconds
  );
end
$$;

create function net.http_delete(
  url text, params jsonb default '{}'::jsonb, headers jsonb default '{}'::jsonb,
  timeout_milliseconds integer default 5000, body jsonb default null
) returns bigint
language sql volatile security definer set search_path = ''
as $$
  select net._enqueue(
    'DELETE', url, params, headers, convert_to(body::text, 'UTF8'), timeout_milliseconds
  )
$$;

create function net._await_response(request_id bigint) returns boolean
language plpgsql volatile security definer set search_path = ''
as $$
begin
  while exists (select from net.http_request_queue where id = request_id) loop
    perform pg_sleep(0.05);
  end loop;
  return exists (select from net._http_response where id = request_id);
end
$$;

create function net._http_collect_response(request_id bigint, async boolean default true)
returns net.http_response_result
language plpgsql volatile security definer set search_path = ''
as $$
declare
  found net._http_response;
begin
  if not async then
    perform net._await_response(request_id);
  end if;
  select * into found from net._http_response where id = request_id;
  if found.id is null then
    if exists (select from net.http_request_queue where id = request_id) then
      return ('PENDING', 'request is pending processing', null)::net.http_response_result;
    end if;
    return ('ERROR', 'request matching request_id not found', null)::net.http_response_result;
  end if;
  return (
    case when found.error_msg is null then 'SUCCESS' else 'ERROR' end,
    coalesce(found.error_msg, 'ok'),
    case when found.error_msg is null
      then (found.status_code, found.headers, found.content)::net.http_response end
  )::net.http_response_result;
end
$$;

create function net.http_collect_response(request_id bigint, async boolean default true)
returns net.http_response_result
language sql volatile set search_path = ''
as $$ select net._http_collect_response(request_id, async) $$;

create function net.check_worker_is_up() returns void
language sql volatile set search_path = ''
as $$ select null $$;

create function net.worker_restart() returns boolean
language sql volatile set search_path = ''
as $$ select true from pg_notify('compat_net', '') $$;

revoke all on all tables in schema net from public;
revoke all on all functions in schema net from public;
grant usage on schema net to anon, authenticated, service_role, postgres;
-- No TRIGGER: one would run as the worker.
grant select, insert, update, delete, truncate
  on net.http_request_queue, net._http_response to postgres, service_role;
grant all on sequence net.http_request_queue_id_seq to postgres, service_role;
grant execute on function
  net.http_get(text, jsonb, jsonb, integer),
  net.http_post(text, jsonb, jsonb, jsonb, integer),
  net.http_delete(text, jsonb, jsonb, integer, jsonb),
  net._urlencode_string(text),
  net._encode_url_with_params(text, jsonb)
  to anon, authenticated, service_role, postgres;
grant execute on function
  net._enqueue(text, text, jsonb, jsonb, bytea, integer),
  net._await_response(bigint),
  net._http_collect_response(bigint, boolean),
  net.http_collect_response(bigint, boolean),
  net.check_worker_is_up(),
  net.worker_restart()
  to service_role, postgres;

-- Its own objects alone: a dump leaves out what an extension's script grants, on anything.
do $background$
begin
  if exists (select from pg_catalog.pg_roles where rolname = 'compat_background') then
    grant usage on schema net to compat_background;
    grant select, update, delete on net.http_request_queue to compat_background;
    grant select, insert, delete on net._http_response to compat_background;
  end if;
  if exists (select from pg_catalog.pg_roles where rolname = 'supabase_functions_admin') then
    grant usage on schema net to supabase_functions_admin;
    grant execute on function
      net.http_get(text, jsonb, jsonb, integer), net.http_post(text, jsonb, jsonb, jsonb, integer)
      to supabase_functions_admin;
  end if;
end
$background$;

select pg_catalog.pg_extension_config_dump('net.http_request_queue', '');
select pg_catalog.pg_extension_config_dump('net.http_request_queue_id_seq', '');
select pg_catalog.pg_extension_config_dump('net._http_response', '');
