-- A series is answered and changed as one where somebody wants so: the same as for each of its rows,
-- all of them or none.

-- One after the other, so that two who change many rows at once do not wait for each other.
create function planes.turno_de_serie(serie uuid)
returns void
language plpgsql
volatile
security definer
set search_path = ''
as $$
begin
  perform pg_advisory_xact_lock(hashtextextended('serie ' || serie, 0));
  -- What follows is told once, by who does it.
  perform set_config('planes.serie', serie::text, true);
end
$$;

create function planes.sin_contar_cada_una(serie uuid)
returns boolean
language sql
stable
set search_path = ''
as $$
  select coalesce(current_setting('planes.serie', true) = serie::text, false)
$$;

-- «Clase de baile · 12 fechas, desde el dom 22 nov»
create function planes.serie_en_breve(titulo text, cuantas bigint, primera date)
returns text
language sql
immutable
set search_path = ''
as $$
  select titulo || ' · ' || case cuantas when 1 then '1 fecha, el ' else cuantas || ' fechas, desde el ' end
    || planes.fecha_corta(primera)
$$;

create function public.responder_serie(serie uuid, respuesta text, vistas jsonb)
returns jsonb
language plpgsql
volatile
security definer
set search_path = ''
as $$
declare
  yo constant uuid := planes.yo_retenido();
  mia constant uuid := planes.mi_pareja_ahora();
  cuantas bigint;
  primera date;
  titulo text;
  plan uuid;
begin
  if respuesta is null or respuesta not in ('aceptado', 'rechazado')
    or jsonb_typeof(vistas) is distinct from 'object'
  then
    raise exception 'Eso no es una respuesta.';
  end if;
  perform planes.turno_de_serie(responder_serie.serie);
  perform from public.actividades a
  where a.serie_id = responder_serie.serie and a.pareja_id = mia and a.creador_id <> yo
    and a.estado = 'pendiente'
  order by a.id for update;
  if not found then
    if exists (
      select from public.actividades a
      where a.serie_id = responder_serie.serie and a.pareja_id = mia and a.creador_id <> yo
    ) then
      raise exception 'Este plan ya tiene respuesta.';
    end if;
    raise exception 'Ese plan no existe o no lo compartes.';
  end if;
  -- Nobody accepts a price that they have not read.
  if exists (
    select from public.actividades a
    where a.serie_id = responder_serie.serie and a.pareja_id = mia and a.creador_id <> yo
      and a.estado = 'pendiente' and a.revision::text is distinct from vistas ->> a.id::text
  ) then
    raise exception 'Alguna fecha ha cambiado mientras la leías. Revísala.';
  end if;
  with respondidas as (
    update public.actividades a
    set estado = respuesta, aceptado_por = case respuesta when 'aceptado' then yo end
    where a.serie_id = responder_serie.serie and a.pareja_id = mia and a.creador_id <> yo
      and a.estado = 'pendiente'
    returning a.id, a.titulo, a.fecha
  )
  select count(*), min(r.fecha), (array_agg(r.titulo order by r.fecha))[1],
    (array_agg(r.id order by r.fecha))[1]
  into cuantas, primera, titulo, plan
  from respondidas r;
  perform planes.avisar(
    planes.a_quien_avisar(), 'respuestas',
    planes.mi_nombre() || case respuesta when 'aceptado' then ' ha aceptado' else ' ha rechazado' end,
    planes.serie_en_breve(titulo, cuantas, primera), plan
  );
  return jsonb_build_object('respondidas', cuantas);
end
$$;

create function public.editar_serie(plan uuid, revision integer, cambios jsonb, alcance text)
returns jsonb
language plpgsql
volatile
security definer
set search_path = ''
as $$
declare
  fila public.actividades;
  nueva public.actividades;
  cuantas bigint;
  primera date;
begin
  perform planes.yo_retenido();
  perform planes.turno_de_serie(a.serie_id)
  from public.actividades a where a.id = editar_serie.plan and a.serie_id is not null;
  fila := planes.plan_pendiente(editar_serie.plan);
  if fila.creador_id <> auth.uid() then
    raise exception 'Solo quien propuso el plan puede cambiarlo.';
  elsif fila.revision is distinct from editar_serie.revision then
    raise exception 'Este plan ha cambiado mientras lo editabas. Revísalo.';
  elsif fila.serie_id is null or alcance is null or alcance not in ('siguientes', 'todas')
    or jsonb_typeof(cambios) is distinct from 'object'
    or exists (select from jsonb_object_keys(cambios) as k where k <> all (planes.campos_del_plan()))
  then
    raise exception 'Eso no se puede cambiar en un plan.';
  end if;
  nueva := jsonb_populate_record(fila, cambios);
  -- Each keeps its place in the series: all move by as many days as the one that was edited.
  with cambiadas as (
    update public.actividades a
    set titulo = nueva.titulo, descripcion = nueva.descripcion, presupuesto = nueva.presupuesto,
      fecha = a.fecha + (nueva.fecha - fila.fecha), hora = nueva.hora, hora_fin = nueva.hora_fin,
      fecha_fin = a.fecha + (nueva.fecha_fin - fila.fecha), lugar = nueva.lugar,
      revision = a.revision + 1, editado_en = now()
    where a.serie_id = fila.serie_id and a.creador_id = fila.creador_id
      and a.pareja_id = fila.pareja_id and a.estado = 'pendiente'
      and (alcance = 'todas' or a.fecha >= fila.fecha)
    returning a.fecha
  )
  select count(*), min(c.fecha) into cuantas, primera from cambiadas c;
  perform planes.avisar(
    planes.a_quien_avisar(), 'respuestas', planes.mi_nombre() || ' ha cambiado su propuesta',
    planes.serie_en_breve(nueva.titulo, cuantas, primera), fila.id
  );
  return jsonb_build_object('cambiadas', cuantas);
end
$$;

comment on function public.responder_serie(uuid, text, jsonb) is
  'Answers all that is pending of the partner''s series with aceptado or rechazado, where each is of the '
  'revision that was read, {id: revision}: {respondidas}.';
comment on function public.editar_serie(uuid, integer, jsonb, text) is
  'As editar_plan, for what is pending of the plan''s series: siguientes from its date on, or todas. '
  'Another date moves all by as many days: {cambiadas}.';

revoke execute on function
  public.responder_serie(uuid, text, jsonb), public.editar_serie(uuid, integer, jsonb, text)
  from public, anon;
grant execute on function
  public.responder_serie(uuid, text, jsonb), public.editar_serie(uuid, integer, jsonb, text)
  to authenticated, service_role;
revoke execute on function
  planes.turno_de_serie(uuid), planes.sin_contar_cada_una(uuid),
  planes.serie_en_breve(text, bigint, date)
  from public;
