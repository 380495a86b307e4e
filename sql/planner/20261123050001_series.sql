-- Plans that repeat. A series writes rows and nothing else: each is a proposal like any other, is answered,
-- edited, paid for and deleted by itself, and what they share is an id and a rule.

alter table public.actividades
  add column serie_id uuid,
  add column regla text,
  add constraint actividades_regla_check check (
    regla in ('semanal', 'quincenal', 'mensual', 'anual')
  ),
  add constraint actividades_serie_id_check check ((serie_id is null) = (regla is null));

create index actividades_serie_id_idx on public.actividades (serie_id) where serie_id is not null;

comment on column public.actividades.serie_id is
  'What was proposed together, each on its own date; given by who proposed it.';
comment on column public.actividades.regla is
  'How a series repeats: semanal, quincenal, mensual, anual; null for one plan.';

-- Nothing of a couple can be read out of an estimate (20261121000012).
alter table public.actividades
  alter column serie_id set statistics 0,
  alter column regla set statistics 0;

-- The dates of a rule, 53 at most: the 31st is a shorter month's last day, and the 29th of February the 28th.
create function planes.fechas_de_serie(primera date, regla text, hasta date)
returns setof date
language sql
immutable
set search_path = ''
as $$
  select t.dia
  from (
    select (primera + n * case regla
      when 'semanal' then interval '7 days'
      when 'quincenal' then interval '14 days'
      when 'mensual' then interval '1 month'
      when 'anual' then interval '1 year'
    end)::date as dia
    from generate_series(0, 52) as n
  ) as t
  where t.dia <= hasta
$$;

create function public.crear_serie(id uuid, plan jsonb, regla text, hasta date)
returns jsonb
language plpgsql
volatile
security definer
set search_path = ''
as $$
declare
  yo constant uuid := planes.yo_retenido();
  mia constant uuid := coalesce(planes.mi_pareja_ahora(), yo);
  primera public.actividades;
  fechas date[];
  cuantas bigint;
begin
  if jsonb_typeof(plan) is distinct from 'object' or crear_serie.id is null
    or exists (select from jsonb_object_keys(plan) as k where k <> all (planes.campos_del_plan()))
  then
    raise exception 'Eso no se puede poner en un plan.';
  end if;
  primera := jsonb_populate_record(null::public.actividades, plan);
  if hasta > primera.fecha + interval '2 years' then
    raise exception 'Como mucho dos años.';
  end if;
  fechas := array(
    select f from planes.fechas_de_serie(primera.fecha, crear_serie.regla, hasta) as f
  );
  if cardinality(fechas) < 2 then
    raise exception 'Con esa última fecha no se repite.';
  elsif cardinality(fechas) > 52 then
    raise exception 'Como mucho 52 fechas.';
  end if;
  -- Sent twice it is there once, also where both come at the same moment.
  perform pg_advisory_xact_lock(hashtextextended('serie ' || crear_serie.id, 0));
  select count(*) into cuantas
  from public.actividades a where a.serie_id = crear_serie.id and a.creador_id = yo;
  if cuantas > 0 then
    return jsonb_build_object('fechas', cuantas);
  end if;
  insert into public.actividades (
    titulo, descripcion, fecha, presupuesto, creador_id, pareja_id,
    hora, hora_fin, fecha_fin, lugar, serie_id, regla
  )
  select primera.titulo, primera.descripcion, f, primera.presupuesto, yo, mia,
    primera.hora, primera.hora_fin, f + (primera.fecha_fin - primera.fecha), primera.lugar,
    crear_serie.id, crear_serie.regla
  from unnest(fechas) as f;
  return jsonb_build_object('fechas', cardinality(fechas));
end
$$;

comment on function public.crear_serie(uuid, jsonb, text, date) is
  'Proposes a plan, {titulo, descripcion, fecha, presupuesto, hora, hora_fin, fecha_fin, lugar}, on each '
  'date of a rule (semanal, quincenal, mensual, anual) up to the last: 2 to 52 dates of two years at '
  'most. The id is the caller''s: {fechas}.';

revoke execute on function public.crear_serie(uuid, jsonb, text, date) from public, anon;
grant execute on function public.crear_serie(uuid, jsonb, text, date) to authenticated, service_role;
revoke execute on function planes.fechas_de_serie(date, text, date) from public;

create or replace function public.version_del_plan()
returns integer
language sql
stable
set search_path = ''
as $$
  select case when to_regclass('storage.objects') is null then 8 else 11 end
$$;

comment on function public.version_del_plan() is
  'What this server has beyond the specification: 1 hours, several days and places; 2 the account; '
  '3 what is said about a plan; 4 special days; 5 ideas without a date; '
  '6 what plans really cost; 7 alerts with the app closed; 8 reminders; 9 photos; '
  '10 reminders by mail; 11 plans that repeat.';
