-- What the two would like to do some day: proposals without a date. An idea that is given one becomes a
-- plan, and is an idea again where that plan is deleted.

create table public.ideas (
  id uuid not null,
  pareja_id uuid not null,
  creador_id uuid not null,
  titulo text not null,
  nota text,
  presupuesto numeric(12, 2),
  actividad_id uuid,
  creado_en timestamptz not null default now(),
  constraint ideas_pkey primary key (id),
  constraint ideas_creador_id_fkey foreign key (creador_id)
    references auth.users (id) on delete cascade,
  constraint ideas_actividad_id_fkey foreign key (actividad_id)
    references public.actividades (id) on delete set null,
  constraint ideas_titulo_check check (
    char_length(planes.recortado(titulo)) between 1 and 120 and char_length(titulo) <= 500
    and titulo !~ U&'[\0001-\001F\007F-\009F]'
  ),
  constraint ideas_nota_check check (
    char_length(nota) <= 500 and nota !~ U&'[\0001-\0009\000B-\001F\007F-\009F]'
  ),
  constraint ideas_presupuesto_check check (presupuesto >= 0 and presupuesto <> 'NaN')
);

create table public.apetencias (
  idea_id uuid not null,
  persona_id uuid not null,
  constraint apetencias_pkey primary key (idea_id, persona_id),
  constraint apetencias_idea_id_fkey foreign key (idea_id)
    references public.ideas (id) on delete cascade,
  constraint apetencias_persona_id_fkey foreign key (persona_id)
    references auth.users (id) on delete cascade
);

create index ideas_pareja_id_idx on public.ideas (pareja_id, creado_en);
create index ideas_creador_id_idx on public.ideas (creador_id);
create index ideas_actividad_id_idx on public.ideas (actividad_id);
create index apetencias_persona_id_idx on public.apetencias (persona_id);

comment on table public.ideas is 'Proposals without a date, 500 a couple. Their ids are given by who writes them.';
comment on column public.ideas.pareja_id is
  'The couple at creation, or the creator''s own id while unpaired; it is moved at the pairing.';
comment on column public.ideas.actividad_id is 'The plan that it became.';
comment on column public.ideas.nota is 'At most 500 characters.';
comment on table public.apetencias is 'Who would like to do it.';

-- Nothing of a couple can be read out of an estimate (20261121000012).
alter table public.ideas
  alter column id set statistics 0,
  alter column pareja_id set statistics 0,
  alter column creador_id set statistics 0,
  alter column titulo set statistics 0,
  alter column nota set statistics 0,
  alter column presupuesto set statistics 0,
  alter column actividad_id set statistics 0,
  alter column creado_en set statistics 0;
alter table public.apetencias
  alter column idea_id set statistics 0,
  alter column persona_id set statistics 0;

alter table public.ideas enable row level security;
alter table public.apetencias enable row level security;
revoke all on public.ideas, public.apetencias from public, anon, authenticated;

create policy ideas_select on public.ideas
  for select to authenticated
  using (creador_id = (select auth.uid()) or pareja_id = (select planes.mi_pareja()));
create policy apetencias_select on public.apetencias
  for select to authenticated
  using (exists (select from public.ideas i where i.id = idea_id));

grant select on public.ideas, public.apetencias to authenticated;
grant all on public.ideas, public.apetencias to service_role;

alter table public.ideas replica identity full;
alter table public.apetencias replica identity full;
alter publication supabase_realtime add table public.ideas, public.apetencias;

do $guard$
begin
  if to_regprocedure('realtime.guard_deletes(regclass)') is not null then
    perform realtime.guard_deletes('public.ideas');
    perform realtime.guard_deletes('public.apetencias');
  end if;
end
$guard$;
