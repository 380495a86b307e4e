-- At most twenty wrong codes per address in fifteen minutes, beside the five per user: who signs up
-- again and again from one place gets no new tries. The address is the gateway's word, in the
-- headers that PostgREST hands on; an IPv6 caller has all of its /64. Without one nothing is counted.
--
-- Counted in sequences as in 20261121000006, with five bits for how many: who in 26 bits, when in 32.

do $registros$
begin
  for n in 0..127 loop
    execute format('create sequence planes.codigo_erroneo_en_%s as bigint', n);
    execute format('revoke all on sequence planes.codigo_erroneo_en_%s from public', n);
  end loop;
end
$registros$;

create function planes.direccion()
returns text
language plpgsql
stable
set search_path = ''
as $$
declare
  dicha constant text := nullif(current_setting('request.headers', true), '')::json
    ->> 'x-forwarded-for';
begin
  if family(dicha::inet) = 6 then
    return network(set_masklen(dicha::inet, 64))::text;
  end if;
  return dicha;
exception when invalid_text_representation then
  return left(dicha, 100);
end
$$;

create function planes.codigo_erroneo_en_conjunto(direccion text)
returns integer
language sql
immutable
set search_path = ''
as $$ select (pg_catalog.hashtextextended(direccion, 0) & 15)::integer $$;

create function planes.codigo_erroneo_en_marca(direccion text)
returns bigint
language sql
immutable
set search_path = ''
as $$ select pg_catalog.hashtextextended(direccion, 1) & ((1 << 26) - 1) $$;

create function planes.codigo_erroneo_en_registros(direccion text)
returns table (registro regclass, marca bigint, segundos bigint, fallos integer)
language sql
volatile
set search_path = ''
as $$
  select r.registro, v.valor & ((1 << 26) - 1), (v.valor >> 26) & ((1::bigint << 32) - 1),
    (v.valor >> 58)::integer
  from (
    select format(
      'planes.codigo_erroneo_en_%s', planes.codigo_erroneo_en_conjunto(direccion) * 8 + n
    )::regclass as registro
    from generate_series(0, 7) as n
  ) as r
  cross join lateral (
    select coalesce(pg_catalog.pg_sequence_last_value(r.registro), 0) as valor
  ) as v
$$;

-- How many wrong codes count against the address now, 0 for none; its set stays locked until the
-- transaction ends. Whoever takes this lock has that of the user's set already.
create function planes.codigos_erroneos_en(direccion text)
returns integer
language plpgsql
volatile
set search_path = ''
as $$
begin
  if direccion is null then
    return 0;
  end if;
  perform pg_advisory_xact_lock(
    hashtext('planes.codigos_erroneos_en'), planes.codigo_erroneo_en_conjunto(direccion)
  );
  return coalesce((
    select max(fallos)
    from planes.codigo_erroneo_en_registros(direccion)
    where marca = planes.codigo_erroneo_en_marca(direccion)
      and segundos > extract(epoch from clock_timestamp()) - 15 * 60
  ), 0);
end
$$;

create function planes.anotar_codigo_erroneo_en(direccion text)
returns void
language plpgsql
volatile
set search_path = ''
as $$
declare
  ahora constant bigint := floor(extract(epoch from clock_timestamp()));
  quien constant bigint := planes.codigo_erroneo_en_marca(direccion);
  cuantos constant bigint := least(planes.codigos_erroneos_en(direccion) + 1, 31);
  destino regclass;
begin
  if direccion is null then
    return;
  end if;
  select registro into destino
  from planes.codigo_erroneo_en_registros(direccion)
  order by marca = quien desc, segundos <= ahora - 15 * 60 desc, fallos, segundos
  limit 1;
  perform setval(destino, (cuantos << 58) | (ahora << 26) | quien);
end
$$;

create or replace function planes.invitacion_valida(codigo text)
returns public.invitaciones
language plpgsql
volatile
security definer
set search_path = ''
as $$
declare
  yo constant uuid := planes.yo();
  direccion constant text := planes.direccion();
  limpio constant text := planes.codigo_limpio(invitacion_valida.codigo);
  invitacion public.invitaciones;
begin
  if planes.codigos_erroneos(yo) >= 5 or planes.codigos_erroneos_en(direccion) >= 20 then
    raise exception
      'Has probado demasiados códigos incorrectos. Espera 15 minutos e inténtalo de nuevo.';
  end if;
  select * into invitacion from public.invitaciones i where i.codigo = limpio;
  if found then
    perform from public.profiles p where p.id in (yo, invitacion.creador_id) order by p.id for update;
    select * into invitacion from public.invitaciones i where i.codigo = limpio for update;
  end if;
  if not found then
    perform planes.anotar_codigo_erroneo(yo);
    perform planes.anotar_codigo_erroneo_en(direccion);
    raise exception 'No hay ninguna invitación con ese código. Revísalo e inténtalo de nuevo.';
  elsif invitacion.creador_id = yo then
    raise exception 'Esta invitación es tuya: compártela con tu pareja.';
  elsif invitacion.usada_por is not null then
    raise exception 'Esta invitación ya se ha usado. Pide a tu pareja un código nuevo.';
  elsif invitacion.caduca_en <= now() then
    raise exception 'Esta invitación ha caducado. Pide a tu pareja un código nuevo.';
  elsif (select p.pareja_id from public.profiles p where p.id = yo) is not null then
    raise exception 'Ya tienes pareja. Desvincúlate antes de aceptar otra invitación.';
  elsif (
    select p.pareja_id from public.profiles p where p.id = invitacion.creador_id
  ) is not null then
    raise exception 'Quien te invitó ya tiene pareja.';
  end if;
  return invitacion;
end
$$;

revoke execute on function
  planes.direccion(),
  planes.codigo_erroneo_en_conjunto(text),
  planes.codigo_erroneo_en_marca(text),
  planes.codigo_erroneo_en_registros(text),
  planes.codigos_erroneos_en(text),
  planes.anotar_codigo_erroneo_en(text)
  from public;
