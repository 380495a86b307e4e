-- The calendar's body: RFC 5545, a function of the secret that anybody may call. The domain named
-- */* makes the REST service hand the text out as it is, whatever a calendar program accepts; its
-- type stands in response.headers. Activities of the last twelve months and all to come.

create domain planes."*/*" as text;

-- A text value: backslash, semicolon, comma and line break escaped, other control characters gone.
create function planes.ics_texto(texto text)
returns text
language sql
immutable
as $$
  select replace(
    translate(
      replace(replace(
        replace(replace(replace(texto, '\', '\\'), ';', '\;'), ',', '\,'),
        E'\r\n', E'\n'), E'\r', E'\n'
      ),
      E'\x01\x02\x03\x04\x05\x06\x07\x08\x0b\x0c\x0e\x0f\x10\x11\x12\x13\x14\x15\x16\x17\x18\x19'
      '\x1a\x1b\x1c\x1d\x1e\x1f\x7f', ''
    ),
    E'\n', '\n'
  )
$$;

-- A content line folded at 75 octets, a character never split, with its line break. The blank that
-- begins a continuation counts.
create function planes.ics_linea(linea text)
returns text
language plpgsql
immutable
as $$
declare
  plegada text := '';
  resto text := linea;
  cabe integer := 75;
  trozo text;
begin
  while octet_length(resto) > cabe loop
    trozo := left(resto, cabe);
    while octet_length(trozo) > cabe loop  -- a character has four octets at most
      trozo := left(trozo, -((octet_length(trozo) - cabe + 3) / 4));
    end loop;
    plegada := plegada || trozo || E'\r\n ';
    resto := substr(resto, char_length(trozo) + 1);
    cabe := 74;
  end loop;
  return plegada || resto || E'\r\n';
end
$$;

-- An activity as an event of a whole day, with a reminder on the day before.
create function planes.ics_evento(a public.actividades)
returns text
language sql
stable
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
      'Presupuesto: '
        || translate(to_char(a.presupuesto, 'FM9,999,999,990.00'), ',.', '.,') || ' €'
    )), ''),
    'STATUS:' || case a.estado when 'aceptado' then 'CONFIRMED' else 'TENTATIVE' end,
    'BEGIN:VALARM',
    'ACTION:DISPLAY',
    'DESCRIPTION:' || planes.ics_texto(a.titulo),
    'TRIGGER:-P1D',
    'END:VALARM',
    'END:VEVENT'
  ]) with ordinality as l (linea, n)
  where linea is not null
$$;

create function public.calendario(secreto text)
returns planes."*/*"
language plpgsql
stable
security definer
set search_path = ''
as $$
declare
  de_quien uuid;
begin
  if calendario.secreto ~ '^[0-9a-f]{64}$' then
    select c.pareja_id into de_quien
    from public.calendarios c
    where c.huella = sha256(decode(calendario.secreto, 'hex'));
  end if;
  if de_quien is null then
    raise sqlstate 'PT404' using message = 'Esta dirección de calendario no existe o se ha revocado.';
  end if;
  perform set_config('response.headers', '[{"Content-Type": "text/calendar; charset=utf-8"}, '
    '{"Content-Disposition": "inline; filename=\"planes-en-pareja.ics\""}, '
    '{"Cache-Control": "private, no-cache"}]', true);
  return concat(
    E'BEGIN:VCALENDAR\r\nVERSION:2.0\r\nPRODID:-//Planes en Pareja//Calendario//ES\r\n',
    E'CALSCALE:GREGORIAN\r\nMETHOD:PUBLISH\r\nX-WR-CALNAME:Planes en Pareja\r\n',
    E'REFRESH-INTERVAL;VALUE=DURATION:PT1H\r\nX-PUBLISHED-TTL:PT1H\r\n',
    (
      select string_agg(planes.ics_evento(a), '' order by a.fecha, a.creado_en)
      from public.actividades a
      where a.pareja_id = de_quien and a.estado <> 'rechazado'
        and a.fecha >= current_date - interval '12 months'
    ),
    E'END:VCALENDAR\r\n'
  );
end
$$;

comment on function public.calendario(text) is
  'The couple''s activities as text/calendar, for whoever knows the secret; not the rejected ones, '
  'nor those of more than twelve months ago. SQLSTATE PT404 (status 404) for any other secret.';

revoke execute on function
  planes.ics_texto(text), planes.ics_linea(text), planes.ics_evento(public.actividades)
  from public;
revoke execute on function public.calendario(text) from public;
grant execute on function public.calendario(text) to anon, authenticated, service_role;
