-- What is told to the partner, in the transaction of what happened and never to who did it.

-- One proposal, or several made in one statement, which are told as one.
create function planes.avisar_propuestas()
returns trigger
language plpgsql
volatile
security definer
set search_path = ''
as $$
declare
  otra constant uuid := planes.a_quien_avisar();
  yo constant text := planes.mi_nombre();
  cuantas constant integer := (select count(*) from nuevas);
  fila public.actividades;
  antes public.actividades;
begin
  if otra is null or coalesce(current_setting('planes.recuperando', true), '') = '1' then
    return null;
  elsif cuantas > 1 then
    perform planes.avisar(
      otra, 'propuestas', yo || ' propone ' || cuantas || ' planes',
      (select string_agg(t.titulo, ' · ') from (
        select n.titulo from nuevas n order by n.fecha, n.hora, n.titulo limit 3
      ) as t),
      null
    );
    return null;
  end if;
  select * into fila from nuevas;
  if fila.creador_id is distinct from auth.uid() then
    return null;
  end if;
  select * into antes from public.actividades a where a.id = fila.origen_id;
  if found then
    perform planes.avisar(
      otra, 'propuestas', yo || ' propone otra fecha',
      fila.titulo || ': del ' || planes.fecha_corta(antes.fecha) || ' al '
        || planes.fecha_corta(fila.fecha),
      fila.id
    );
  elsif fila.id is not null then
    perform planes.avisar(
      otra, 'propuestas', yo || ' propone un plan', planes.plan_en_breve(fila), fila.id
    );
  end if;
  return null;
end
$$;

create trigger actividades_avisar_propuestas after insert on public.actividades
  referencing new table as nuevas
  for each statement execute function planes.avisar_propuestas();

create function planes.avisar_cambio()
returns trigger
language plpgsql
volatile
security definer
set search_path = ''
as $$
declare
  otra constant uuid := planes.a_quien_avisar();
  yo constant text := planes.mi_nombre();
begin
  if otra is null then
    return null;
  elsif new.revision <> old.revision and new.creador_id <> otra then
    perform planes.avisar(
      otra, 'respuestas', yo || ' ha cambiado su propuesta', planes.plan_en_breve(new), new.id
    );
  elsif old.estado = 'pendiente' and new.estado <> 'pendiente' and new.creador_id = otra
    -- Another date is told by itself.
    and not exists (
      select from public.actividades a where a.origen_id = new.id and a.creado_en = now()
    )
  then
    perform planes.avisar(
      otra, 'respuestas',
      yo || case new.estado when 'aceptado' then ' ha aceptado' else ' ha rechazado' end,
      planes.plan_en_breve(new), new.id
    );
  end if;
  return null;
end
$$;

-- At the end of the transaction, when it is known whether a rejection came with another date.
create constraint trigger actividades_avisar_cambio_check after update on public.actividades
  deferrable initially deferred
  for each row when (old.estado <> new.estado or old.revision <> new.revision)
  execute function planes.avisar_cambio();

create function planes.avisar_borrado()
returns trigger
language plpgsql
volatile
security definer
set search_path = ''
as $$
begin
  -- What goes with an account is told by the account's going.
  if exists (select from auth.users u where u.id = old.creador_id) then
    perform planes.avisar(
      planes.a_quien_avisar(), 'eliminados',
      planes.mi_nombre() || ' ha eliminado un plan aceptado', planes.plan_en_breve(old), null
    );
  end if;
  return null;
end
$$;

create trigger actividades_avisar_borrado after delete on public.actividades
  for each row when (old.estado = 'aceptado') execute function planes.avisar_borrado();

create function planes.avisar_comentario()
returns trigger
language plpgsql
volatile
security definer
set search_path = ''
as $$
begin
  perform planes.avisar(
    planes.a_quien_avisar(), 'comentarios',
    planes.mi_nombre() || ' comenta: ' || left(a.titulo, 120), left(new.texto, 120), a.id,
    planes.mi_nombre() || ' comenta'
  )
  from public.actividades a where a.id = new.actividad_id and new.autor_id = auth.uid();
  return null;
end
$$;

create trigger comentarios_avisar after insert on public.comentarios
  for each row when (coalesce(current_setting('planes.recuperando', true), '') <> '1')
  execute function planes.avisar_comentario();

-- Whoever accepts or parts changes both profiles: the other's is told.
create function planes.avisar_pareja()
returns trigger
language plpgsql
volatile
security definer
set search_path = ''
as $$
begin
  if new.id <> auth.uid() and planes.mi_nombre() is not null then
    perform planes.avisar(
      new.id, null,
      case when new.pareja_id is null then planes.mi_nombre() || ' ha dejado de compartir el calendario'
        else 'Ya planeas con ' || planes.mi_nombre() end,
      'Ábrelo para verlo', null
    );
  end if;
  return null;
end
$$;

create trigger profiles_avisar_pareja after update of pareja_id on public.profiles
  for each row when (old.pareja_id is distinct from new.pareja_id)
  execute function planes.avisar_pareja();

revoke execute on function
  planes.avisar_propuestas(), planes.avisar_cambio(), planes.avisar_borrado(),
  planes.avisar_comentario(), planes.avisar_pareja()
  from public;

create or replace function public.version_del_plan()
returns integer
language sql
stable
set search_path = ''
as $$
  select 7
$$;

comment on function public.version_del_plan() is
  'What this server has beyond the specification: 1 hours, several days and places; 2 the account; '
  '3 what is said about a plan; 4 special days; 5 ideas without a date; '
  '6 what plans really cost; 7 alerts with the app closed.';
