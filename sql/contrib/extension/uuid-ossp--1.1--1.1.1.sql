-- Names of version 5, for the uuid-ossp without its library.

-- FIPS 180-4, section 6.1; PostgreSQL itself has no SHA-1. Words are kept in 64 bits, whose upper
-- half is dropped wherever it may have got one.
create function uuid_sha1(message bytea) returns bytea
language plpgsql immutable strict parallel safe set search_path = pg_catalog
as $$
declare
  low constant bigint := x'ffffffff'::bigint;
  padded bytea := message || '\x80'::bytea
    || decode(repeat('00', ((119 - length(message) % 64) % 64)), 'hex')
    || int8send(length(message)::bigint * 8);
  h bigint[] := array[x'67452301'::bigint, x'efcdab89'::bigint, x'98badcfe'::bigint,
    x'10325476'::bigint, x'c3d2e1f0'::bigint];
  w bigint[];
  a bigint; b bigint; c bigint; d bigint; e bigint; f bigint; t bigint;
begin
  for block in 0 .. length(padded) / 64 - 1 loop
    w := array[]::bigint[];
    for i in 0 .. 15 loop
      w[i] := ('x' || encode(substr(padded, block * 64 + i * 4 + 1, 4), 'hex'))::bit(32)::bigint & low;
    end loop;
    for i in 16 .. 79 loop
      t := w[i - 3] # w[i - 8] # w[i - 14] # w[i - 16];
      w[i] := ((t << 1) | (t >> 31)) & low;
    end loop;
    a := h[1]; b := h[2]; c := h[3]; d := h[4]; e := h[5];
    for i in 0 .. 79 loop
      f := case i / 20
        when 0 then ((b & c) | ((~b) & d)) + x'5a827999'::bigint
        when 1 then (b # c # d) + x'6ed9eba1'::bigint
        when 2 then ((b & c) | (b & d) | (c & d)) + x'8f1bbcdc'::bigint
        else (b # c # d) + x'ca62c1d6'::bigint
      end;
      t := ((((a << 5) | (a >> 27)) & low) + f + e + w[i]) & low;
      e := d; d := c; c := ((b << 30) | (b >> 2)) & low; b := a; a := t;
    end loop;
    h := array[(h[1] + a) & low, (h[2] + b) & low, (h[3] + c) & low, (h[4] + d) & low,
      (h[5] + e) & low];
  end loop;
  return decode(
    (select string_agg(lpad(to_hex(word), 8, '0'), '' order by n)
    from unnest(h) with ordinality as u (word, n)), 'hex'
  );
end
$$;

-- RFC 9562, section 5.5.
create function uuid_generate_v5(namespace uuid, name text) returns uuid
language sql immutable strict parallel safe
return (
  select encode(
    set_byte(set_byte(digest, 6, get_byte(digest, 6) & 15 | 80), 8, get_byte(digest, 8) & 63 | 128),
    'hex'
  )::uuid
  from substr(uuid_sha1(uuid_send(namespace) || convert_to(name, 'UTF8')), 1, 16) as digest
);
