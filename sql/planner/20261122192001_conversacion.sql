-- What the two say about a plan: comments, reactions, and up to where each has read. Satellites of the
-- plan: whoever sees it sees them, functions alone write them, and they go with it.

create table public.comentarios (
  id uuid not null,
  actividad_id uuid not null,
  autor_id uuid not null,
  texto text not null,
  motivo boolean not null default false,
  creado_en timestamptz not null default now(),
  constraint comentarios_pkey primary key (id),
  constraint comentarios_actividad_id_fkey foreign key (actividad_id)
    references public.actividades (id) on delete cascade,
  constraint comentarios_autor_id_fkey foreign key (autor_id)
    references auth.users (id) on delete cascade,
  constraint comentarios_texto_check check (
    char_length(planes.recortado(texto)) between 1 and 1000 and char_length(texto) <= 2000
    and texto !~ U&'[\0001-\0009\000B-\001F\007F-\009F]'
  )
);

create table public.reacciones (
  actividad_id uuid not null,
  persona_id uuid not null,
  cual text not null,
  constraint reacciones_pkey primary key (actividad_id, persona_id),
  constraint reacciones_actividad_id_fkey foreign key (actividad_id)
    references public.actividades (id) on delete cascade,
  constraint reacciones_persona_id_fkey foreign key (persona_id)
    references auth.users (id) on delete cascade,
  constraint reacciones_cual_check check (
    cual in ('me_encanta', 'que_ganas', 'que_risa', 'de_acuerdo', 'no_lo_se', 'que_pena')
  )
);

create table public.lecturas (
  actividad_id uuid not null,
  persona_id uuid not null,
  visto_en timestamptz not null default now(),
  constraint lecturas_pkey primary key (actividad_id, persona_id),
  constraint lecturas_actividad_id_fkey foreign key (actividad_id)
    references public.actividades (id) on delete cascade,
  constraint lecturas_persona_id_fkey foreign key (persona_id)
    references auth.users (id) on delete cascade
);

create index comentarios_actividad_id_idx on public.comentarios (actividad_id, creado_en);
create index comentarios_autor_id_idx on public.comentarios (autor_id, creado_en);
create index reacciones_persona_id_idx on public.reacciones (persona_id);
create index lecturas_persona_id_idx on public.lecturas (persona_id);

comment on table public.comentarios is 'What is said about a plan. Its id is given by who writes it.';
comment on column public.comentarios.texto is
  '1 to 1000 characters, blanks around them not counted; no control characters but line breaks.';
comment on column public.comentarios.motivo is 'Why the plan was rejected.';
comment on table public.reacciones is 'One reaction a person to a plan.';
comment on table public.lecturas is 'Up to when somebody has read what is said about a plan.';

-- Nothing of a couple can be read out of an estimate (20261121000012).
alter table public.comentarios
  alter column id set statistics 0,
  alter column actividad_id set statistics 0,
  alter column autor_id set statistics 0,
  alter column texto set statistics 0,
  alter column motivo set statistics 0,
  alter column creado_en set statistics 0;
alter table public.reacciones
  alter column actividad_id set statistics 0,
  alter column persona_id set statistics 0,
  alter column cual set statistics 0;
alter table public.lecturas
  alter column actividad_id set statistics 0,
  alter column persona_id set statistics 0,
  alter column visto_en set statistics 0;

alter table public.comentarios enable row level security;
alter table public.reacciones enable row level security;
alter table public.lecturas enable row level security;
revoke all on public.comentarios, public.reacciones, public.lecturas
  from public, anon, authenticated;

create policy comentarios_select on public.comentarios
  for select to authenticated
  using (exists (select from public.actividades a where a.id = actividad_id));
create policy reacciones_select on public.reacciones
  for select to authenticated
  using (exists (select from public.actividades a where a.id = actividad_id));

-- One's own alone: nobody is told what the partner has read.
create policy lecturas_select on public.lecturas
  for select to authenticated
  using (persona_id = (select auth.uid()));

grant select on public.comentarios, public.reacciones, public.lecturas to authenticated;
grant all on public.comentarios, public.reacciones, public.lecturas to service_role;

alter table public.comentarios replica identity full;
alter table public.reacciones replica identity full;
alter publication supabase_realtime add table public.comentarios, public.reacciones;

do $guard$
begin
  if to_regprocedure('realtime.guard_deletes(regclass)') is not null then
    perform realtime.guard_deletes('public.comentarios');
    perform realtime.guard_deletes('public.reacciones');
  end if;
end
$guard$;
