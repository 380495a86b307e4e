-- Another date for the partner's proposal, or another hour.

-- The end of a plan that is moved: as long after its beginning as it was, where the day has room for it.
create function planes.hora_fin_movida(fila public.actividades, hora time)
returns time
language sql
immutable
set search_path = ''
as $$
  select case
    when hora is null or fila.hora_fin is null then null
    when fila.fecha_fin is not null then fila.hora_fin
    when hora + (fila.hora_fin - fila.hora) > hora then hora + (fila.hora_fin - fila.hora)
  end
$$;

drop function public.proponer_otra_fecha(uuid, date);

create function public.proponer_otra_fecha(plan uuid, fecha date, hora time default null)
returns jsonb
language plpgsql
volatile
security definer
set search_path = ''
as $$
declare
  yo constant uuid := auth.uid();
  fila constant public.actividades := planes.plan_pendiente(proponer_otra_fecha.plan);
  otra uuid;
begin
  if fila.creador_id = yo then
    raise exception 'Es tu propuesta: cambia su fecha.';
  elsif proponer_otra_fecha.fecha is null
    or proponer_otra_fecha.fecha = fila.fecha
    and proponer_otra_fecha.hora is not distinct from fila.hora
  then
    raise exception 'Elige otra fecha u otra hora.';
  end if;
  update public.actividades a set estado = 'rechazado' where a.id = fila.id;
  insert into public.actividades (
    titulo, descripcion, fecha, presupuesto, creador_id, pareja_id, origen_id,
    hora, hora_fin, fecha_fin, lugar
  )
  values (
    fila.titulo, fila.descripcion, proponer_otra_fecha.fecha, fila.presupuesto, yo, fila.pareja_id,
    fila.id, proponer_otra_fecha.hora, planes.hora_fin_movida(fila, proponer_otra_fecha.hora),
    proponer_otra_fecha.fecha + (fila.fecha_fin - fila.fecha), fila.lugar
  )
  returning id into otra;
  return jsonb_build_object('id', otra);
end
$$;

comment on function public.proponer_otra_fecha(uuid, date, time) is
  'Rejects the partner''s pending proposal and proposes the same for another date or hour: {id}.';

revoke execute on function public.proponer_otra_fecha(uuid, date, time) from public, anon;
grant execute on function public.proponer_otra_fecha(uuid, date, time) to authenticated, service_role;
revoke execute on function planes.hora_fin_movida(public.actividades, time) from public;
