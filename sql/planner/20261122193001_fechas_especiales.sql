-- The days that a couple counts: anniversaries and the like. They are the couple's, both change them,
-- and like its plans they are there again when the two pair again.

create table public.fechas_especiales (
  id uuid not null,
  pareja_id uuid not null,
  titulo text not null,
  fecha date not null,
  cada_ano boolean not null default true,
  constraint fechas_especiales_pkey primary key (id),
  constraint fechas_especiales_pareja_id_fkey foreign key (pareja_id)
    references public.parejas (id) on delete cascade,
  constraint fechas_especiales_titulo_check check (
    char_length(planes.recortado(titulo)) between 1 and 60 and char_length(titulo) <= 240
    and titulo !~ U&'[\0001-\001F\007F-\009F]'
  ),
  constraint fechas_especiales_fecha_check check (fecha between '0001-01-01' and '9999-12-31')
);

create index fechas_especiales_pareja_id_idx on public.fechas_especiales (pareja_id);

comment on table public.fechas_especiales is 'The days that a couple counts, 20 at most.';
comment on column public.fechas_especiales.titulo is
  '1 to 60 characters, blanks around them not counted, no control characters.';
comment on column public.fechas_especiales.cada_ano is
  'Whether it comes every year; 29 February on the 28th where there is none.';

-- Nothing of a couple can be read out of an estimate (20261121000012).
alter table public.fechas_especiales
  alter column id set statistics 0,
  alter column pareja_id set statistics 0,
  alter column titulo set statistics 0,
  alter column fecha set statistics 0,
  alter column cada_ano set statistics 0;

alter table public.fechas_especiales enable row level security;
revoke all on public.fechas_especiales from public, anon, authenticated;

create policy fechas_especiales_select on public.fechas_especiales
  for select to authenticated
  using (pareja_id = (select planes.mi_pareja()));

grant select on public.fechas_especiales to authenticated;
grant all on public.fechas_especiales to service_role;

alter table public.fechas_especiales replica identity full;
alter publication supabase_realtime add table public.fechas_especiales;

do $guard$
begin
  if to_regprocedure('realtime.guard_deletes(regclass)') is not null then
    perform realtime.guard_deletes('public.fechas_especiales');
  end if;
end
$guard$;

-- The caller's couple, held so that the limit holds for two at once; else the refusal.
create function planes.pareja_retenida()
returns uuid
language plpgsql
volatile
security definer
set search_path = ''
as $$
declare
  mia uuid;
begin
  perform planes.yo_retenido();
  mia := planes.mi_pareja_ahora();
  perform from public.parejas c where c.id = mia for update;
  if mia is null or mia is distinct from planes.mi_pareja_ahora() then
    raise exception 'Vincula a tu pareja para tener fechas especiales.';
  end if;
  return mia;
end
$$;

create function public.guardar_fecha_especial(
  id uuid, titulo text, fecha date, cada_ano boolean default true
)
returns void
language plpgsql
volatile
security definer
set search_path = ''
as $$
declare
  mia constant uuid := planes.pareja_retenida();
begin
  update public.fechas_especiales f
  set titulo = guardar_fecha_especial.titulo, fecha = guardar_fecha_especial.fecha,
    cada_ano = guardar_fecha_especial.cada_ano
  where f.id = guardar_fecha_especial.id and f.pareja_id = mia;
  if found then
    return;
  elsif (select count(*) from public.fechas_especiales f where f.pareja_id = mia) >= 20 then
    raise exception 'Como mucho 20 fechas especiales.';
  end if;
  -- Another couple's id changes nothing, and says nothing of it.
  insert into public.fechas_especiales (id, pareja_id, titulo, fecha, cada_ano)
  values (
    guardar_fecha_especial.id, mia, guardar_fecha_especial.titulo, guardar_fecha_especial.fecha,
    guardar_fecha_especial.cada_ano
  )
  on conflict on constraint fechas_especiales_pkey do nothing;
end
$$;

create function public.borrar_fecha_especial(id uuid)
returns void
language plpgsql
volatile
security definer
set search_path = ''
as $$
declare
  mia constant uuid := planes.pareja_retenida();
begin
  delete from public.fechas_especiales f
  where f.id = borrar_fecha_especial.id and f.pareja_id = mia;
end
$$;

comment on function public.guardar_fecha_especial(uuid, text, date, boolean) is
  'Adds a special day of the couple, or changes the one with that id; 20 at most.';
comment on function public.borrar_fecha_especial(uuid) is 'Deletes a special day of the couple.';

revoke execute on function
  public.guardar_fecha_especial(uuid, text, date, boolean), public.borrar_fecha_especial(uuid)
  from public, anon;
grant execute on function
  public.guardar_fecha_especial(uuid, text, date, boolean), public.borrar_fecha_especial(uuid)
  to authenticated, service_role;
revoke execute on function planes.pareja_retenida() from public;
