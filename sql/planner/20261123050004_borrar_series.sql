-- What repeats is deleted from one date on, or what is pending of it, and taken back as it was deleted.

create function public.borrar_serie(plan uuid, alcance text)
returns jsonb
language plpgsql
volatile
security definer
set search_path = ''
as $$
declare
  yo constant uuid := planes.yo_retenido();
  fila public.actividades;
  borradas uuid[];
  aceptadas bigint;
  primera date;
begin
  select * into fila from public.actividades a
  where a.id = borrar_serie.plan and a.creador_id = yo and a.serie_id is not null;
  if not found then
    raise exception 'Ese plan no existe o no lo compartes.';
  elsif alcance is null or alcance not in ('siguientes', 'pendientes') then
    raise exception 'Eso no se puede eliminar.';
  end if;
  perform planes.turno_de_serie(fila.serie_id);
  with fuera as (
    delete from public.actividades a
    where a.serie_id = fila.serie_id and a.creador_id = yo
      and case alcance when 'siguientes' then a.fecha >= fila.fecha else a.estado = 'pendiente' end
    returning a.id, a.estado, a.fecha
  )
  select array_agg(f.id order by f.fecha), count(*) filter (where f.estado = 'aceptado'),
    min(f.fecha) filter (where f.estado = 'aceptado')
  into borradas, aceptadas, primera
  from fuera f;
  if aceptadas > 0 and fila.pareja_id = planes.mi_pareja_ahora() then
    perform planes.avisar(
      planes.a_quien_avisar(), 'eliminados',
      planes.mi_nombre() || case aceptadas
        when 1 then ' ha eliminado un plan aceptado' else ' ha eliminado planes aceptados' end,
      planes.serie_en_breve(fila.titulo, aceptadas, primera), null
    );
  end if;
  return jsonb_build_object('ids', coalesce(to_jsonb(borradas), '[]'));
end
$$;

create function public.recuperar_planes(ids uuid[])
returns jsonb
language plpgsql
volatile
security definer
set search_path = ''
as $$
begin
  if ids is null or cardinality(ids) not between 1 and 52 then
    raise exception 'Como mucho 52 fechas.';
  end if;
  perform public.recuperar_plan(cual) from unnest(ids) as cual;
  return jsonb_build_object('recuperados', cardinality(ids));
end
$$;

comment on function public.borrar_serie(uuid, text) is
  'Deletes of a series of one''s own what comes from this plan on (siguientes), or all that is pending '
  '(pendientes): {ids}.';
comment on function public.recuperar_planes(uuid[]) is
  'Brings back plans that the caller deleted in the last thirty days, all or none, 52 at most.';

revoke execute on function public.borrar_serie(uuid, text), public.recuperar_planes(uuid[])
  from public, anon;
grant execute on function public.borrar_serie(uuid, text), public.recuperar_planes(uuid[])
  to authenticated, service_role;
