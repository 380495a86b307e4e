-- Reminders of accepted plans: the evening before, and an hour before where the plan has one. They are
-- looked for each minute, in each person's zone, and are as the plan is at that moment.

create table planes.ajustes (
  persona_id uuid not null,
  zona text not null default 'Europe/Madrid',
  dia_antes boolean not null default true,
  dia_antes_a time(0) not null default '19:00',
  hora_antes boolean not null default true,
  constraint ajustes_pkey primary key (persona_id),
  constraint ajustes_persona_id_fkey foreign key (persona_id)
    references auth.users (id) on delete cascade,
  constraint ajustes_dia_antes_a_check check (dia_antes_a < '24:00')
);

comment on table planes.ajustes is 'When somebody is reminded; made with their first device.';
comment on column planes.ajustes.zona is 'Of the device that was registered last.';
comment on column planes.ajustes.dia_antes_a is 'The hour of the day before, in the zone.';

alter table planes.ajustes enable row level security;
revoke all on planes.ajustes from public, anon, authenticated;

create index actividades_fecha_idx on public.actividades (fecha) where estado = 'aceptado';

-- Reminders belong to the choice of each device.
alter table planes.dispositivos
  alter column eventos set default array[
    'propuestas', 'respuestas', 'eliminados', 'comentarios', 'recordatorios'
  ];
update planes.dispositivos set eventos = eventos || array['recordatorios']
where not eventos @> array['recordatorios'];
insert into planes.ajustes (persona_id, zona)
select distinct on (d.persona_id) d.persona_id, d.zona
from planes.dispositivos d order by d.persona_id, d.visto_en desc;

create function planes.tomar_zona()
returns trigger
language plpgsql
volatile
security definer
set search_path = ''
as $$
begin
  insert into planes.ajustes (persona_id, zona) values (new.persona_id, new.zona)
  on conflict on constraint ajustes_pkey do update set zona = excluded.zona;
  return null;
end
$$;

create trigger dispositivos_tomar_zona after insert or update of zona on planes.dispositivos
  for each row execute function planes.tomar_zona();

-- Which reminders are due at a moment, and since when: not before their time, nor two hours after it.
create function planes.recordatorios_de(ahora timestamptz)
returns table (plan public.actividades, persona_id uuid, cual text, desde timestamptz)
language sql
stable
set search_path = ''
as $$
  select a, j.persona_id, r.cual, r.desde
  from public.actividades a
  join public.profiles p on p.pareja_id = a.pareja_id
  join planes.ajustes j on j.persona_id = p.id
  cross join lateral (values
    ('dia', j.dia_antes, (a.fecha - 1 + j.dia_antes_a) at time zone j.zona),
    ('hora', j.hora_antes and a.hora is not null,
      (a.fecha + a.hora) at time zone j.zona - interval '1 hour')
  ) as r (cual, quiere, desde)
  where a.estado = 'aceptado'
    and a.fecha between (ahora at time zone 'UTC')::date - 1 and (ahora at time zone 'UTC')::date + 2
    and r.quiere and r.desde <= ahora and r.desde > ahora - interval '2 hours'
$$;

-- A reminder has one key for plan, person, kind, device and time: it is queued once, by whomever.
create function planes.recordar()
returns void
language sql
volatile
security definer
set search_path = ''
as $$
  select planes.recado_para(
    d,
    jsonb_build_object(
      'titulo', case r.cual when 'dia' then 'Mañana' else 'En una hora' end
        || case when d.ver_titulo then ': ' || (r.plan).titulo else ': un plan' end,
      'cuerpo', case when d.ver_titulo then concat_ws(
        ' · ', to_char((r.plan).hora, 'HH24:MI'), (r.plan).lugar
      ) else 'Ábrelo para verlo' end,
      'url', '/dashboard?plan=' || (r.plan).id
    ),
    (r.plan).id::text,
    'recordatorio:' || (r.plan).id || ':' || r.persona_id || ':' || r.cual || ':' || d.id
      || ':' || extract(epoch from r.desde),
    now(), r.desde + interval '2 hours'
  )
  from planes.recordatorios_de(now()) as r
  join planes.dispositivos d on d.persona_id = r.persona_id
  where 'recordatorios' = any (d.eventos)
    and planes.fin_del_silencio(d.silencio_desde, d.silencio_hasta, d.zona, now()) = now()
$$;

insert into recados.tareas (nombre, funcion, cada)
values ('recordar', 'planes.recordar()', interval '1 minute');

create function public.mis_recordatorios()
returns jsonb
language sql
stable
security definer
set search_path = ''
as $$
  select jsonb_build_object(
    'dia_antes', coalesce(j.dia_antes, true), 'dia_antes_a', coalesce(j.dia_antes_a, '19:00'),
    'hora_antes', coalesce(j.hora_antes, true)
  )
  from (select auth.uid() as yo) as y
  left join planes.ajustes j on j.persona_id = y.yo
$$;

create function public.ajustar_recordatorios(cambios jsonb)
returns void
language plpgsql
volatile
security definer
set search_path = ''
as $$
declare
  yo constant uuid := planes.yo_retenido();
  fila planes.ajustes;
begin
  if jsonb_typeof(cambios) is distinct from 'object' or exists (
    select from jsonb_object_keys(cambios) as k
    where k not in ('dia_antes', 'dia_antes_a', 'hora_antes')
  ) then
    raise exception 'Eso no se puede cambiar en los recordatorios.';
  end if;
  insert into planes.ajustes (persona_id) values (yo)
  on conflict on constraint ajustes_pkey do nothing;
  select * into fila from planes.ajustes j where j.persona_id = yo for update;
  fila := jsonb_populate_record(fila, cambios);
  update planes.ajustes j
  set dia_antes = fila.dia_antes, dia_antes_a = fila.dia_antes_a, hora_antes = fila.hora_antes
  where j.persona_id = yo;
end
$$;

comment on function public.mis_recordatorios() is
  'When the caller is reminded: {dia_antes, dia_antes_a, hora_antes}.';
comment on function public.ajustar_recordatorios(jsonb) is
  'Changes any of {dia_antes, dia_antes_a, hora_antes} of the caller''s.';

revoke execute on function public.mis_recordatorios(), public.ajustar_recordatorios(jsonb)
  from public, anon;
grant execute on function public.mis_recordatorios(), public.ajustar_recordatorios(jsonb)
  to authenticated, service_role;
revoke execute on function
  planes.tomar_zona(), planes.recordatorios_de(timestamptz), planes.recordar() from public;

create or replace function public.version_del_plan()
returns integer
language sql
stable
set search_path = ''
as $$
  select 8
$$;

comment on function public.version_del_plan() is
  'What this server has beyond the specification: 1 hours, several days and places; 2 the account; '
  '3 what is said about a plan; 4 special days; 5 ideas without a date; '
  '6 what plans really cost; 7 alerts with the app closed; 8 reminders.';
