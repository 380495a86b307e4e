-- pgjwt: HS256, HS384 and HS512 (RFC 7519). Names and arguments as the original's.

create function @extschema@.url_encode(data bytea) returns text
language sql immutable strict parallel safe
as $$ select translate(encode(data, 'base64'), E'+/=\n', '-_') $$;

create function @extschema@.url_decode(data text) returns bytea
language sql immutable strict parallel safe
as $$
  select decode(rpad(translate(data, '-_', '+/'), (length(data) + 3) / 4 * 4, '='), 'base64')
$$;

create function @extschema@.algorithm_sign(signables text, secret text, algorithm text)
returns text
language plpgsql immutable parallel safe
as $$
begin
  if algorithm is null or algorithm not in ('HS256', 'HS384', 'HS512') then
    return null;
  end if;
  return @extschema@.url_encode(@extschema:pgcrypto@.hmac(
    convert_to(signables, 'UTF8'), convert_to(secret, 'UTF8'),
    'sha' || substr(algorithm, 3)
  ));
end
$$;

create function @extschema@.sign(payload json, secret text, algorithm text default 'HS256')
returns text
language sql immutable parallel safe
as $$
  select signables || '.' || @extschema@.algorithm_sign(signables, secret, algorithm)
  from concat(
    @extschema@.url_encode(convert_to('{"alg":"' || algorithm || '","typ":"JWT"}', 'UTF8')), '.',
    @extschema@.url_encode(convert_to(payload::text, 'UTF8'))
  ) as signables
$$;

create function @extschema@.try_cast_double(inp text) returns double precision
language plpgsql immutable strict parallel safe
as $$
begin
  return inp::double precision;
exception
  when invalid_text_representation or numeric_value_out_of_range then
    return null;
end
$$;

create function @extschema@.verify(token text, secret text, algorithm text default 'HS256')
returns table (header json, payload json, valid boolean)
language plpgsql stable parallel safe
as $$
declare
  parts text[] := string_to_array(token, '.');
begin
  header := convert_from(@extschema@.url_decode(parts[1]), 'UTF8')::json;
  payload := convert_from(@extschema@.url_decode(parts[2]), 'UTF8')::json;
  valid := coalesce(
    cardinality(parts) = 3
    and parts[3] = @extschema@.algorithm_sign(parts[1] || '.' || parts[2], secret, algorithm)
    and now() >= to_timestamp(
      coalesce(@extschema@.try_cast_double(payload ->> 'nbf'), 0)
    )
    and (
      payload ->> 'exp' is null
      or now() < to_timestamp(@extschema@.try_cast_double(payload ->> 'exp'))
    ),
    false
  );
  return next;
end
$$;
