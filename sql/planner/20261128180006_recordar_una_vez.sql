-- A reminder is sent once: for a plan, a person, a kind and a device. Its key had the moment since when it was
-- due, so that another time zone or another hour of the evening's reminder sent it again.

create or replace function planes.recordar()
returns void
language sql
volatile
security definer
set search_path = ''
as $$
  select planes.recado_para(
    d,
    jsonb_build_object(
      'titulo', r.palabras || case when d.ver_titulo then ': ' || (r.plan).titulo else ': un plan' end,
      'cuerpo', case when d.ver_titulo then concat_ws(
        ' · ', to_char((r.plan).hora, 'HH24:MI'), (r.plan).lugar
      ) else 'Ábrelo para verlo' end,
      'url', '/dashboard?plan=' || (r.plan).id
    ),
    (r.plan).id::text,
    'recordatorio:' || (r.plan).id || ':' || r.persona_id || ':' || r.cual || ':' || d.id,
    now(), r.hasta
  )
  from planes.recordatorios_de(now()) as r
  join planes.dispositivos d on d.persona_id = r.persona_id
  where 'recordatorios' = any (d.eventos)
    and planes.fin_del_silencio(d.silencio_desde, d.silencio_hasta, d.zona, now()) = now()
$$;

create or replace function planes.recordar_por_correo()
returns void
language sql
volatile
security definer
set search_path = ''
as $$
  insert into recados.cola (canal, destino, carga, clave, caduca_en)
  select
    'correo', jsonb_build_object('a', c.direccion, 'ficha', c.ficha, 'persona', r.persona_id),
    jsonb_build_object(
      'asunto', r.palabras || ': ' || (r.plan).titulo,
      'parrafos', jsonb_build_array((r.plan).titulo, concat_ws(
        ' · ', planes.fecha_corta((r.plan).fecha), to_char((r.plan).hora, 'HH24:MI'),
        (r.plan).lugar
      )),
      'enlace', jsonb_build_object('texto', 'Ver el plan', 'ruta', '/dashboard?plan=' || (r.plan).id),
      'pie', 'Recibes este recordatorio porque lo activaste en Ajustes › Avisos.',
      'baja', 'No quiero más correos'
    ),
    'correo:' || (r.plan).id || ':' || r.persona_id || ':' || r.cual,
    r.hasta
  from planes.recordatorios_de(now()) as r
  cross join lateral planes.correo_de(r.persona_id, now()) as c
  on conflict on constraint cola_clave_key do nothing
$$;

-- What was sent within the last hours is not sent again under its new key.
update recados.cola c set clave = regexp_replace(c.clave, ':[0-9.]+$', '')
where c.clave ~ '^(recordatorio|correo):.*:[0-9.]+$'
  and not exists (
    select from recados.cola o where o.clave = regexp_replace(c.clave, ':[0-9.]+$', '')
  )
  and c.id = (
    select max(o.id) from recados.cola o
    where regexp_replace(o.clave, ':[0-9.]+$', '') = regexp_replace(c.clave, ':[0-9.]+$', '')
  );
