-- At most five wrong codes per user in fifteen minutes, although each wrong code ends in an error,
-- and an error rolls back whatever its transaction wrote. Sequences are the exception: setval is not
-- undone. 128 of them are the registers of a small hash table, 16 sets of 8; see sql/README.md for
-- the choice. A register holds, in one bigint, who (28 bits of a hash), when the last wrong code came
-- (32 bits, seconds since 1970) and how many there were without fifteen quiet minutes between
-- (3 bits).

do $registros$
begin
  for n in 0..127 loop
    execute format('create sequence planes.codigo_erroneo_%s as bigint', n);
    execute format('revoke all on sequence planes.codigo_erroneo_%s from public', n);
  end loop;
end
$registros$;

create function planes.codigo_erroneo_conjunto(usuario uuid)
returns integer
language sql
immutable
set search_path = ''
as $$ select (pg_catalog.hashtextextended(usuario::text, 0) & 15)::integer $$;

create function planes.codigo_erroneo_marca(usuario uuid)
returns bigint
language sql
immutable
set search_path = ''
as $$ select pg_catalog.hashtextextended(usuario::text, 1) & ((1 << 28) - 1) $$;

-- The registers of the user's set that are younger than fifteen minutes count; the others are free.
create function planes.codigo_erroneo_registros(usuario uuid)
returns table (registro regclass, marca bigint, segundos bigint, fallos integer)
language sql
volatile
set search_path = ''
as $$
  select r.registro, v.valor & ((1 << 28) - 1), (v.valor >> 28) & ((1::bigint << 32) - 1),
    (v.valor >> 60)::integer
  from (
    select format('planes.codigo_erroneo_%s', planes.codigo_erroneo_conjunto(usuario) * 8 + n)
      ::regclass as registro
    from generate_series(0, 7) as n
  ) as r
  cross join lateral (
    select coalesce(pg_catalog.pg_sequence_last_value(r.registro), 0) as valor
  ) as v
$$;

-- How many wrong codes count against the user now. The set stays locked until the transaction ends,
-- so that tries made at the same time are counted one after the other.
create function planes.codigos_erroneos(usuario uuid)
returns integer
language plpgsql
volatile
set search_path = ''
as $$
begin
  perform pg_advisory_xact_lock(
    hashtext('planes.codigos_erroneos'), planes.codigo_erroneo_conjunto(usuario)
  );
  return coalesce((
    select max(fallos)
    from planes.codigo_erroneo_registros(usuario)
    where marca = planes.codigo_erroneo_marca(usuario)
      and segundos > extract(epoch from clock_timestamp()) - 15 * 60
  ), 0);
end
$$;

-- Counts one more, in the user's register or else in a free one; where none is free, in that of
-- whoever has the fewest wrong codes, and of these the oldest.
create function planes.anotar_codigo_erroneo(usuario uuid)
returns void
language plpgsql
volatile
set search_path = ''
as $$
declare
  ahora constant bigint := floor(extract(epoch from clock_timestamp()));
  quien constant bigint := planes.codigo_erroneo_marca(usuario);
  cuantos constant bigint := least(planes.codigos_erroneos(usuario) + 1, 7);
  destino regclass;
begin
  select registro into destino
  from planes.codigo_erroneo_registros(usuario)
  order by marca = quien desc, segundos <= ahora - 15 * 60 desc, fallos, segundos
  limit 1;
  perform setval(destino, (cuantos << 60) | (ahora << 28) | quien);
end
$$;

revoke execute on function
  planes.codigo_erroneo_conjunto(uuid),
  planes.codigo_erroneo_marca(uuid),
  planes.codigo_erroneo_registros(uuid),
  planes.codigos_erroneos(uuid),
  planes.anotar_codigo_erroneo(uuid)
  from public;
