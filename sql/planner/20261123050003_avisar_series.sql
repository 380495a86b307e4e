-- What happens to a series is told once.

create or replace function planes.avisar_propuestas()
returns trigger
language plpgsql
volatile
security definer
set search_path = ''
as $$
declare
  otra constant uuid := planes.a_quien_avisar();
  yo constant text := planes.mi_nombre();
  cuantas constant bigint := (select count(*) from nuevas);
  fila public.actividades;
  antes public.actividades;
begin
  if otra is null or coalesce(current_setting('planes.recuperando', true), '') = '1' then
    return null;
  end if;
  select * into fila from nuevas order by fecha limit 1;
  if fila.creador_id is distinct from auth.uid() then
    return null;
  elsif fila.serie_id is not null then
    perform planes.avisar(
      otra, 'propuestas', yo || ' propone un plan que se repite',
      planes.serie_en_breve(fila.titulo, cuantas, fila.fecha), fila.id
    );
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

create or replace function planes.avisar_cambio()
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
  if otra is null or planes.sin_contar_cada_una(new.serie_id) then
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

create or replace function planes.avisar_borrado()
returns trigger
language plpgsql
volatile
security definer
set search_path = ''
as $$
begin
  -- What goes with an account is told by the account's going.
  if not planes.sin_contar_cada_una(old.serie_id)
    and exists (select from auth.users u where u.id = old.creador_id)
  then
    perform planes.avisar(
      planes.a_quien_avisar(), 'eliminados',
      planes.mi_nombre() || ' ha eliminado un plan aceptado', planes.plan_en_breve(old), null
    );
  end if;
  return null;
end
$$;
