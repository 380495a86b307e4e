-- A pending proposal can be edited by its creator, and answered with another date. Neither is a new
-- transition: an edit leaves the state, another date is the rejection and a new proposal in one
-- transaction. `revision` counts edits, so that nobody accepts a price that they have not read.

alter table public.actividades
  add column revision integer not null default 1,
  add column editado_en timestamptz,
  add column origen_id uuid,
  add constraint actividades_revision_check check (revision >= 1),
  add constraint actividades_origen_id_check check (origen_id <> id),
  add constraint actividades_origen_id_fkey foreign key (origen_id)
    references public.actividades (id) on delete set null;

create index actividades_origen_id_idx on public.actividades (origen_id);

comment on column public.actividades.revision is 'Counts the edits of a pending proposal, from 1.';
comment on column public.actividades.editado_en is 'When it was last edited; null if never.';
comment on column public.actividades.origen_id is
  'The proposal that this one takes the place of, with another date.';

-- Nothing of a couple can be read out of an estimate (20261121000012).
alter table public.actividades
  alter column revision set statistics 0,
  alter column editado_en set statistics 0,
  alter column origen_id set statistics 0;

-- A pending plan that is common to the caller and their partner, locked; else the refusal. Foreign
-- and missing plans are told alike.
create function planes.plan_pendiente(plan uuid)
returns public.actividades
language plpgsql
volatile
security definer
set search_path = ''
as $$
declare
  yo constant uuid := planes.yo_retenido();
  mia constant uuid := planes.mi_pareja_ahora();
  fila public.actividades;
begin
  select * into fila from public.actividades a where a.id = plan for update;
  if not found or fila.pareja_id <> coalesce(mia, yo) and fila.creador_id <> yo then
    raise exception 'Ese plan no existe o no lo compartes.';
  elsif fila.pareja_id <> coalesce(mia, yo) then
    raise exception 'Ese plan es de antes y ya no se puede cambiar.';
  elsif fila.estado <> 'pendiente' then
    raise exception 'Este plan ya tiene respuesta.';
  end if;
  return fila;
end
$$;

create function public.editar_plan(plan uuid, revision integer, cambios jsonb)
returns jsonb
language plpgsql
volatile
security definer
set search_path = ''
as $$
declare
  fila public.actividades := planes.plan_pendiente(editar_plan.plan);
  campos constant text[] := array['titulo', 'descripcion', 'fecha', 'presupuesto'];
  nueva public.actividades;
begin
  if fila.creador_id <> auth.uid() then
    raise exception 'Solo quien propuso el plan puede cambiarlo.';
  elsif fila.revision is distinct from editar_plan.revision then
    raise exception 'Este plan ha cambiado mientras lo editabas. Revísalo.';
  elsif jsonb_typeof(cambios) is distinct from 'object'
    or exists (select from jsonb_object_keys(cambios) as k where k <> all (campos))
  then
    raise exception 'Eso no se puede cambiar en un plan.';
  end if;
  nueva := jsonb_populate_record(fila, cambios);
  update public.actividades a
  set titulo = nueva.titulo, descripcion = nueva.descripcion, fecha = nueva.fecha,
    presupuesto = nueva.presupuesto, revision = a.revision + 1, editado_en = now()
  where a.id = fila.id
  returning a.revision into fila.revision;
  return jsonb_build_object('revision', fila.revision);
end
$$;

create function public.proponer_otra_fecha(plan uuid, fecha date)
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
  elsif proponer_otra_fecha.fecha is null or proponer_otra_fecha.fecha = fila.fecha then
    raise exception 'Elige otra fecha.';
  end if;
  update public.actividades a set estado = 'rechazado' where a.id = fila.id;
  insert into public.actividades
    (titulo, descripcion, fecha, presupuesto, creador_id, pareja_id, origen_id)
  values (
    fila.titulo, fila.descripcion, proponer_otra_fecha.fecha, fila.presupuesto, yo, fila.pareja_id,
    fila.id
  )
  returning id into otra;
  return jsonb_build_object('id', otra);
end
$$;

comment on function public.editar_plan(uuid, integer, jsonb) is
  'Changes a pending proposal of one''s own, {titulo, descripcion, fecha, presupuesto}, where it is '
  'still of that revision: {revision}.';
comment on function public.proponer_otra_fecha(uuid, date) is
  'Rejects the partner''s pending proposal and proposes the same for another date: {id}.';

revoke execute on function
  public.editar_plan(uuid, integer, jsonb), public.proponer_otra_fecha(uuid, date)
  from public, anon;
grant execute on function
  public.editar_plan(uuid, integer, jsonb), public.proponer_otra_fecha(uuid, date)
  to authenticated, service_role;
revoke execute on function planes.plan_pendiente(uuid) from public;
