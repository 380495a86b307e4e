-- Reminders by mail, for whoever asks for them: through the queue, in the person's own language and
-- zone, never in their quiet hours, and ended by one press in any mail program (RFC 8058).

alter table recados.cola drop constraint cola_canal_check;
alter table recados.cola add constraint cola_canal_check check (canal in ('push', 'correo'));

comment on column recados.cola.canal is
  'push: a message of the Push API (RFC 8030); correo: a mail.';
comment on column recados.cola.destino is
  'push: {endpoint, p256dh, auth} of the subscription, and the {topic} that a later one replaces; '
  'correo: {a}, the address, and {ficha}, with which rpc baja_correo ends such mails.';
comment on column recados.cola.carga is
  'push: what the service worker is given, at most 3 KB; correo: {asunto, parrafos, enlace: {texto, '
  'ruta}, pie, baja}, plain texts.';

alter table planes.ajustes
  add column correo boolean not null default false,
  add column ficha text not null
    default replace(gen_random_uuid()::text || gen_random_uuid()::text, '-', ''),
  add constraint ajustes_ficha_key unique (ficha);

comment on column planes.ajustes.correo is 'Whether reminders come by mail too.';
comment on column planes.ajustes.ficha is 'Whoever has it may end the mails, and nothing else.';

-- Mails are as silent as the device that was seen last, or as a new one would be.
create function planes.correo_de(persona uuid, ahora timestamptz)
returns table (direccion text, ficha text)
language sql
stable
security definer
set search_path = ''
as $$
  select u.email, j.ficha
  from planes.ajustes j
  join auth.users u on u.id = j.persona_id
  left join lateral (
    select d.silencio_desde, d.silencio_hasta from planes.dispositivos d
    where d.persona_id = j.persona_id order by d.visto_en desc, d.id limit 1
  ) as ultimo on true
  where j.persona_id = persona and j.correo and u.email_confirmed_at is not null
    and coalesce(u.email, '') <> '' and (u.banned_until is null or u.banned_until < ahora)
    and planes.fin_del_silencio(
      case when exists (select from planes.dispositivos d where d.persona_id = persona)
        then ultimo.silencio_desde else '22:30' end,
      case when exists (select from planes.dispositivos d where d.persona_id = persona)
        then ultimo.silencio_hasta else '08:30' end,
      j.zona, ahora
    ) = ahora
$$;

-- One mail has one key for plan, person, kind and time: it is queued once, by whomever.
create function planes.recordar_por_correo()
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
      'asunto', case r.cual when 'dia' then 'Mañana: ' else 'En una hora: ' end || (r.plan).titulo,
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
    r.desde + interval '2 hours'
  from planes.recordatorios_de(now()) as r
  cross join lateral planes.correo_de(r.persona_id, now()) as c
  on conflict on constraint cola_clave_key do nothing
$$;

insert into recados.tareas (nombre, funcion, cada)
values ('recordar_por_correo', 'planes.recordar_por_correo()', interval '1 minute');

-- What waits is not sent to somebody who has left or wants no more.
create function planes.olvidar_correos()
returns trigger
language plpgsql
volatile
security definer
set search_path = ''
as $$
begin
  delete from recados.cola c
  where c.canal = 'correo' and c.estado = 'espera' and c.destino ->> 'persona' = old.persona_id::text;
  return null;
end
$$;

create trigger ajustes_olvidar_correos after delete on planes.ajustes
  for each row execute function planes.olvidar_correos();
create trigger ajustes_sin_correos after update of correo on planes.ajustes
  for each row when (old.correo and not new.correo) execute function planes.olvidar_correos();

-- For anybody: the slip is all that it takes. Whatever it is, the answer is the same.
create function public.baja_correo(ficha text)
returns void
language sql
volatile
security definer
set search_path = ''
as $$
  update planes.ajustes j set correo = false
  where j.ficha = baja_correo.ficha and j.correo
$$;

create or replace function public.mis_recordatorios()
returns jsonb
language sql
stable
security definer
set search_path = ''
as $$
  select jsonb_build_object(
    'dia_antes', coalesce(j.dia_antes, true), 'dia_antes_a', coalesce(j.dia_antes_a, '19:00'),
    'hora_antes', coalesce(j.hora_antes, true), 'correo', coalesce(j.correo, false)
  )
  from (select auth.uid() as yo) as y
  left join planes.ajustes j on j.persona_id = y.yo
$$;
