-- Photos of plans. A row is made first and names the two files that may then be stored for it, so that
-- every file of the bucket is somebody's and counts; a photo is the partner's to see when both are there.

create table public.recuerdos (
  id uuid not null,
  actividad_id uuid not null,
  pareja_id uuid not null,
  autor_id uuid not null,
  ruta text not null generated always as (pareja_id::text || '/' || id::text) stored,
  miniatura text not null generated always as (pareja_id::text || '/' || id::text || '.320') stored,
  ancho integer not null,
  alto integer not null,
  bytes integer not null,
  texto text,
  subido_en timestamptz,
  creado_en timestamptz not null default now(),
  constraint recuerdos_pkey primary key (id),
  constraint recuerdos_ruta_key unique (ruta),
  constraint recuerdos_miniatura_key unique (miniatura),
  constraint recuerdos_actividad_id_fkey foreign key (actividad_id)
    references public.actividades (id) on delete cascade,
  constraint recuerdos_autor_id_fkey foreign key (autor_id)
    references auth.users (id) on delete cascade,
  constraint recuerdos_ancho_check check (ancho between 1 and 4096),
  constraint recuerdos_alto_check check (alto between 1 and 4096),
  constraint recuerdos_bytes_check check (bytes between 1 and 6291456),
  constraint recuerdos_texto_check check (
    char_length(planes.recortado(texto)) between 1 and 200 and char_length(texto) <= 800
    and texto !~ U&'[\0001-\001F\007F-\009F]'
  )
);

create index recuerdos_actividad_id_idx on public.recuerdos (actividad_id, creado_en);
create index recuerdos_autor_id_idx on public.recuerdos (autor_id, subido_en);
create index recuerdos_pareja_id_idx on public.recuerdos (pareja_id);

comment on table public.recuerdos is
  'Photos of a couple''s plans, 30 a plan and 500 MB a couple. Their ids are given by who writes them.';
comment on column public.recuerdos.pareja_id is
  'Whose they are, for ever. It references nothing: who took a photo keeps it when the other''s account goes.';
comment on column public.recuerdos.ruta is 'Its file in the bucket recuerdos: the folder is the couple''s.';
comment on column public.recuerdos.miniatura is 'Its small file, 320 pixels at most.';
comment on column public.recuerdos.bytes is 'Of both files; until they are there, what was announced.';
comment on column public.recuerdos.texto is 'What its author wrote under it, at most 200 characters.';
comment on column public.recuerdos.subido_en is 'When both files were there; null before.';

-- Nothing of a couple can be read out of an estimate (20261121000012).
alter table public.recuerdos
  alter column id set statistics 0,
  alter column actividad_id set statistics 0,
  alter column pareja_id set statistics 0,
  alter column autor_id set statistics 0,
  alter column ruta set statistics 0,
  alter column miniatura set statistics 0,
  alter column ancho set statistics 0,
  alter column alto set statistics 0,
  alter column bytes set statistics 0,
  alter column texto set statistics 0,
  alter column subido_en set statistics 0,
  alter column creado_en set statistics 0;

alter table public.recuerdos enable row level security;
revoke all on public.recuerdos from public, anon, authenticated;

-- After a parting each keeps their own; pairing again brings all back.
create policy recuerdos_select on public.recuerdos
  for select to authenticated
  using (
    autor_id = (select auth.uid())
    or pareja_id = (select planes.mi_pareja()) and subido_en is not null
  );

grant select on public.recuerdos to authenticated;
grant all on public.recuerdos to service_role;

alter table public.recuerdos replica identity full;
alter publication supabase_realtime add table public.recuerdos;

do $guard$
begin
  if to_regprocedure('realtime.guard_deletes(regclass)') is not null then
    perform realtime.guard_deletes('public.recuerdos');
  end if;
end
$guard$;

-- Deleted photos that can be taken back: alone for some minutes, with their plan as long as that can.
create table planes.recuerdos_borrados (
  id uuid not null,
  actividad_id uuid not null,
  pareja_id uuid not null,
  autor_id uuid not null,
  bytes integer not null,
  fila jsonb not null,
  con_plan boolean not null,
  borrado_en timestamptz not null default now(),
  constraint recuerdos_borrados_pkey primary key (id),
  constraint recuerdos_borrados_autor_id_fkey foreign key (autor_id)
    references auth.users (id) on delete cascade
);

create index recuerdos_borrados_actividad_id_idx on planes.recuerdos_borrados (actividad_id);
create index recuerdos_borrados_autor_id_idx on planes.recuerdos_borrados (autor_id);
create index recuerdos_borrados_pareja_id_idx on planes.recuerdos_borrados (pareja_id);

comment on table planes.recuerdos_borrados is
  'Deleted photos whose files are still there: ten minutes, or as long as their plan''s in the trash.';
comment on column planes.recuerdos_borrados.con_plan is 'Whether it went with its plan, and comes back with it.';

alter table planes.recuerdos_borrados enable row level security;
revoke all on planes.recuerdos_borrados from public, anon, authenticated;
