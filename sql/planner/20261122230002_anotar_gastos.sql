-- Who may write down what an accepted plan cost.

-- The caller's couple, held with both accounts: the accounts first (20261122153001). Null for who has none.
create function planes.pareja_de_cuentas()
returns public.parejas
language plpgsql
volatile
security definer
set search_path = ''
as $$
declare
  mia constant uuid := planes.mi_pareja_ahora();
  fila public.parejas;
begin
  select * into fila from public.parejas c where c.id = mia;
  perform planes.retener(array[auth.uid(), fila.persona_a, fila.persona_b]);
  perform planes.yo();
  select * into fila from public.parejas c where c.id = mia for update;
  if planes.mi_pareja_ahora() is distinct from mia then
    return null;
  end if;
  return fila;
end
$$;

-- An accepted plan of the two whose month is open, held; else the refusal.
create function planes.plan_con_gastos(pareja public.parejas, plan uuid)
returns public.actividades
language plpgsql
volatile
security definer
set search_path = ''
as $$
declare
  fila constant public.actividades := planes.plan_comun(plan_con_gastos.plan);
begin
  if fila.estado <> 'aceptado' or pareja.id is null then
    raise exception 'Solo un plan aceptado tiene gastos.';
  elsif exists (
    select from public.liquidaciones l
    where l.pareja_id = pareja.id and l.mes = to_char(fila.fecha, 'YYYY-MM')
      and l.anulada_en is null
  ) then
    raise exception 'Las cuentas de ese mes ya están saldadas. Anuladlo para cambiarlas.';
  end if;
  return fila;
end
$$;

create function public.anotar_pago(
  id uuid, plan uuid, importe numeric, pagado_por uuid, parte smallint default 50
)
returns void
language plpgsql
volatile
security definer
set search_path = ''
as $$
declare
  pareja constant public.parejas := planes.pareja_de_cuentas();
  fila constant public.actividades := planes.plan_con_gastos(pareja, anotar_pago.plan);
begin
  if anotar_pago.pagado_por not in (pareja.persona_a, pareja.persona_b) then
    raise exception 'Paga uno de los dos.';
  end if;
  update public.pagos p
  set importe = anotar_pago.importe, pagado_por = anotar_pago.pagado_por,
    parte = anotar_pago.parte, anotado_por = auth.uid()
  where p.id = anotar_pago.id and p.actividad_id = fila.id;
  if found then
    return;
  elsif (select count(*) from public.pagos p where p.actividad_id = fila.id) >= 20 then
    raise exception 'En este plan ya no caben más gastos.';
  end if;
  -- Another plan's id changes nothing, and says nothing of it.
  insert into public.pagos (id, actividad_id, pagado_por, importe, parte, anotado_por)
  values (
    anotar_pago.id, fila.id, anotar_pago.pagado_por, anotar_pago.importe, anotar_pago.parte,
    auth.uid()
  )
  on conflict on constraint pagos_pkey do nothing;
end
$$;

create function public.borrar_pago(id uuid)
returns void
language plpgsql
volatile
security definer
set search_path = ''
as $$
declare
  pareja constant public.parejas := planes.pareja_de_cuentas();
  del_plan constant uuid := (
    select p.actividad_id from public.pagos p where p.id = borrar_pago.id
  );
begin
  perform planes.plan_con_gastos(pareja, del_plan);
  delete from public.pagos p where p.id = borrar_pago.id;
end
$$;

comment on function public.anotar_pago(uuid, uuid, numeric, uuid, smallint) is
  'Writes down what one of the two paid for an accepted plan, or changes the payment with that id; '
  '20 a plan. `parte` is the payer''s own share in hundredths.';
comment on function public.borrar_pago(uuid) is 'Deletes a payment of a common plan.';

revoke execute on function
  public.anotar_pago(uuid, uuid, numeric, uuid, smallint), public.borrar_pago(uuid)
  from public, anon;
grant execute on function
  public.anotar_pago(uuid, uuid, numeric, uuid, smallint), public.borrar_pago(uuid)
  to authenticated, service_role;
revoke execute on function
  planes.pareja_de_cuentas(), planes.plan_con_gastos(public.parejas, uuid)
  from public;
