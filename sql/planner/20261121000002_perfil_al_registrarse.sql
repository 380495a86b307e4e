-- The profile is made in the transaction that makes the user, so the first dashboard finds it.
-- Whatever the sign-up carries as nombre, or fails to carry, the sign-up must not fail for it.

-- The name to show: metadata `nombre`, else the e-mail before the @, else «Sin nombre».
create function planes.nombre_inicial(datos jsonb, correo text)
returns text
language sql
immutable
as $$
  select left(candidato, 60)
  from (
    select planes.recortado(left(planes.recortado(
      regexp_replace(crudo, '[[:cntrl:]]+', ' ', 'g')
    ), 60)) as candidato
    from unnest(array[
      case when jsonb_typeof(datos -> 'nombre') = 'string' then datos ->> 'nombre' end,
      split_part(correo, '@', 1),
      'Sin nombre'
    ]) with ordinality as c (crudo, n)
    order by n
  ) as limpios
  where candidato <> ''
  limit 1
$$;

create function planes.crear_perfil()
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
exception
  when others then
    raise warning 'no profile for user %: %', new.id, sqlerrm;
    return null;
end
$$;

create trigger crear_perfil
  after insert on auth.users
  for each row execute function planes.crear_perfil();

-- Users that were there before the planner.
insert into public.profiles (id, nombre)
select id, planes.nombre_inicial(raw_user_meta_data, email) from auth.users
on conflict (id) do nothing;
