-- Who may add photos to a plan, and take them away.

-- What a couple's photos take, with those on their way and those that can be taken back.
create function planes.espacio_de(pareja uuid)
returns bigint
language sql
stable
security definer
set search_path = ''
as $$
  select coalesce(sum(f.bytes), 0)::bigint from (
    select r.bytes from public.recuerdos r where r.pareja_id = pareja
    union all
    select b.bytes from planes.recuerdos_borrados b where b.pareja_id = pareja
  ) as f
$$;

create function public.preparar_recuerdo(
  id uuid, plan uuid, ancho integer, alto integer, bytes integer, texto text default null
)
returns jsonb
language plpgsql
volatile
security definer
set search_path = ''
as $$
declare
  pareja constant public.parejas := planes.pareja_de_cuentas();
  del_plan constant public.actividades := planes.plan_comun(preparar_recuerdo.plan);
  yo constant uuid := auth.uid();
  fila public.recuerdos;
begin
  if pareja.id is null or to_regclass('storage.objects') is null then
    raise exception 'Vincula a tu pareja para guardar recuerdos.';
  end if;
  select * into fila from public.recuerdos r where r.id = preparar_recuerdo.id;
  if not found then
    if (select count(*) from public.recuerdos r where r.actividad_id = del_plan.id) >= 30 then
      raise exception 'En este plan ya no caben más fotos.';
    elsif planes.espacio_de(pareja.id) + preparar_recuerdo.bytes > 524288000 then
      raise exception 'Habéis llenado vuestro espacio.';
    elsif (
      select count(*) from public.recuerdos r where r.autor_id = yo and r.subido_en is null
    ) >= 40 then
      raise exception 'Tienes demasiadas fotos a medio subir. Espera un momento.';
    end if;
    insert into public.recuerdos (id, actividad_id, pareja_id, autor_id, ancho, alto, bytes, texto)
    values (
      preparar_recuerdo.id, del_plan.id, pareja.id, yo, preparar_recuerdo.ancho,
      preparar_recuerdo.alto, preparar_recuerdo.bytes,
      nullif(planes.recortado(preparar_recuerdo.texto), '')
    )
    on conflict on constraint recuerdos_pkey do nothing
    returning * into fila;
  end if;
  if fila.autor_id is distinct from yo or fila.actividad_id <> del_plan.id then
    raise exception 'Esa foto no existe o no es tuya.';
  end if;
  return jsonb_build_object(
    'ruta', fila.ruta, 'miniatura', fila.miniatura, 'subido', fila.subido_en is not null
  );
end
$$;

create function public.terminar_recuerdo(id uuid)
returns void
language plpgsql
volatile
security definer
set search_path = ''
as $$
declare
  pareja constant public.parejas := planes.pareja_de_cuentas();
  fila public.recuerdos;
  tamano bigint;
begin
  select * into fila from public.recuerdos r
  where r.id = terminar_recuerdo.id and r.autor_id = auth.uid() for update;
  if not found or fila.pareja_id is distinct from pareja.id then
    raise exception 'Esa foto no existe o no es tuya.';
  elsif fila.subido_en is not null then
    return;
  end if;
  tamano := planes.bytes_subidos(array[fila.ruta, fila.miniatura]);
  if tamano is null then
    raise exception 'La foto no ha llegado entera. Vuelve a intentarlo.';
  elsif planes.espacio_de(pareja.id) - fila.bytes + tamano > 524288000 then
    raise exception 'Habéis llenado vuestro espacio.';
  end if;
  update public.recuerdos r set subido_en = now(), bytes = greatest(tamano, 1) where r.id = fila.id;
end
$$;

create function public.describir_recuerdo(id uuid, texto text)
returns void
language plpgsql
volatile
security definer
set search_path = ''
as $$
declare
  yo constant uuid := planes.yo_retenido();
begin
  update public.recuerdos r set texto = nullif(planes.recortado(describir_recuerdo.texto), '')
  where r.id = describir_recuerdo.id and r.autor_id = yo
    and r.pareja_id = planes.mi_pareja_ahora();
  if not found then
    raise exception 'Esa foto no existe o no es tuya.';
  end if;
end
$$;

create function public.borrar_recuerdo(id uuid)
returns void
language plpgsql
volatile
security definer
set search_path = ''
as $$
declare
  yo constant uuid := planes.yo_retenido();
begin
  insert into planes.recuerdos_borrados
    (id, actividad_id, pareja_id, autor_id, bytes, fila, con_plan)
  select r.id, r.actividad_id, r.pareja_id, r.autor_id, r.bytes, to_jsonb(r), false
  from public.recuerdos r
  where r.id = borrar_recuerdo.id and r.autor_id = yo and r.subido_en is not null
  on conflict on constraint recuerdos_borrados_pkey do nothing;
  -- What was still on its way is given up: nothing of it is kept.
  delete from public.recuerdos r where r.id = borrar_recuerdo.id and r.autor_id = yo;
  if not found then
    raise exception 'Esa foto no existe o no es tuya.';
  end if;
end
$$;

comment on function public.preparar_recuerdo(uuid, uuid, integer, integer, integer, text) is
  'Announces a photo of a common plan: {ruta, miniatura, subido}, the names under which its two files '
  'are to be stored in the bucket recuerdos. 30 a plan, 500 MB a couple; the same id again is the same photo.';
comment on function public.terminar_recuerdo(uuid) is
  'The two files of the caller''s photo are there: the partner sees it from now on.';
comment on function public.describir_recuerdo(uuid, text) is
  'What stands under the caller''s photo, at most 200 characters; nothing where it is blank.';
comment on function public.borrar_recuerdo(uuid) is
  'Deletes the caller''s photo; recuperar_recuerdo brings it back for ten minutes.';

revoke execute on function
  public.preparar_recuerdo(uuid, uuid, integer, integer, integer, text),
  public.terminar_recuerdo(uuid), public.describir_recuerdo(uuid, text),
  public.borrar_recuerdo(uuid)
  from public, anon;
grant execute on function
  public.preparar_recuerdo(uuid, uuid, integer, integer, integer, text),
  public.terminar_recuerdo(uuid), public.describir_recuerdo(uuid, text),
  public.borrar_recuerdo(uuid)
  to authenticated, service_role;
revoke execute on function planes.espacio_de(uuid) from public;
