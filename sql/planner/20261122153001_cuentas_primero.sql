-- One order of locks with accounts in it: the accounts of everybody concerned, then couples, profiles by
-- id, invitations. The deletion of an account begins with its row of auth.users, and a foreign key to that
-- row locks it too: whoever locked a profile first and wrote such a key afterwards waited for a deletion
-- that waited for that profile.

-- Holds accounts until the transaction ends: none of them can be deleted meanwhile, and who waited for
-- a deletion finds the account gone. Any number may hold the same.
create function planes.retener(personas uuid[])
returns void
language plpgsql
volatile
security definer
set search_path = ''
as $$
begin
  perform from auth.users u where u.id = any (personas) order by u.id for key share;
end
$$;

-- The caller's id with the account held, or the refusal of whoever has none (any more).
create function planes.yo_retenido(con uuid default null)
returns uuid
language plpgsql
volatile
security definer
set search_path = ''
as $$
begin
  perform planes.retener(array[auth.uid(), con]);
  return planes.yo();
end
$$;

-- Two partners whose accounts are deleted at once take turns here, before either loses a profile.
create function planes.retener_parejas()
returns trigger
language plpgsql
volatile
security definer
set search_path = ''
as $$
begin
  perform from public.parejas c where old.id in (c.persona_a, c.persona_b) order by c.id for update;
  return old;
end
$$;

create trigger retener_parejas
  before delete on auth.users
  for each row execute function planes.retener_parejas();

create or replace function planes.invitacion_valida(codigo text)
returns public.invitaciones
language plpgsql
volatile
security definer
set search_path = ''
as $$
declare
  yo uuid := planes.yo();
  direccion constant text := planes.direccion();
  limpio constant text := planes.codigo_limpio(invitacion_valida.codigo);
  invitacion public.invitaciones;
begin
  if planes.codigos_erroneos(yo) >= 5 or planes.codigos_erroneos_en(direccion) >= 20 then
    raise exception
      'Has probado demasiados códigos incorrectos. Espera 15 minutos e inténtalo de nuevo.';
  end if;
  select * into invitacion from public.invitaciones i where i.codigo = limpio;
  if found then
    yo := planes.yo_retenido(con => invitacion.creador_id);
    perform from public.profiles p where p.id in (yo, invitacion.creador_id) order by p.id for update;
    select * into invitacion from public.invitaciones i where i.codigo = limpio for update;
  end if;
  if not found then
    perform planes.anotar_codigo_erroneo(yo);
    perform planes.anotar_codigo_erroneo_en(direccion);
    raise exception 'No hay ninguna invitación con ese código. Revísalo e inténtalo de nuevo.';
  elsif invitacion.creador_id = yo then
    raise exception 'Esta invitación es tuya: compártela con tu pareja.';
  elsif invitacion.usada_por is not null then
    raise exception 'Esta invitación ya se ha usado. Pide a tu pareja un código nuevo.';
  elsif invitacion.caduca_en <= now() then
    raise exception 'Esta invitación ha caducado. Pide a tu pareja un código nuevo.';
  elsif (select p.pareja_id from public.profiles p where p.id = yo) is not null then
    raise exception 'Ya tienes pareja. Desvincúlate antes de aceptar otra invitación.';
  elsif (
    select p.pareja_id from public.profiles p where p.id = invitacion.creador_id
  ) is not null then
    raise exception 'Quien te invitó ya tiene pareja.';
  end if;
  return invitacion;
end
$$;

create or replace function public.crear_invitacion()
returns jsonb
language plpgsql
volatile
security definer
set search_path = ''
as $$
declare
  yo constant uuid := planes.yo_retenido();
  nueva public.invitaciones;
begin
  perform from public.profiles p where p.id = yo for update;
  if (select p.pareja_id from public.profiles p where p.id = yo) is not null then
    raise exception 'Ya tienes pareja. Desvincúlate antes de invitar a otra persona.';
  end if;
  delete from public.invitaciones i where i.creador_id = yo and i.usada_por is null;
  loop  -- a code that exists already (one in 10^12) is drawn again
    insert into public.invitaciones (codigo, creador_id)
    values (planes.codigo_nuevo(), yo)
    on conflict on constraint invitaciones_pkey do nothing
    returning * into nueva;
    exit when found;
  end loop;
  return jsonb_build_object('codigo', nueva.codigo, 'caduca_en', nueva.caduca_en);
end
$$;

create or replace function public.desvincular_pareja()
returns void
language plpgsql
volatile
security definer
set search_path = ''
as $$
declare
  mia constant uuid := planes.mi_pareja();
begin
  perform planes.yo();
  if mia is null then
    raise exception 'Ahora mismo no tienes pareja vinculada.';
  end if;
  perform planes.retener(array[c.persona_a, c.persona_b]) from public.parejas c where c.id = mia;
  perform planes.disolver(mia);
end
$$;

create or replace function planes.dar_a_la_pareja()
returns trigger
language plpgsql
volatile
security definer
set search_path = ''
as $$
declare
  suya uuid;
begin
  perform planes.retener(array[new.creador_id]);
  select p.pareja_id into suya from public.profiles p where p.id = new.creador_id for key share;
  new.pareja_id := coalesce(suya, new.pareja_id);
  return new;
end
$$;

revoke execute on function
  planes.retener(uuid[]), planes.yo_retenido(uuid), planes.retener_parejas()
  from public;
