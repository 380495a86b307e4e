-- What the two owe each other for a month, and how they settle it.

-- What of an amount the one who did not pay owes, in whole cents: the odd one is the payer's.
create function planes.deuda(importe numeric, parte smallint)
returns bigint
language sql
immutable
set search_path = ''
as $$
  select floor(importe * (100 - parte))::bigint
$$;

-- A couple's month, in cents: what was spent, and what persona_b owes persona_a (the other way round
-- below zero). A plan counts in the month in which it begins.
create function planes.cuentas_del_mes(
  pareja public.parejas, mes text, out gastado bigint, out saldo bigint
)
language sql
stable
security definer
set search_path = ''
as $$
  select coalesce(sum(p.importe * 100), 0)::bigint,
    coalesce(sum(
      case when p.pagado_por = pareja.persona_a then 1 else -1 end * planes.deuda(p.importe, p.parte)
    ), 0)::bigint
  from public.actividades a
  join public.pagos p on p.actividad_id = a.id
  where a.pareja_id = pareja.id and a.estado = 'aceptado'
    and a.fecha >= (mes || '-01')::date
    and a.fecha < (mes || '-01')::date + interval '1 month'
$$;

create function public.cuentas(mes text)
returns jsonb
language plpgsql
stable
security definer
set search_path = ''
as $$
declare
  pareja public.parejas;
  total record;
  hecha public.liquidaciones;
begin
  select * into pareja from public.parejas c where c.id = planes.mi_pareja();
  if mes !~ '^\d{4}-(0[1-9]|1[0-2])$' or mes < '0001' then
    raise exception 'Ese mes no existe.';
  end if;
  total := planes.cuentas_del_mes(pareja, mes);
  select * into hecha from public.liquidaciones l
  where l.pareja_id = pareja.id and l.mes = cuentas.mes and l.anulada_en is null;
  return jsonb_build_object(
    'gastado', total.gastado,
    'de', case sign(total.saldo) when 1 then pareja.persona_b when -1 then pareja.persona_a end,
    'a', case sign(total.saldo) when 1 then pareja.persona_a when -1 then pareja.persona_b end,
    'importe', abs(total.saldo),
    'saldado', case when hecha.id is not null then jsonb_build_object(
      'id', hecha.id, 'de', hecha.de, 'a', hecha.a, 'importe', (hecha.importe * 100)::bigint,
      'creado_en', hecha.creado_en
    ) end
  );
end
$$;

create function public.saldar(id uuid, mes text, importe bigint)
returns void
language plpgsql
volatile
security definer
set search_path = ''
as $$
declare
  pareja constant public.parejas := planes.pareja_de_cuentas();
  ahora constant jsonb := public.cuentas(saldar.mes);
begin
  if ahora ->> 'saldado' is not null then
    return;  -- both pressed
  elsif (ahora ->> 'importe')::bigint = 0 then
    raise exception 'No hay nada que saldar.';
  elsif (ahora ->> 'importe')::bigint is distinct from saldar.importe then
    raise exception 'Las cuentas han cambiado. Revisadlas antes de saldar.';
  end if;
  insert into public.liquidaciones (id, pareja_id, mes, de, a, importe)
  values (
    saldar.id, pareja.id, saldar.mes, (ahora ->> 'de')::uuid, (ahora ->> 'a')::uuid,
    saldar.importe / 100.0
  )
  on conflict on constraint liquidaciones_pkey do nothing;
end
$$;

create function public.anular_saldo(id uuid)
returns void
language plpgsql
volatile
security definer
set search_path = ''
as $$
declare
  pareja constant public.parejas := planes.pareja_de_cuentas();
begin
  update public.liquidaciones l set anulada_en = now()
  where l.id = anular_saldo.id and l.pareja_id = pareja.id and l.anulada_en is null;
end
$$;

comment on function public.cuentas(text) is
  'What the couple spent in a month (2026-11) and owes each other, in cents: {gastado, de, a, importe, '
  'saldado: {id, de, a, importe, creado_en} or null}.';
comment on function public.saldar(uuid, text, bigint) is
  'Settles a month, where what is owed is still the cents that the caller saw; twice is once.';
comment on function public.anular_saldo(uuid) is 'Opens a settled month again.';

revoke execute on function
  public.cuentas(text), public.saldar(uuid, text, bigint), public.anular_saldo(uuid)
  from public, anon;
grant execute on function
  public.cuentas(text), public.saldar(uuid, text, bigint), public.anular_saldo(uuid)
  to authenticated, service_role;
revoke execute on function
  planes.deuda(numeric, smallint), planes.cuentas_del_mes(public.parejas, text)
  from public;
