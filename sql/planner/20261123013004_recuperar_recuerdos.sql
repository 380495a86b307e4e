-- Photos come back alone or with their plan, go for good in time, and are in the export.

-- Puts a photo back as it was; its author is there, and its plan.
create function planes.devolver_recuerdo(guardado planes.recuerdos_borrados)
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
  );
  delete from planes.recuerdos_borrados b where b.id = guardado.id;
end
$$;

create function public.recuperar_recuerdo(id uuid)
returns void
language plpgsql
volatile
security definer
set search_path = ''
as $$
declare
  yo constant uuid := planes.yo_retenido();
  guardado planes.recuerdos_borrados;
begin
  select * into guardado from planes.recuerdos_borrados b
  where b.id = recuperar_recuerdo.id and b.autor_id = yo and not b.con_plan for update;
  perform from public.actividades a where a.id = guardado.actividad_id for key share;
  if not found then
    raise exception 'Esa foto ya no se puede recuperar.';
  end if;
  perform planes.devolver_recuerdo(guardado);
end
$$;

create function planes.devolver_recuerdos()
returns trigger
language plpgsql
volatile
security definer
set search_path = ''
as $$
begin
  perform planes.devolver_recuerdo(b)
  from planes.recuerdos_borrados b where b.actividad_id = new.id and b.con_plan;
  return null;
end
$$;

create trigger actividades_devolver_recuerdos after insert on public.actividades
  for each row when (current_setting('planes.recuperando', true) = '1')
  execute function planes.devolver_recuerdos();

-- What did not come back with its plan goes with it.
create function planes.olvidar_recuerdos()
returns trigger
language plpgsql
volatile
security definer
set search_path = ''
as $$
begin
  delete from planes.recuerdos_borrados b
  where b.actividad_id = old.actividad_id and b.con_plan
    and not exists (select from planes.papelera p where p.actividad_id = old.actividad_id);
  return null;
end
$$;

-- At the end of the transaction, when it is known whether the plan is back.
create constraint trigger papelera_olvidar_recuerdos_check after delete on planes.papelera
  deferrable initially deferred
  for each row execute function planes.olvidar_recuerdos();

-- Deleted photos, plans in the trash for too long, photos that never arrived, files that no row names.
create function planes.barrer_recuerdos()
returns void
language plpgsql
volatile
security definer
set search_path = ''
as $$
begin
  delete from planes.recuerdos_borrados b
  where not b.con_plan and b.borrado_en < now() - interval '10 minutes';
  delete from planes.papelera p where p.borrado_en < now() - interval '30 days';
  delete from public.recuerdos r
  where r.subido_en is null and r.creado_en < now() - interval '1 day';
  if to_regclass('storage.objects') is null then
    return;
  end if;
  perform planes.quitar_ficheros(array(
    select o.name from storage.objects o
    where o.bucket_id = 'recuerdos' and o.created_at < now() - interval '1 day'
      and not exists (select from public.recuerdos r where r.ruta = o.name)
      and not exists (select from public.recuerdos r where r.miniatura = o.name)
      and not exists (
        select from planes.recuerdos_borrados b
        where o.name in (b.fila ->> 'ruta', b.fila ->> 'miniatura')
      )
  ));
end
$$;

insert into recados.tareas (nombre, funcion, cada)
values ('barrer_recuerdos', 'planes.barrer_recuerdos()', interval '10 minutes');

comment on function public.recuperar_recuerdo(uuid) is
  'Brings back a photo that the caller deleted in the last ten minutes.';
revoke execute on function public.recuperar_recuerdo(uuid) from public, anon;
grant execute on function public.recuperar_recuerdo(uuid) to authenticated, service_role;
revoke execute on function
  planes.devolver_recuerdo(planes.recuerdos_borrados), planes.devolver_recuerdos(),
  planes.olvidar_recuerdos(), planes.barrer_recuerdos()
  from public;
