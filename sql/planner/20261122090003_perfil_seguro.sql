-- A sign-up whose profile cannot be made fails, as the original answers it («Database error saving new
-- user»), instead of leaving a user whom no sign-in ever gives one. The name itself cannot fail it:
-- nombre_inicial() makes a valid one of whatever the sign-up carries.

create or replace function planes.crear_perfil()
returns trigger
language plpgsql
volatile
security definer
set search_path = ''
as $$
begin
  insert into public.profiles (id, nombre)
  values (new.id, planes.nombre_inicial(new.raw_user_meta_data, new.email))
  on conflict (id) do nothing;
  return null;
end
$$;

-- Who is left from before.
insert into public.profiles (id, nombre)
select id, planes.nombre_inicial(raw_user_meta_data, email) from auth.users
on conflict (id) do nothing;

create or replace function planes.yo()
returns uuid
language plpgsql
stable
security definer
set search_path = ''
as $$
declare
  yo constant uuid := auth.uid();
begin
  if yo is null then
    raise exception 'Debes iniciar sesión';
  elsif not exists (select from public.profiles where id = yo) then
    raise exception 'No encontramos tu perfil: puede que esta cuenta ya no exista.';
  end if;
  return yo;
end
$$;

-- The functions that ran with the caller's search path.
alter function planes.recortado(text) set search_path = '';
alter function planes.nombre_inicial(jsonb, text) set search_path = '';
alter function planes.codigo_limpio(text) set search_path = '';
alter function planes.ics_texto(text) set search_path = '';
alter function planes.ics_linea(text) set search_path = '';
alter function planes.ics_evento(public.actividades) set search_path = '';
