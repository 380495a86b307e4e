-- The devices on which somebody wants to be told, each with its own choice of what, when and how much
-- of it is shown. They are reached by functions alone.

create table planes.dispositivos (
  id uuid not null default gen_random_uuid(),
  persona_id uuid not null,
  endpoint text not null,
  p256dh text not null,
  auth text not null,
  nombre text not null,
  zona text not null default 'Europe/Madrid',
  silencio_desde time(0) default '22:30',
  silencio_hasta time(0) default '08:30',
  eventos text[] not null default array[
    'propuestas', 'respuestas', 'eliminados', 'comentarios'
  ],
  ver_titulo boolean not null default true,
  visto_en timestamptz not null default now(),
  fallos smallint not null default 0,
  constraint dispositivos_pkey primary key (id),
  constraint dispositivos_endpoint_key unique (endpoint),
  constraint dispositivos_persona_id_fkey foreign key (persona_id)
    references auth.users (id) on delete cascade,
  constraint dispositivos_endpoint_check check (
    endpoint ~ '^https://[!-~]+$' and char_length(endpoint) <= 1000
  ),
  constraint dispositivos_p256dh_check check (p256dh ~ '^[A-Za-z0-9_-]{87}=?$'),
  constraint dispositivos_auth_check check (auth ~ '^[A-Za-z0-9_-]{22}(==)?$'),
  constraint dispositivos_nombre_check check (
    char_length(planes.recortado(nombre)) between 1 and 60 and char_length(nombre) <= 240
    and nombre !~ U&'[\0001-\001F\007F-\009F]'
  ),
  constraint dispositivos_silencio_check check (
    (silencio_desde is null) = (silencio_hasta is null)
  ),
  constraint dispositivos_eventos_check check (
    eventos <@ array['propuestas', 'respuestas', 'eliminados', 'comentarios', 'recordatorios']
    and cardinality(eventos) <= 5
  )
);

create index dispositivos_persona_id_idx on planes.dispositivos (persona_id, visto_en);

comment on table planes.dispositivos is 'Where to tell somebody of what happens, ten a person.';
comment on column planes.dispositivos.endpoint is 'Of the Push API: whoever has it can send there.';
comment on column planes.dispositivos.silencio_desde is
  'From when on nothing is told, in the zone; null for never.';
comment on column planes.dispositivos.ver_titulo is 'Whether a message names its plan.';
comment on column planes.dispositivos.fallos is 'Messages in a row that did not arrive; 5 end it.';

alter table planes.dispositivos enable row level security;
revoke all on planes.dispositivos from public, anon, authenticated;

-- What waits for a device, and what was sent to it, goes with it.
create function planes.olvidar_recados()
returns trigger
language plpgsql
volatile
security definer
set search_path = ''
as $$
begin
  delete from recados.cola c where c.destino ->> 'dispositivo' = old.id::text;
  return null;
end
$$;

create trigger dispositivos_olvidar_recados after delete on planes.dispositivos
  for each row execute function planes.olvidar_recados();

-- A device that is no more, or does not take anything any more.
create function planes.anotar_entrega()
returns trigger
language plpgsql
volatile
security definer
set search_path = ''
as $$
declare
  cual constant uuid := (new.destino ->> 'dispositivo')::uuid;
begin
  if new.estado = 'hecho' then
    update planes.dispositivos d set fallos = 0 where d.id = cual and d.fallos > 0;
  elsif new.fallo in ('404', '410') then
    delete from planes.dispositivos d where d.id = cual;
  elsif new.fallo not in ('expired', 'interrupted') then
    update planes.dispositivos d set fallos = d.fallos + 1 where d.id = cual;
    delete from planes.dispositivos d where d.id = cual and d.fallos >= 5;
  end if;
  return null;
end
$$;

create trigger cola_anotar_entrega after update of estado on recados.cola
  for each row when (new.canal = 'push' and new.destino ? 'dispositivo' and new.estado <> 'espera')
  execute function planes.anotar_entrega();

create function public.registrar_dispositivo(
  endpoint text, p256dh text, auth text, nombre text, zona text default null
)
returns jsonb
language plpgsql
volatile
security definer
set search_path = ''
as $$
declare
  yo constant uuid := planes.yo_retenido();
  suya constant text := planes.zona_conocida(registrar_dispositivo.zona);
  cual uuid;
begin
  perform pg_advisory_xact_lock(hashtextextended('dispositivos ' || yo, 0));
  -- Whoever signs in at a browser has its alerts: what another person chose there goes with them.
  delete from planes.dispositivos d
  where d.endpoint = registrar_dispositivo.endpoint and d.persona_id <> yo
    and d.p256dh = registrar_dispositivo.p256dh and d.auth = registrar_dispositivo.auth;
  insert into planes.dispositivos as d (persona_id, endpoint, p256dh, auth, nombre, zona)
  values (
    yo, registrar_dispositivo.endpoint, registrar_dispositivo.p256dh, registrar_dispositivo.auth,
    registrar_dispositivo.nombre, suya
  )
  on conflict on constraint dispositivos_endpoint_key do update
  set nombre = excluded.nombre, zona = excluded.zona, visto_en = now(), fallos = 0
  where d.persona_id = yo and d.p256dh = excluded.p256dh and d.auth = excluded.auth
  returning d.id into cual;
  if cual is null then
    raise exception 'Este dispositivo no se puede registrar. Quítalo y vuelve a activarlo.';
  end if;
  delete from planes.dispositivos d
  where d.persona_id = yo and d.id in (
    select o.id from planes.dispositivos o where o.persona_id = yo
    order by o.visto_en desc, o.id = cual desc offset 10
  );
  return jsonb_build_object('id', cual);
end
$$;

create function planes.zona_conocida(zona text)
returns text
language plpgsql
stable
set search_path = ''
as $$
begin
  perform now() at time zone zona;
  return case when char_length(zona) <= 60 then zona else 'Europe/Madrid' end;
exception when invalid_parameter_value then
  return 'Europe/Madrid';
end
$$;

comment on function public.registrar_dispositivo(text, text, text, text, text) is
  'Tells the caller on this device from now on: {id}. Ten a person, the oldest goes.';
revoke execute on function public.registrar_dispositivo(text, text, text, text, text)
  from public, anon;
grant execute on function public.registrar_dispositivo(text, text, text, text, text)
  to authenticated, service_role;
revoke execute on function
  planes.olvidar_recados(), planes.anotar_entrega(), planes.zona_conocida(text) from public;
