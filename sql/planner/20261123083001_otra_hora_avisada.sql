-- Another hour of the same day is told as that: «del dom 22 nov al dom 22 nov» says nothing.

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
  if found and antes.fecha = fila.fecha then
    perform planes.avisar(
      otra, 'propuestas', yo || ' propone otra hora',
      fila.titulo || ' · ' || planes.fecha_corta(fila.fecha) || ' · '
        || coalesce(to_char(fila.hora, 'HH24:MI'), 'sin hora'),
      fila.id
    );
  elsif found then
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
