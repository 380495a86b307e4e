-- Couples and profiles. A couple is only an id that two profiles carry; `personas` counts them, so
-- that "at most two" is a check constraint that holds however many transactions accept at once: the
-- counter's row is updated, hence locked, by each of them.

create schema if not exists planes;
comment on schema planes is 'The planner''s inner workings; not exposed to clients.';

-- Text without the blanks around it, counted as a browser's trim() does, zero-width ones included.
create or replace function planes.recortado(texto text)
returns text
language sql
immutable
strict
parallel safe
as $$
  select btrim(texto, E' \t\n\r\v\f' || U&'\0085\00A0\1680\2000\2001\2002\2003\2004\2005\2006\2007'
    || U&'\2008\2009\200A\200B\200C\200D\2028\2029\202F\205F\2060\3000\FEFF')
$$;

create table public.parejas (
  id uuid not null default gen_random_uuid(),
  creada_en timestamptz not null default now(),
  personas smallint not null default 0,
  constraint parejas_pkey primary key (id),
  constraint parejas_personas_check check (personas between 0 and 2)
);

create table public.profiles (
  id uuid not null,
  nombre text not null,
  pareja_id uuid,
  constraint profiles_pkey primary key (id),
  constraint profiles_id_fkey foreign key (id) references auth.users (id) on delete cascade,
  constraint profiles_pareja_id_fkey foreign key (pareja_id)
    references public.parejas (id) on delete set null,
  constraint profiles_nombre_check check (
    char_length(planes.recortado(nombre)) >= 1 and char_length(nombre) <= 60
    and nombre !~ '[[:cntrl:]]'
  )
);

create index profiles_pareja_id_idx on public.profiles (pareja_id);

comment on table public.parejas is 'Couples. Reached through functions only.';
comment on column public.parejas.personas is 'How many profiles carry this id: two at most.';
comment on table public.profiles is 'One row per user, made together with the user.';
comment on column public.profiles.nombre is 'Display name, one line of 1 to 60 characters.';
comment on column public.profiles.pareja_id is 'The couple; null while unpaired.';

create function planes.contar_personas()
returns trigger
language plpgsql
volatile
security definer
set search_path = ''
as $$
begin
  if tg_op <> 'INSERT' and old.pareja_id is not null then
    update public.parejas set personas = personas - 1 where id = old.pareja_id;
  end if;
  if tg_op <> 'DELETE' and new.pareja_id is not null then
    update public.parejas set personas = personas + 1 where id = new.pareja_id;
  end if;
  return null;
end
$$;

create trigger profiles_contar_personas_insert
  after insert on public.profiles
  for each row when (new.pareja_id is not null)
  execute function planes.contar_personas();
create trigger profiles_contar_personas_update
  after update of pareja_id on public.profiles
  for each row when (old.pareja_id is distinct from new.pareja_id)
  execute function planes.contar_personas();
create trigger profiles_contar_personas_delete
  after delete on public.profiles
  for each row when (old.pareja_id is not null)
  execute function planes.contar_personas();

-- Ends a couple. Both profiles are locked in the order of their ids, as everywhere.
create function planes.disolver(pareja uuid)
returns void
language plpgsql
volatile
security definer
set search_path = ''
as $$
begin
  perform from public.profiles where pareja_id = pareja order by id for update;
  update public.profiles set pareja_id = null where pareja_id = pareja;
  delete from public.parejas where id = pareja;
end
$$;

-- Who stays behind when an account is deleted is unpaired, free to pair anew.
create function planes.disolver_al_borrar()
returns trigger
language plpgsql
volatile
security definer
set search_path = ''
as $$
begin
  perform planes.disolver(old.pareja_id);
  return null;
end
$$;

create trigger profiles_disolver_al_borrar
  after delete on public.profiles
  for each row when (old.pareja_id is not null)
  execute function planes.disolver_al_borrar();
