-- A reminder is true whenever it comes: «Mañana» ends with its day, and nothing is announced that has
-- begun. What was accepted, or is sent, less than an hour before says how much time is left.

drop function planes.recordatorios_de(timestamptz);

-- Which reminders are due at a moment, since when, and how long they are true: two hours at most.
create function planes.recordatorios_de(ahora timestamptz)
returns table (
  plan public.actividades, persona_id uuid, cual text, desde timestamptz, hasta timestamptz,
  palabras text
)
language sql
stable
set search_path = ''
as $$
  select a, j.persona_id, r.cual, r.desde, t.hasta,
    case
      when r.cual = 'dia' then 'Mañana'
      when r.fin - ahora > interval '50 minutes' then 'En una hora'
      when r.fin - ahora < interval '90 seconds' then 'En un minuto'
      else 'En ' || round(extract(epoch from r.fin - ahora) / 60) || ' minutos'
    end
  from public.actividades a
  join public.profiles p on p.pareja_id = a.pareja_id
  join planes.ajustes j on j.persona_id = p.id
  cross join lateral (values
    ('dia', j.dia_antes, (a.fecha - 1 + j.dia_antes_a) at time zone j.zona,
      a.fecha::timestamp at time zone j.zona),
    ('hora', j.hora_antes and a.hora is not null,
      (a.fecha + a.hora) at time zone j.zona - interval '1 hour',
      (a.fecha + a.hora) at time zone j.zona)
  ) as r (cual, quiere, desde, fin)
  cross join lateral (select least(r.desde + interval '2 hours', r.fin)) as t (hasta)
  where a.estado = 'aceptado'
    and a.fecha between (ahora at time zone 'UTC')::date - 1 and (ahora at time zone 'UTC')::date + 2
    and r.quiere and r.desde <= ahora and t.hasta > ahora
$$;

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
    'recordatorio:' || (r.plan).id || ':' || r.persona_id || ':' || r.cual || ':' || d.id
      || ':' || extract(epoch from r.desde),
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
    'correo:' || (r.plan).id || ':' || r.persona_id || ':' || r.cual || ':'
      || extract(epoch from r.desde),
    r.hasta
  from planes.recordatorios_de(now()) as r
  cross join lateral planes.correo_de(r.persona_id, now()) as c
  on conflict on constraint cola_clave_key do nothing
$$;

revoke execute on function planes.recordatorios_de(timestamptz) from public;
