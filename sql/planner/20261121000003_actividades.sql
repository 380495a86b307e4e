-- The shared activities. `pareja_id` is the couple's id, or the creator's own while unpaired; it
-- therefore references nothing.

create table public.actividades (
  id uuid not null default gen_random_uuid(),
  titulo text not null,
  descripcion text,
  fecha date not null,
  presupuesto numeric(12, 2),
  estado text not null default 'pendiente',
  creador_id uuid not null,
  pareja_id uuid not null,
  aceptado_por uuid,
  creado_en timestamptz not null default now(),
  constraint actividades_pkey primary key (id),
  constraint actividades_creador_id_fkey foreign key (creador_id)
    references auth.users (id) on delete cascade,
  constraint actividades_aceptado_por_fkey foreign key (aceptado_por)
    references auth.users (id) on delete set null,
  constraint actividades_titulo_check check (
    char_length(planes.recortado(titulo)) between 1 and 120 and char_length(titulo) <= 500
  ),
  constraint actividades_descripcion_check check (char_length(descripcion) <= 2000),
  constraint actividades_fecha_check check (fecha between '0001-01-01' and '9999-12-31'),
  constraint actividades_presupuesto_check check (presupuesto >= 0 and presupuesto <> 'NaN'),
  constraint actividades_estado_check check (estado in ('pendiente', 'aceptado', 'rechazado')),
  constraint actividades_aceptado_check check ((estado = 'aceptado') = (aceptado_por is not null)),
  constraint actividades_aceptado_por_check check (aceptado_por <> creador_id)
);

create index actividades_pareja_id_fecha_idx on public.actividades (pareja_id, fecha);
create index actividades_creador_id_fecha_idx on public.actividades (creador_id, fecha);
create index actividades_aceptado_por_idx on public.actividades (aceptado_por);

comment on table public.actividades is 'Activities that one partner proposes and the other answers.';
comment on column public.actividades.titulo is '1 to 120 characters, blanks around it not counted.';
comment on column public.actividades.descripcion is 'At most 2000 characters.';
comment on column public.actividades.fecha is 'A calendar day, without time zone.';
comment on column public.actividades.presupuesto is 'Euros, two decimals, not negative.';
comment on column public.actividades.estado is
  'pendiente, then once and for all aceptado or rechazado.';
comment on column public.actividades.pareja_id is
  'The couple at creation, or the creator''s own id while unpaired.';
comment on column public.actividades.aceptado_por is 'Who accepted; null unless accepted.';

-- When the account that accepted is deleted, the foreign key empties aceptado_por. The acceptance
-- goes with the person: the activity, which belongs to its creator, is pending again.
create function planes.retirar_aceptacion()
returns trigger
language plpgsql
volatile
set search_path = ''
as $$
begin
  new.estado := 'pendiente';
  return new;
end
$$;

create trigger actividades_retirar_aceptacion
  before update of aceptado_por on public.actividades
  for each row when (
    old.aceptado_por is not null and new.aceptado_por is null
    and old.estado = 'aceptado' and new.estado = 'aceptado'
  )
  execute function planes.retirar_aceptacion();
