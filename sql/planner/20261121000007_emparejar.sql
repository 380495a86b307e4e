-- Pairing, for the client: every refusal is one Spanish sentence with SQLSTATE P0001. Locks are taken
-- in one order everywhere, profiles by id and then invitations, so that no two calls wait for each
-- other.

-- The signed-in user's id, or the refusal of whoever has no profile to pair.
create function planes.yo()
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
    raise exception 'No encontramos tu perfil. Cierra la sesión y vuelve a entrar.';
  end if;
  return yo;
end
$$;

-- The invitation that a typed code names, or why it cannot be used. Locks both people's profiles
-- and then the invitation.
create function planes.invitacion_valida(codigo text)
returns public.invitaciones
language plpgsql
volatile
security definer
set search_path = ''
as $$
declare
  yo constant uuid := planes.yo();
  limpio constant text := planes.codigo_limpio(invitacion_valida.codigo);
  invitacion public.invitaciones;
begin
  if planes.codigos_erroneos(yo) >= 5 then
    raise exception
      'Has probado demasiados códigos incorrectos. Espera 15 minutos e inténtalo de nuevo.';
  end if;
  select * into invitacion from public.invitaciones i where i.codigo = limpio;
  if found then
    perform from public.profiles p where p.id in (yo, invitacion.creador_id) order by p.id for update;
    select * into invitacion from public.invitaciones i where i.codigo = limpio for update;
  end if;
  if not found then
    perform planes.anotar_codigo_erroneo(yo);
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

create function public.crear_invitacion()
returns jsonb
language plpgsql
volatile
security definer
set search_path = ''
as $$
declare
  yo constant uuid := planes.yo();
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

create function public.ver_invitacion(codigo text)
returns jsonb
language sql
volatile
security definer
set search_path = ''
as $$
  select jsonb_build_object('nombre', p.nombre)
  from planes.invitacion_valida(ver_invitacion.codigo) as i
  join public.profiles p on p.id = i.creador_id
$$;

create function public.aceptar_invitacion(codigo text)
returns jsonb
language plpgsql
volatile
security definer
set search_path = ''
as $$
declare
  invitacion constant public.invitaciones := planes.invitacion_valida(aceptar_invitacion.codigo);
  los_dos constant uuid[] := array[auth.uid(), invitacion.creador_id];
  nueva uuid;
begin
  insert into public.parejas default values returning id into nueva;
  update public.profiles p set pareja_id = nueva where p.id = any (los_dos);
  update public.actividades a set pareja_id = nueva
  where a.creador_id = any (los_dos) and a.pareja_id = a.creador_id;
  update public.invitaciones i set usada_por = auth.uid() where i.codigo = invitacion.codigo;
  delete from public.invitaciones i where i.creador_id = any (los_dos) and i.usada_por is null;
  return jsonb_build_object('pareja_id', nueva);
end
$$;

create function public.desvincular_pareja()
returns void
language plpgsql
volatile
security definer
set search_path = ''
as $$
declare
  yo constant uuid := planes.yo();
  mia constant uuid := planes.mi_pareja();
begin
  if mia is null then
    raise exception 'Ahora mismo no tienes pareja vinculada.';
  end if;
  perform planes.disolver(mia);
end
$$;
