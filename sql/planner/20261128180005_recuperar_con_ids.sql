-- Photos, and what comes back, now that an id is its writer's own (20261128180003).

create or replace function public.preparar_recuerdo(
  id uuid, plan uuid, ancho integer, alto integer, bytes integer, texto text default null
)
returns jsonb
language plpgsql
volatile
security definer
set search_path = ''
as $$
declare
  pareja constant public.parejas := planes.pareja_de_cuentas();
  del_plan constant public.actividades := planes.plan_comun(preparar_recuerdo.plan);
  yo constant uuid := auth.uid();
  fila public.recuerdos;
begin
  if pareja.id is null or to_regclass('storage.objects') is null then
    raise exception 'Vincula a tu pareja para guardar recuerdos.';
  end if;
  select * into fila from public.recuerdos r
  where r.id = preparar_recuerdo.id and r.autor_id = yo;
  if not found then
    if (select count(*) from public.recuerdos r where r.actividad_id = del_plan.id) >= 30 then
      raise exception 'En este plan ya no caben más fotos.';
    elsif planes.espacio_de(pareja.id) + preparar_recuerdo.bytes > 524288000 then
      raise exception 'Habéis llenado vuestro espacio.';
    elsif (
      select count(*) from public.recuerdos r where r.autor_id = yo and r.subido_en is null
    ) >= 40 then
      raise exception 'Tienes demasiadas fotos a medio subir. Espera un momento.';
    end if;
    -- The partner's photo of that id has the couple's files of that name.
    insert into public.recuerdos (id, actividad_id, pareja_id, autor_id, ancho, alto, bytes, texto)
    values (
      preparar_recuerdo.id, del_plan.id, pareja.id, yo, preparar_recuerdo.ancho,
      preparar_recuerdo.alto, preparar_recuerdo.bytes,
      nullif(planes.recortado(preparar_recuerdo.texto), '')
    )
    on conflict do nothing
    returning * into fila;
  end if;
  if fila.id is null or fila.actividad_id <> del_plan.id then
    raise exception 'Esa foto no existe o no es tuya.';
  end if;
  return jsonb_build_object(
    'ruta', fila.ruta, 'miniatura', fila.miniatura, 'subido', fila.subido_en is not null
  );
end
$$;

create or replace function planes.soltar_recuerdo()
returns trigger
language plpgsql
volatile
security definer
set search_path = ''
as $$
begin
  if old.subido_en is not null
    and exists (select from planes.papelera p where p.actividad_id = old.actividad_id)
    and exists (select from auth.users u where u.id = old.autor_id)
  then
    insert into planes.recuerdos_borrados
      (id, actividad_id, pareja_id, autor_id, bytes, fila, con_plan)
    values (
      old.id, old.actividad_id, old.pareja_id, old.autor_id, old.bytes, to_jsonb(old), true
    )
    on conflict on constraint recuerdos_borrados_pkey do nothing;
  elsif not exists (
    select from planes.recuerdos_borrados b where b.fila ->> 'ruta' = old.ruta
      and b.autor_id = old.autor_id and b.id = old.id
  ) then
    perform planes.quitar_ficheros(array[old.ruta, old.miniatura]);
  end if;
  return null;
end
$$;

create or replace function planes.soltar_borrado()
returns trigger
language plpgsql
volatile
security definer
set search_path = ''
as $$
begin
  if not exists (select from public.recuerdos r where r.ruta = old.fila ->> 'ruta') then
    perform planes.quitar_ficheros(array[old.fila ->> 'ruta', old.fila ->> 'miniatura']);
  end if;
  return null;
end
$$;

-- Puts a photo back as it was; its author is there, and its plan. One that its author made again stays that.
create or replace function planes.devolver_recuerdo(guardado planes.recuerdos_borrados)
returns void
language plpgsql
volatile
security definer
set search_path = ''
as $$
declare
  fila constant public.recuerdos := jsonb_populate_record(null::public.recuerdos, guardado.fila);
begin
  insert into public.recuerdos
    (id, actividad_id, pareja_id, autor_id, ancho, alto, bytes, texto, subido_en, creado_en)
  values (
    fila.id, fila.actividad_id, fila.pareja_id, fila.autor_id, fila.ancho, fila.alto, fila.bytes,
    fila.texto, fila.subido_en, fila.creado_en
  )
  on conflict do nothing;
  delete from planes.recuerdos_borrados b
  where b.id = guardado.id and b.autor_id = guardado.autor_id;
end
$$;

-- A comment whose author gave its id to another since stays away, and keeps nothing else from coming back.
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
  join auth.users u on u.id = c.autor_id
  on conflict on constraint comentarios_pkey do nothing;
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
