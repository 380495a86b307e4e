-- What the creator of a deleted plan may do with it.

create function public.recuperar_plan(plan uuid)
returns jsonb
language plpgsql
volatile
security definer
set search_path = ''
as $$
declare
  yo constant uuid := planes.yo_retenido();
  guardado planes.papelera;
  fila public.actividades;
begin
  delete from planes.papelera p
  where p.actividad_id = recuperar_plan.plan and p.creador_id = yo
    and p.borrado_en > now() - interval '30 days'
  returning * into guardado;
  if not found then
    raise exception 'Ese plan ya no se puede recuperar.';
  end if;
  fila := jsonb_populate_record(null::public.actividades, guardado.plan);
  perform planes.retener(array[fila.aceptado_por]);
  if fila.aceptado_por is not null
    and not exists (select from auth.users u where u.id = fila.aceptado_por)
  then
    fila.aceptado_por := null;
    fila.estado := 'pendiente';
  end if;
  if not exists (select from public.actividades a where a.id = fila.origen_id) then
    fila.origen_id := null;
  end if;
  perform set_config('planes.recuperando', '1', true);
  insert into public.actividades select fila.*;
  perform set_config('planes.recuperando', '', true);
  insert into public.historial (actividad_id, persona_id, que, cambios, en)
  select h.actividad_id, u.id, h.que, h.cambios, h.en
  from jsonb_populate_recordset(null::public.historial, guardado.historial) as h
  left join auth.users u on u.id = h.persona_id
  order by h.id;
  insert into public.historial (actividad_id, persona_id, que) values (fila.id, yo, 'recuperado');
  return jsonb_build_object('id', fila.id);
end
$$;

create function public.mis_borrados()
returns jsonb
language plpgsql
stable
security definer
set search_path = ''
as $$
declare
  yo constant uuid := planes.yo();
begin
  return coalesce((
    select jsonb_agg(jsonb_build_object(
      'id', p.actividad_id, 'titulo', p.plan ->> 'titulo', 'fecha', p.plan ->> 'fecha',
      'borrado_en', p.borrado_en
    ) order by p.borrado_en desc)
    from planes.papelera p
    where p.creador_id = yo and p.borrado_en > now() - interval '30 days'
  ), '[]');
end
$$;

create function public.vaciar_papelera()
returns void
language plpgsql
volatile
security definer
set search_path = ''
as $$
declare
  yo constant uuid := planes.yo();
begin
  delete from planes.papelera p where p.creador_id = yo;
end
$$;

comment on function public.recuperar_plan(uuid) is
  'Brings back a plan that the caller deleted in the last thirty days, as it was: {id}.';
comment on function public.mis_borrados() is
  'What the caller deleted in the last thirty days, the last first: [{id, titulo, fecha, borrado_en}].';
comment on function public.vaciar_papelera() is
  'Deletes for good what the caller had deleted.';

revoke execute on function
  public.recuperar_plan(uuid), public.mis_borrados(), public.vaciar_papelera()
  from public, anon;
grant execute on function
  public.recuperar_plan(uuid), public.mis_borrados(), public.vaciar_papelera()
  to authenticated, service_role;
