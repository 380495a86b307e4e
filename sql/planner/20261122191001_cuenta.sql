-- What belongs to a person: all of it to take along, and the way out for good.

-- The account goes with everything that refers to it. A session that somebody left open is not enough:
-- its password was typed in the last ten minutes (the token's amr, which a refresh does not renew).
create function public.eliminar_cuenta()
returns void
language plpgsql
volatile
security definer
set search_path = ''
as $$
declare
  yo constant uuid := planes.yo();
begin
  if not exists (
    select from jsonb_path_query(
      auth.jwt(), '$.amr[*] ? (@.method == "password").timestamp ? (@.type() == "number")'
    ) as escrita
    where to_timestamp(escrita::text::double precision) > now() - interval '10 minutes'
  ) then
    raise exception 'Vuelve a escribir tu contraseña.';
  end if;
  delete from auth.users u where u.id = yo;
end
$$;

-- By the caller's own rights: the policies decide what is in it.
create function public.exportar_datos()
returns jsonb
language sql
stable
set search_path = ''
as $$
  select jsonb_build_object(
    'exportado_en', now(),
    'perfil', (select to_jsonb(p) from public.profiles p where p.id = auth.uid()),
    'pareja', (
      select jsonb_build_object('nombre', p.nombre) from public.profiles p
      where p.id <> auth.uid() limit 1
    ),
    'actividades', coalesce(
      (select jsonb_agg(to_jsonb(a) order by a.fecha, a.id) from public.actividades a), '[]'
    ),
    'historial', coalesce(
      (select jsonb_agg(to_jsonb(h) order by h.id) from public.historial h), '[]'
    ),
    'papelera', public.mis_borrados()
  )
$$;

comment on function public.eliminar_cuenta() is
  'Deletes the caller''s account and all that is theirs; wants a password typed within ten minutes.';
comment on function public.exportar_datos() is
  'All that the caller may read: {exportado_en, perfil, pareja, actividades, historial, papelera}.';

revoke execute on function public.eliminar_cuenta(), public.exportar_datos() from public, anon;
grant execute on function public.eliminar_cuenta(), public.exportar_datos()
  to authenticated, service_role;

-- Who leaves takes an acceptance along; that is noted without a name, which refers to nobody any more.
create or replace function planes.anotar_historial()
returns trigger
language plpgsql
volatile
security definer
set search_path = ''
as $$
declare
  cambiado jsonb;
begin
  delete from public.historial h
  where h.actividad_id = new.id and h.en < now() - interval '12 months';
  if tg_op = 'UPDATE' and new.revision <> old.revision then
    select jsonb_object_agg(n.key, jsonb_build_array(o.value, n.value)) into cambiado
    from jsonb_each(to_jsonb(new)) as n
    join jsonb_each(to_jsonb(old)) as o on o.key = n.key
    where n.key = any (planes.campos_del_plan()) and n.value is distinct from o.value;
  end if;
  insert into public.historial (actividad_id, persona_id, que, cambios)
  values (
    new.id, (select u.id from auth.users u where u.id = auth.uid()),
    case
      when tg_op = 'INSERT' then 'propuesto'
      when new.revision <> old.revision then 'editado'
      else new.estado
    end,
    cambiado
  );
  return null;
end
$$;

create or replace function public.version_del_plan()
returns integer
language sql
stable
set search_path = ''
as $$
  select 2
$$;

comment on function public.version_del_plan() is
  'What this server has beyond the specification: 1 hours, several days and places; 2 the account.';
