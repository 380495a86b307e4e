-- http by name only: types and functions are there, so that what uses them can be created. A
-- statement here cannot wait for another server, so a request is refused with the way round: pg_net.

create domain @extschema@.http_method as text;
create type @extschema@.http_header as (field character varying, value character varying);
create type @extschema@.http_request as (
  method @extschema@.http_method, uri character varying, headers @extschema@.http_header[],
  content_type character varying, content character varying
);
create type @extschema@.http_response as (
  status integer, content_type character varying, headers @extschema@.http_header[],
  content character varying
);

create function @extschema@.http(request @extschema@.http_request)
returns @extschema@.http_response
language plpgsql volatile
as $$
begin
  -- a project's files go on: what they install by it is not there, and they say so themselves
  if current_setting('compat.applies', true) = 'on' then
    raise warning 'the extension http is not served: % is not called', request.uri;
    return (503, 'text/plain', null, null)::@extschema@.http_response;
  end if;
  raise exception 'the extension http is not served: this server has no library that sends requests'
    using errcode = '0A000',
      hint = 'net.http_get, net.http_post and net.http_delete of pg_net send after the transaction.';
end
$$;

create function @extschema@.http_header(field character varying, value character varying)
returns @extschema@.http_header
language sql immutable
as $$ select row(field, value)::@extschema@.http_header $$;

create function @extschema@.http_get(uri character varying) returns @extschema@.http_response
language sql volatile
as $$ select @extschema@.http(('GET', uri, null, null, null)::@extschema@.http_request) $$;

create function @extschema@.http_head(uri character varying) returns @extschema@.http_response
language sql volatile
as $$ select @extschema@.http(('HEAD', uri, null, null, null)::@extschema@.http_request) $$;

create function @extschema@.http_delete(uri character varying) returns @extschema@.http_response
language sql volatile
as $$ select @extschema@.http(('DELETE', uri, null, null, null)::@extschema@.http_request) $$;

create function @extschema@.http_post(
  uri character varying, content character varying, content_type character varying
) returns @extschema@.http_response
language sql volatile
as $$
  select @extschema@.http(('POST', uri, null, content_type, content)::@extschema@.http_request)
$$;

create function @extschema@.http_put(
  uri character varying, content character varying, content_type character varying
) returns @extschema@.http_response
language sql volatile
as $$
  select @extschema@.http(('PUT', uri, null, content_type, content)::@extschema@.http_request)
$$;

create function @extschema@.http_patch(
  uri character varying, content character varying, content_type character varying
) returns @extschema@.http_response
language sql volatile
as $$
  select @extschema@.http(('PATCH', uri, null, content_type, content)::@extschema@.http_request)
$$;

create function @extschema@.http_set_curlopt(curlopt character varying, value character varying)
returns boolean
language sql volatile
as $$ select true $$;

create function @extschema@.http_reset_curlopt() returns boolean
language sql volatile
as $$ select true $$;

create function @extschema@.urlencode(string character varying) returns text
language sql immutable strict parallel safe
as $$
  select coalesce(string_agg(
    case
      when get_byte(b, n) between 48 and 57 or get_byte(b, n) between 65 and 90
        or get_byte(b, n) between 97 and 122 or get_byte(b, n) in (45, 46, 95, 126)
      then chr(get_byte(b, n))
      else '%' || upper(lpad(to_hex(get_byte(b, n)), 2, '0'))
    end, '' order by n
  ), '')
  from convert_to(string, 'UTF8') as b, generate_series(0, length(b) - 1) as n
$$;

create function @extschema@.urlencode(string bytea) returns text
language sql immutable strict parallel safe
as $$ select @extschema@.urlencode(convert_from(string, 'UTF8')::character varying) $$;

create function @extschema@.urlencode(data jsonb) returns text
language sql immutable strict parallel safe
as $$
  select string_agg(
    @extschema@.urlencode(key::character varying) || '='
      || @extschema@.urlencode(coalesce(value, '')::character varying), '&'
  )
  from jsonb_each_text(data)
$$;

create function @extschema@.http_get(uri character varying, data jsonb)
returns @extschema@.http_response
language sql volatile
as $$
  select @extschema@.http(
    ('GET', uri || '?' || @extschema@.urlencode(data), null, null, null)::@extschema@.http_request
  )
$$;

create function @extschema@.http_post(uri character varying, data jsonb)
returns @extschema@.http_response
language sql volatile
as $$
  select @extschema@.http((
    'POST', uri, null, 'application/x-www-form-urlencoded', @extschema@.urlencode(data)
  )::@extschema@.http_request)
$$;

create function @extschema@.http_delete(
  uri character varying, content character varying, content_type character varying
) returns @extschema@.http_response
language sql volatile
as $$
  select @extschema@.http(('DELETE', uri, null, content_type, content)::@extschema@.http_request)
$$;

create function @extschema@.http_headers(variadic args text[]) returns @extschema@.http_header[]
language sql immutable
as $$
  select array_agg(row(args[n], args[n + 1])::@extschema@.http_header order by n)
  from generate_series(1, cardinality(args), 2) as n
$$;

create function @extschema@.http_list_curlopt()
returns table (curlopt text, value text)
language sql volatile
as $$ select null::text, null::text where false $$;

create function @extschema@.text_to_bytea(data text) returns bytea
language sql immutable strict parallel safe
as $$ select convert_to(data, 'UTF8') $$;

create function @extschema@.bytea_to_text(data bytea) returns text
language sql immutable strict parallel safe
as $$ select convert_from(data, 'UTF8') $$;
