-- Payments go into the trash with their plan and come back with it; they and the settled months are in
-- the export, and the web app may use them.

alter table planes.papelera add column pagos jsonb not null default '[]';

create or replace function planes.guardar_borrado()
returns trigger
language plpgsql
volatile
security definer
set search_path = ''
as $$
begin
  if pg_trigger_depth() > 1 then  -- it goes with its creator's account
    return old;
  end if;
  delete from planes.papelera p
  where p.creador_id = old.creador_id and p.borrado_en < now() - interval '30 days';
  insert into planes.papelera (
    actividad_id, creador_id, plan, historial, comentarios, reacciones, pagos
  )
  values (old.id, old.creador_id, to_jsonb(old), coalesce((
    select jsonb_agg(to_jsonb(h) order by h.id) from public.historial h where h.actividad_id = old.id
  ), '[]'), coalesce((
    select jsonb_agg(to_jsonb(c) order by c.creado_en, c.id)
    from public.comentarios c where c.actividad_id = old.id
  ), '[]'), coalesce((
    select jsonb_agg(to_jsonb(r)) from public.reacciones r where r.actividad_id = old.id
  ), '[]'), coalesce((
    select jsonb_agg(to_jsonb(p) order by p.creado_en, p.id)
    from public.pagos p where p.actividad_id = old.id
  ), '[]'));
  return old;
end
$$;

create or replace function public.recuperar_plan(plan uuid)
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
  insert into public.comentarios
  select c.*
  from jsonb_populate_recordset(null::public.comentarios, guardado.comentarios) as c
  join auth.users u on u.id = c.autor_id;
  insert into public.reacciones
  select r.*
  from jsonb_populate_recordset(null::public.reacciones, guardado.reacciones) as r
  join auth.users u on u.id = r.persona_id;
  insert into public.pagos
  select p.id, p.actividad_id, p.pagado_por, p.importe, p.parte, u.id, p.creado_en
  from jsonb_populate_recordset(null::public.pagos, guardado.pagos) as p
  join auth.users payer on payer.id = p.pagado_por
  left join auth.users u on u.id = p.anotado_por
  where fila.estado = 'aceptado';
  insert into public.historial (actividad_id, persona_id, que) values (fila.id, yo, 'recuperado');
  return jsonb_build_object('id', fila.id);
end
$$;

-- What somebody paid does not stay in another's trash when their account goes.
create function planes.olvidar_pagos()
returns trigger
language plpgsql
volatile
security definer
set search_path = ''
as $$
begin
  update planes.papelera p
  set pagos = coalesce((
    select jsonb_agg(g.value) from jsonb_array_elements(p.pagos) as g
    where g.value ->> 'pagado_por' <> old.id::text
  ), '[]')
  where p.pagos @> jsonb_build_array(jsonb_build_object('pagado_por', old.id));
  return null;
end
$$;

create trigger olvidar_pagos
  after delete on auth.users
  for each row execute function planes.olvidar_pagos();

revoke execute on function planes.olvidar_pagos() from public;

create or replace function public.exportar_datos()
returns jsonb
language sql
stable
set search_path = ''
as $$
  select jsonb_build_object(
    'exportado_en', now(),
    'perfil', (select to_jsonb(p) from public.profiles p where p.id = auth.uid()),
    'pareja', (
      select jsonb_build_object('nombre', p.nombre) from public.profiles p
      where p.id <> auth.uid() limit 1
    ),
    'actividades', coalesce(
      (select jsonb_agg(to_jsonb(a) order by a.fecha, a.id) from public.actividades a), '[]'
    ),
    'historial', coalesce(
      (select jsonb_agg(to_jsonb(h) order by h.id) from public.historial h), '[]'
    ),
    'comentarios', coalesce(
      (select jsonb_agg(to_jsonb(c) order by c.creado_en, c.id) from public.comentarios c), '[]'
    ),
    'reacciones', coalesce((select jsonb_agg(to_jsonb(r)) from public.reacciones r), '[]'),
    'fechas_especiales', coalesce(
      (select jsonb_agg(to_jsonb(f) order by f.fecha, f.id) from public.fechas_especiales f), '[]'
    ),
    'ideas', coalesce(
      (select jsonb_agg(to_jsonb(i) order by i.creado_en, i.id) from public.ideas i), '[]'
    ),
    'apetencias', coalesce((select jsonb_agg(to_jsonb(s)) from public.apetencias s), '[]'),
    'pagos', coalesce(
      (select jsonb_agg(to_jsonb(g) order by g.creado_en, g.id) from public.pagos g), '[]'
    ),
    'liquidaciones', coalesce(
      (select jsonb_agg(to_jsonb(l) order by l.creado_en, l.id) from public.liquidaciones l), '[]'
    ),
    'papelera', public.mis_borrados()
  )
$$;

comment on function public.exportar_datos() is
  'All that the caller may read: {exportado_en, perfil, pareja, actividades, historial, comentarios, '
  'reacciones, fechas_especiales, ideas, apetencias, pagos, liquidaciones, papelera}.';

create or replace function public.version_del_plan()
returns integer
language sql
stable
set search_path = ''
as $$
  select 6
$$;

comment on function public.version_del_plan() is
  'What this server has beyond the specification: 1 hours, several days and places; 2 the account; '
  '3 what is said about a plan; 4 special days; '
  '5 ideas without a date; 6 what plans really cost.';
