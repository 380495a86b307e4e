-- A deletion can be taken back for thirty days by who created the plan, and what happened to a plan is
-- kept for twelve months for those who see it.

create table public.historial (
  id bigint not null generated always as identity,
  actividad_id uuid not null,
  persona_id uuid,
  que text not null,
  cambios jsonb,
  en timestamptz not null default now(),
  constraint historial_pkey primary key (id),
  constraint historial_actividad_id_fkey foreign key (actividad_id)
    references public.actividades (id) on delete cascade,
  constraint historial_persona_id_fkey foreign key (persona_id)
    references auth.users (id) on delete set null,
  constraint historial_que_check check (
    que in ('propuesto', 'editado', 'aceptado', 'rechazado', 'pendiente', 'recuperado')
  )
);

create index historial_actividad_id_idx on public.historial (actividad_id, id);
create index historial_persona_id_idx on public.historial (persona_id);

comment on table public.historial is
  'What happened to a plan, for whoever sees the plan. Written by triggers alone.';
comment on column public.historial.que is
  'A new state, or propuesto, editado, recuperado; pendiente is an acceptance that is gone.';
comment on column public.historial.cambios is 'Of an edit: {column: [before, after]}.';

alter table public.historial
  alter column id set statistics 0,
  alter column actividad_id set statistics 0,
  alter column persona_id set statistics 0,
  alter column que set statistics 0,
  alter column cambios set statistics 0,
  alter column en set statistics 0;

alter table public.historial enable row level security;
revoke all on public.historial from public, anon, authenticated;

-- A satellite is seen under the plan's own policy.
create policy historial_select on public.historial
  for select to authenticated
  using (exists (select from public.actividades a where a.id = actividad_id));

grant select on public.historial to authenticated;
grant all on public.historial to service_role;

create function planes.anotar_historial()
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
    where n.key in ('titulo', 'descripcion', 'fecha', 'presupuesto')
      and n.value is distinct from o.value;
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

create trigger actividades_anotar_propuesta
  after insert on public.actividades
  for each row when (coalesce(current_setting('planes.recuperando', true), '') <> '1')
  execute function planes.anotar_historial();
create trigger actividades_anotar_cambio
  after update on public.actividades
  for each row when (old.estado <> new.estado or old.revision <> new.revision)
  execute function planes.anotar_historial();

create table planes.papelera (
  actividad_id uuid not null,
  creador_id uuid not null,
  plan jsonb not null,
  historial jsonb not null,
  borrado_en timestamptz not null default now(),
  constraint papelera_pkey primary key (actividad_id),
  constraint papelera_creador_id_fkey foreign key (creador_id)
    references auth.users (id) on delete cascade
);

create index papelera_creador_id_idx on planes.papelera (creador_id, borrado_en);
comment on table planes.papelera is 'Deleted plans with their history, thirty days, for their creator.';

create function planes.guardar_borrado()
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
  insert into planes.papelera (actividad_id, creador_id, plan, historial)
  values (old.id, old.creador_id, to_jsonb(old), coalesce((
    select jsonb_agg(to_jsonb(h) order by h.id) from public.historial h where h.actividad_id = old.id
  ), '[]'));
  return old;
end
$$;

create trigger actividades_guardar_borrado
  before delete on public.actividades
  for each row execute function planes.guardar_borrado();

revoke execute on function planes.anotar_historial(), planes.guardar_borrado() from public;
