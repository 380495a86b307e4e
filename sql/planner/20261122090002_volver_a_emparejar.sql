-- Parting keeps the couple, pairing again takes it up. Locks in one order, as before: profiles by id,
-- the couple, invitations.

create or replace function planes.disolver(pareja uuid)
returns void
language plpgsql
volatile
security definer
set search_path = ''
as $$
begin
  perform from public.profiles where pareja_id = pareja order by id for update;
  update public.profiles set pareja_id = null where pareja_id = pareja;
  update public.parejas set terminada_en = now() where id = pareja and personas = 0;
  delete from public.calendarios where pareja_id = pareja;
end
$$;

-- How many plans two people have in common, together or parted.
create function planes.en_comun(uno uuid, otro uuid)
returns bigint
language sql
volatile
security definer
set search_path = ''
as $$
  select count(*)
  from public.parejas c
  join public.actividades a on a.pareja_id = c.id
  where c.persona_a = least(uno, otro) and c.persona_b = greatest(uno, otro)
$$;

create or replace function public.ver_invitacion(codigo text)
returns jsonb
language sql
volatile
security definer
set search_path = ''
as $$
  select jsonb_build_object(
    'nombre', p.nombre, 'vuelven', planes.en_comun(auth.uid(), i.creador_id)
  )
  from planes.invitacion_valida(ver_invitacion.codigo) as i
  join public.profiles p on p.id = i.creador_id
$$;

create or replace function public.aceptar_invitacion(codigo text)
returns jsonb
language plpgsql
volatile
security definer
set search_path = ''
as $$
declare
  invitacion constant public.invitaciones := planes.invitacion_valida(aceptar_invitacion.codigo);
  los_dos constant uuid[] := array[auth.uid(), invitacion.creador_id];
  vuelven constant bigint := planes.en_comun(los_dos[1], los_dos[2]);
  pareja uuid;
begin
  insert into public.parejas as c (persona_a, persona_b)
  values (least(los_dos[1], los_dos[2]), greatest(los_dos[1], los_dos[2]))
  on conflict on constraint parejas_personas_key do update set terminada_en = null
  returning c.id into pareja;
  update public.profiles p set pareja_id = pareja where p.id = any (los_dos);
  update public.actividades a set pareja_id = pareja
  where a.creador_id = any (los_dos) and a.pareja_id = a.creador_id;
  update public.invitaciones i set usada_por = auth.uid() where i.codigo = invitacion.codigo;
  delete from public.invitaciones i where i.creador_id = any (los_dos) and i.usada_por is null;
  return jsonb_build_object('pareja_id', pareja, 'vuelven', vuelven);
end
$$;

comment on function public.ver_invitacion(text) is
  'Who invites with this code: {nombre, vuelven}; vuelven counts the plans the two already have in '
  'common. The code may be typed with dash, blanks, lower case.';
comment on function public.aceptar_invitacion(text) is
  'Makes the caller and the inviter a couple, or again the one they were: {pareja_id, vuelven}. '
  'Activities that still carry their creator''s own id become the couple''s.';
comment on function public.desvincular_pareja() is
  'Ends the caller''s couple. Everybody keeps what they created, and nobody else sees it until the '
  'same two pair again.';

-- A page that was open at the pairing still proposes with its user's own id. The lock makes it wait
-- for a pairing under way, which in turn waits for a proposal under way and takes it along.
create function planes.dar_a_la_pareja()
returns trigger
language plpgsql
volatile
security definer
set search_path = ''
as $$
declare
  suya uuid;
begin
  select p.pareja_id into suya from public.profiles p where p.id = new.creador_id for key share;
  new.pareja_id := coalesce(suya, new.pareja_id);
  return new;
end
$$;

create trigger actividades_dar_a_la_pareja
  before insert on public.actividades
  for each row when (new.pareja_id = new.creador_id)
  execute function planes.dar_a_la_pareja();

-- mi_pareja() sees what its statement saw at its start; this one also what was waited for.
create function planes.mi_pareja_ahora()
returns uuid
language plpgsql
volatile
security definer
set search_path = ''
as $$
begin
  return (select pareja_id from public.profiles where id = auth.uid());
end
$$;

alter policy actividades_insert on public.actividades
  with check (
    creador_id = (select auth.uid())
    and estado = 'pendiente'
    and aceptado_por is null
    and (pareja_id = (select auth.uid()) or pareja_id = planes.mi_pareja_ahora())
  );

revoke execute on function
  planes.en_comun(uuid, uuid), planes.dar_a_la_pareja(), planes.mi_pareja_ahora()
  from public;
grant execute on function planes.mi_pareja_ahora() to authenticated, service_role;
