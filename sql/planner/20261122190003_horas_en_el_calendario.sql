-- The subscribed calendar tells hours, several days and places.

-- Local time without a zone, as it was typed (RFC 5545 calls it floating).
create function planes.ics_momento(dia date, hora time)
returns text
language sql
immutable
set search_path = ''
as $$
  select to_char(dia + hora, 'YYYYMMDD"T"HH24MISS')
$$;

-- As the web app's calendar file writes it (features/activities/ics.ts), held by
-- tests/golden/calendar_events.json.
create or replace function planes.ics_evento(a public.actividades)
returns text
language sql
stable
set search_path = ''
as $$
  select string_agg(
    case when octet_length(linea) <= 75 then linea || E'\r\n' else planes.ics_linea(linea) end,
    '' order by n
  )
  from unnest(array[
    'BEGIN:VEVENT',
    'UID:' || a.id || '@planes-en-pareja',
    'DTSTAMP:' || to_char(a.creado_en at time zone 'utc', 'YYYYMMDD"T"HH24MISS"Z"'),
    case
      when a.hora is null then 'DTSTART;VALUE=DATE:' || to_char(a.fecha, 'YYYYMMDD')
      else 'DTSTART:' || planes.ics_momento(a.fecha, a.hora)
    end,
    case
      when a.hora_fin is not null
        then 'DTEND:' || planes.ics_momento(coalesce(a.fecha_fin, a.fecha), a.hora_fin)
      when a.hora is not null and a.fecha_fin is null then null
      when coalesce(a.fecha_fin, a.fecha) >= '9999-12-31' then null  -- it has no day after
      when a.hora is not null then 'DTEND:' || planes.ics_momento(a.fecha_fin + 1, '00:00')
      else 'DTEND;VALUE=DATE:' || to_char(coalesce(a.fecha_fin, a.fecha) + 1, 'YYYYMMDD')
    end,
    'SUMMARY:' || planes.ics_texto(a.titulo),
    'LOCATION:' || planes.ics_texto(a.lugar),
    'DESCRIPTION:' || nullif(planes.ics_texto(concat_ws(
      E'\n',
      a.descripcion,
      -- As Spanish writes it: four digits are not grouped.
      'Presupuesto: ' || translate(
        to_char(
          a.presupuesto,
          case when a.presupuesto < 10000 then 'FM9990.00' else 'FM9,999,999,990.00' end
        ),
        ',.', '.,'
      ) || U&'\00A0€'
    )), ''),
    'STATUS:' || case a.estado
      when 'aceptado' then 'CONFIRMED' when 'rechazado' then 'CANCELLED' else 'TENTATIVE'
    end,
    'TRANSP:TRANSPARENT',
    'BEGIN:VALARM',
    'ACTION:DISPLAY',
    'DESCRIPTION:' || planes.ics_texto('Mañana: ' || a.titulo),
    'TRIGGER:-P1D',
    'END:VALARM',
    'END:VEVENT'
  ]) with ordinality as l (linea, n)
  where linea is not null
$$;

revoke execute on function planes.ics_momento(date, time) from public;
