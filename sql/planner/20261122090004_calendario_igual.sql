-- The subscribed calendar's events as the web app's calendar file writes them (features/activities/ics.ts):
-- whoever has both sees each plan once. tests/golden/calendar_events.json holds both to the letter.

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
    'DTSTART;VALUE=DATE:' || to_char(a.fecha, 'YYYYMMDD'),
    case when a.fecha < '9999-12-31' then  -- the day after, which that day has not
      'DTEND;VALUE=DATE:' || to_char(a.fecha + 1, 'YYYYMMDD')
    end,
    'SUMMARY:' || planes.ics_texto(a.titulo),
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
