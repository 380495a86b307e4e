-- Another date may come with a message, in the same transaction.

drop function public.proponer_otra_fecha(uuid, date, time);

create function public.proponer_otra_fecha(
  plan uuid, fecha date, hora time default null, mensaje text default null
)
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
  if planes.recortado(mensaje) <> '' then
    perform public.comentar(otra, gen_random_uuid(), mensaje);
  end if;
  return jsonb_build_object('id', otra);
end
$$;

comment on function public.proponer_otra_fecha(uuid, date, time, text) is
  'Rejects the partner''s pending proposal and proposes the same for another date or hour, with a '
  'comment on it where there is a message: {id}.';

revoke execute on function public.proponer_otra_fecha(uuid, date, time, text) from public, anon;
grant execute on function public.proponer_otra_fecha(uuid, date, time, text)
  to authenticated, service_role;
