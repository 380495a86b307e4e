-- What happens in two tabs at once while somebody is not to be disturbed is counted twice: the second waited
-- for the first one's message, found its key taken, and was lost.

create or replace function planes.guardar_para_luego(
  aparato planes.dispositivos, carga jsonb, listo timestamptz
)
returns void
language plpgsql
volatile
security definer
set search_path = ''
as $$
declare
  suya constant text := 'silencio:' || aparato.id || ':' || extract(epoch from listo);
  lema constant text := split_part(carga ->> 'cuerpo', ' · ', 1);
begin
  -- One after the other: the next statement sees what the one before wrote.
  perform pg_advisory_xact_lock(hashtextextended(suya, 0));
  update recados.cola c
  set carga = c.carga || jsonb_build_object(
    'titulo', ((c.carga ->> 'cuantas')::integer + 1) || ' novedades'
      || coalesce(' de ' || planes.mi_nombre(), ''),
    'cuerpo', case
      when not aparato.ver_titulo then 'Ábrelo para verlo'
      when (c.carga ->> 'cuantas')::integer = 1 then split_part(c.carga ->> 'cuerpo', ' · ', 1)
        || ' · ' || lema
      when (c.carga ->> 'cuantas')::integer = 2 then (c.carga ->> 'cuerpo') || ' · ' || lema
      else c.carga ->> 'cuerpo'
    end,
    'url', '/dashboard', 'cuantas', (c.carga ->> 'cuantas')::integer + 1
  )
  where c.clave = suya and c.estado = 'espera' and c.tomado_en is null;
  if not found then
    perform planes.recado_para(
      aparato, carga || '{"cuantas": 1}', 'silencio', suya, listo, listo + interval '24 hours'
    );
  end if;
end
$$;
