-- uuid-ossp without its library: the embedded PostgreSQL is built without one, and a project's
-- migrations expect `uuid_generate_v4()`. Same names, arguments and values as the original's;
-- version 5 comes with 1.1.1.

create function uuid_nil() returns uuid
language sql immutable strict parallel safe
return '00000000-0000-0000-0000-000000000000'::uuid;

create function uuid_ns_dns() returns uuid
language sql immutable strict parallel safe
return '6ba7b810-9dad-11d1-80b4-00c04fd430c8'::uuid;

create function uuid_ns_url() returns uuid
language sql immutable strict parallel safe
return '6ba7b811-9dad-11d1-80b4-00c04fd430c8'::uuid;

create function uuid_ns_oid() returns uuid
language sql immutable strict parallel safe
return '6ba7b812-9dad-11d1-80b4-00c04fd430c8'::uuid;

create function uuid_ns_x500() returns uuid
language sql immutable strict parallel safe
return '6ba7b814-9dad-11d1-80b4-00c04fd430c8'::uuid;

create function uuid_generate_v4() returns uuid
language sql volatile strict parallel safe
return gen_random_uuid();

-- RFC 9562, section 5.1: 60 bits of 100 ns since 1582-10-15 in the order low, middle, high; then
-- 14 random bits and a random node, marked as such by its multicast bit (section 6.10).
create function uuid_generate_v1mc() returns uuid
language sql volatile strict parallel safe
return (
  select encode(
    substr(ticks, 5, 4) || substr(ticks, 3, 2)
    || set_byte(substr(ticks, 1, 2), 0, get_byte(ticks, 0) & 15 | 16)
    || set_byte(substr(random, 9, 8), 2, get_byte(random, 10) | 1),
    'hex'
  )::uuid
  from (
    select
      int8send((extract(epoch from clock_timestamp()) * 10000000)::bigint + 122192928000000000)
        as ticks,
      uuid_send(gen_random_uuid()) as random
  ) as drawn
);

create function uuid_generate_v1() returns uuid
language sql volatile strict parallel safe
return uuid_generate_v1mc();

-- RFC 9562, section 5.3.
create function uuid_generate_v3(namespace uuid, name text) returns uuid
language sql immutable strict parallel safe
return (
  select encode(
    set_byte(set_byte(digest, 6, get_byte(digest, 6) & 15 | 48), 8, get_byte(digest, 8) & 63 | 128),
    'hex'
  )::uuid
  from decode(md5(uuid_send(namespace) || convert_to(name, 'UTF8')), 'hex') as digest
);
