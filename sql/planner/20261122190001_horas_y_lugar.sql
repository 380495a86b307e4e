-- A plan may have an hour, an end, a last day and a place. Hours and dates float: they are what was
-- typed, in whatever zone somebody reads them.

alter table public.actividades
  add column hora time(0),
  add column hora_fin time(0),
  add column fecha_fin date,
  add column lugar text,
  add constraint actividades_hora_check check (hora < '24:00'),
  add constraint actividades_hora_fin_check check (
    hora_fin is null
    or hora_fin < '24:00' and hora is not null and (fecha_fin is not null or hora_fin > hora)
  ),
  add constraint actividades_fecha_fin_check check (
    fecha_fin > fecha and fecha_fin <= fecha + 60 and fecha_fin <= '9999-12-31'
  ),
  add constraint actividades_lugar_check check (
    char_length(planes.recortado(lugar)) between 1 and 120 and char_length(lugar) <= 500
    and lugar !~ U&'[\0001-\001F\007F-\009F]'
  );

comment on column public.actividades.hora is 'When it begins; null for the whole day.';
comment on column public.actividades.hora_fin is
  'When it ends, on its last day; after hora where that is the first.';
comment on column public.actividades.fecha_fin is
  'The last of several days, at most 60 after fecha; null for one day.';
comment on column public.actividades.lugar is
  '1 to 120 characters, blanks around it not counted, no control characters.';

-- Nothing of a couple can be read out of an estimate (20261121000012).
alter table public.actividades
  alter column hora set statistics 0,
  alter column hora_fin set statistics 0,
  alter column fecha_fin set statistics 0,
  alter column lugar set statistics 0;

grant insert (hora, hora_fin, fecha_fin, lugar) on public.actividades to authenticated;

-- Grows with what the web app may use. A server that has the specification alone answers 404.
create function public.version_del_plan()
returns integer
language sql
stable
set search_path = ''
as $$
  select 1
$$;

comment on function public.version_del_plan() is
  'What this server has beyond the specification: 1 hours, several days and places.';

create function planes.campos_del_plan()
returns text[]
language sql
immutable
set search_path = ''
as $$
  select array[
    'titulo', 'descripcion', 'fecha', 'presupuesto', 'hora', 'hora_fin', 'fecha_fin', 'lugar'
  ]
$$;

create or replace function public.editar_plan(plan uuid, revision integer, cambios jsonb)
returns jsonb
language plpgsql
volatile
security definer
set search_path = ''
as $$
declare
  fila public.actividades := planes.plan_pendiente(editar_plan.plan);
  nueva public.actividades;
begin
  if fila.creador_id <> auth.uid() then
    raise exception 'Solo quien propuso el plan puede cambiarlo.';
  elsif fila.revision is distinct from editar_plan.revision then
    raise exception 'Este plan ha cambiado mientras lo editabas. Revísalo.';
  elsif jsonb_typeof(cambios) is distinct from 'object'
    or exists (select from jsonb_object_keys(cambios) as k where k <> all (planes.campos_del_plan()))
  then
    raise exception 'Eso no se puede cambiar en un plan.';
  end if;
  nueva := jsonb_populate_record(fila, cambios);
  update public.actividades a
  set titulo = nueva.titulo, descripcion = nueva.descripcion, fecha = nueva.fecha,
    presupuesto = nueva.presupuesto, hora = nueva.hora, hora_fin = nueva.hora_fin,
    fecha_fin = nueva.fecha_fin, lugar = nueva.lugar,
    revision = a.revision + 1, editado_en = now()
  where a.id = fila.id
  returning a.revision into fila.revision;
  return jsonb_build_object('revision', fila.revision);
end
$$;

comment on function public.editar_plan(uuid, integer, jsonb) is
  'Changes a pending proposal of one''s own, any of {titulo, descripcion, fecha, presupuesto, hora, '
  'hora_fin, fecha_fin, lugar}, where it is still of that revision: {revision}.';

create or replace function planes.anotar_historial()
returns trigger
language plpgsql
volatile
security definer
set search_path = ''
as $$
declare
  cambiado jsonb;
begin
  delete from public.historial h
  where h.actividad_id = new.id and h.en < now() - interval '12 months';
  if tg_op = 'UPDATE' and new.revision <> old.revision then
    select jsonb_object_agg(n.key, jsonb_build_array(o.value, n.value)) into cambiado
    from jsonb_each(to_jsonb(new)) as n
    join jsonb_each(to_jsonb(old)) as o on o.key = n.key
    where n.key = any (planes.campos_del_plan()) and n.value is distinct from o.value;
  end if;
  insert into public.historial (actividad_id, persona_id, que, cambios)
  values (
    new.id, auth.uid(),
    case
      when tg_op = 'INSERT' then 'propuesto'
      when new.revision <> old.revision then 'editado'
      else new.estado
    end,
    cambiado
  );
  return null;
end
$$;

revoke execute on function public.version_del_plan() from public, anon;
grant execute on function public.version_del_plan() to authenticated, service_role;
revoke execute on function planes.campos_del_plan() from public;
