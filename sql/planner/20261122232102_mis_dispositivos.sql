-- What somebody sees and changes of their own devices.

create function planes.mi_dispositivo(id uuid)
returns planes.dispositivos
language plpgsql
volatile
security definer
set search_path = ''
as $$
declare
  yo constant uuid := planes.yo_retenido();
  fila planes.dispositivos;
begin
  select * into fila from planes.dispositivos d
  where d.id = mi_dispositivo.id and d.persona_id = yo for update;
  if not found then
    raise exception 'Ese dispositivo ya no recibe avisos.';
  end if;
  return fila;
end
$$;

create function public.mis_dispositivos()
returns jsonb
language sql
stable
security definer
set search_path = ''
as $$
  select coalesce(jsonb_agg(
    jsonb_build_object(
      'id', d.id, 'nombre', d.nombre, 'eventos', d.eventos, 'ver_titulo', d.ver_titulo,
      'silencio_desde', d.silencio_desde, 'silencio_hasta', d.silencio_hasta,
      'visto_en', d.visto_en
    ) order by d.visto_en desc, d.id
  ), '[]')
  from planes.dispositivos d
  where d.persona_id = auth.uid()
$$;

create function public.ajustar_dispositivo(id uuid, cambios jsonb)
returns void
language plpgsql
volatile
security definer
set search_path = ''
as $$
declare
  fila planes.dispositivos := planes.mi_dispositivo(ajustar_dispositivo.id);
begin
  if jsonb_typeof(cambios) is distinct from 'object' or exists (
    select from jsonb_object_keys(cambios) as k
    where k not in ('eventos', 'ver_titulo', 'silencio_desde', 'silencio_hasta')
  ) then
    raise exception 'Eso no se puede cambiar en un dispositivo.';
  end if;
  fila := jsonb_populate_record(fila, cambios);
  update planes.dispositivos d
  set eventos = fila.eventos, ver_titulo = fila.ver_titulo,
    silencio_desde = fila.silencio_desde, silencio_hasta = fila.silencio_hasta, visto_en = now()
  where d.id = fila.id;
end
$$;

create function public.quitar_dispositivo(id uuid)
returns void
language plpgsql
volatile
security definer
set search_path = ''
as $$
begin
  delete from planes.dispositivos d
  where d.id = quitar_dispositivo.id and d.persona_id = planes.yo();
end
$$;

-- What a device is told, as its person chose.
create function planes.recado_para(
  dispositivo planes.dispositivos, carga jsonb, tema text, clave text,
  no_antes_de timestamptz, caduca_en timestamptz
)
returns void
language sql
volatile
security definer
set search_path = ''
as $$
  insert into recados.cola as c (canal, destino, carga, clave, no_antes_de, caduca_en)
  values (
    'push',
    jsonb_build_object(
      'endpoint', dispositivo.endpoint, 'p256dh', dispositivo.p256dh, 'auth', dispositivo.auth,
      'topic', replace(tema, '-', ''), 'dispositivo', dispositivo.id
    ),
    carga || jsonb_build_object('tema', tema), clave, no_antes_de, caduca_en
  )
  on conflict on constraint cola_clave_key do nothing
$$;

create function public.probar_dispositivo(id uuid)
returns void
language plpgsql
volatile
security definer
set search_path = ''
as $$
declare
  fila constant planes.dispositivos := planes.mi_dispositivo(probar_dispositivo.id);
begin
  if (
    select count(*) from recados.cola c
    where c.clave like 'prueba:' || fila.id || ':%' and c.creado_en > now() - interval '1 hour'
  ) >= 3 then
    raise exception 'Ya has enviado tres avisos de prueba. Espera una hora.';
  end if;
  perform planes.recado_para(
    fila,
    jsonb_build_object(
      'titulo', 'Aviso de prueba', 'cuerpo', 'Así te llegarán los avisos.', 'url', '/dashboard'
    ),
    'prueba', 'prueba:' || fila.id || ':' || gen_random_uuid(), now(), now() + interval '1 hour'
  );
end
$$;

comment on function public.mis_dispositivos() is
  'The caller''s devices: [{id, nombre, eventos, ver_titulo, silencio_desde, silencio_hasta, visto_en}].';
comment on function public.ajustar_dispositivo(uuid, jsonb) is
  'Changes any of {eventos, ver_titulo, silencio_desde, silencio_hasta} of a device of one''s own.';
comment on function public.quitar_dispositivo(uuid) is
  'A device of one''s own is told nothing any more, and what waits for it is not sent.';
comment on function public.probar_dispositivo(uuid) is
  'Sends a message to a device of one''s own, three an hour.';

revoke execute on function
  public.mis_dispositivos(), public.ajustar_dispositivo(uuid, jsonb),
  public.quitar_dispositivo(uuid), public.probar_dispositivo(uuid)
  from public, anon;
grant execute on function
  public.mis_dispositivos(), public.ajustar_dispositivo(uuid, jsonb),
  public.quitar_dispositivo(uuid), public.probar_dispositivo(uuid)
  to authenticated, service_role;
revoke execute on function
  planes.mi_dispositivo(uuid),
  planes.recado_para(planes.dispositivos, jsonb, text, text, timestamptz, timestamptz)
  from public;
