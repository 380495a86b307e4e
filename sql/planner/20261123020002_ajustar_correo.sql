-- Who wants reminders by mail says so, with the zone of the device on which they do.

create or replace function public.ajustar_recordatorios(cambios jsonb)
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
    where k not in ('dia_antes', 'dia_antes_a', 'hora_antes', 'correo', 'zona')
  ) then
    raise exception 'Eso no se puede cambiar en los recordatorios.';
  end if;
  insert into planes.ajustes (persona_id) values (yo)
  on conflict on constraint ajustes_pkey do nothing;
  select * into fila from planes.ajustes j where j.persona_id = yo for update;
  fila := jsonb_populate_record(fila, cambios);
  update planes.ajustes j
  set dia_antes = fila.dia_antes, dia_antes_a = fila.dia_antes_a, hora_antes = fila.hora_antes,
    correo = fila.correo, zona = planes.zona_conocida(fila.zona)
  where j.persona_id = yo;
end
$$;

comment on function public.baja_correo(text) is
  'Ends the reminders by mail of whom the slip belongs to; needs no sign-in (RFC 8058).';
comment on function public.mis_recordatorios() is
  'When the caller is reminded: {dia_antes, dia_antes_a, hora_antes, correo}.';
comment on function public.ajustar_recordatorios(jsonb) is
  'Changes any of {dia_antes, dia_antes_a, hora_antes, correo, zona} of the caller''s.';

revoke execute on function public.baja_correo(text) from public;
grant execute on function public.baja_correo(text) to anon, authenticated, service_role;
revoke execute on function
  planes.correo_de(uuid, timestamptz), planes.recordar_por_correo(), planes.olvidar_correos()
  from public;

create or replace function public.version_del_plan()
returns integer
language sql
stable
set search_path = ''
as $$
  select case when to_regclass('storage.objects') is null then 8 else 10 end
$$;

comment on function public.version_del_plan() is
  'What this server has beyond the specification: 1 hours, several days and places; 2 the account; '
  '3 what is said about a plan; 4 special days; 5 ideas without a date; '
  '6 what plans really cost; 7 alerts with the app closed; 8 reminders; 9 photos; '
  '10 reminders by mail.';
