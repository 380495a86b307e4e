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
