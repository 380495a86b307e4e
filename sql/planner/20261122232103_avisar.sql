-- How somebody is told: in words, on each of their devices, and not in their quiet hours.

create function planes.fecha_corta(dia date)
returns text
language sql
immutable
strict
set search_path = ''
as $$
  select (array['dom', 'lun', 'mar', 'mié', 'jue', 'vie', 'sáb'])[extract(dow from dia)::integer + 1]
    || ' ' || extract(day from dia) || ' ' || (array[
      'ene', 'feb', 'mar', 'abr', 'may', 'jun', 'jul', 'ago', 'sept', 'oct', 'nov', 'dic'
    ])[extract(month from dia)::integer]
$$;

create function planes.euros(importe numeric)
returns text
language sql
immutable
strict
set search_path = ''
as $$
  select translate(to_char(importe, 'FM9,999,999,990.00'), ',.', '.,') || U&'\00A0€'
$$;

create function planes.plan_en_breve(a public.actividades)
returns text
language sql
immutable
set search_path = ''
as $$
  select concat_ws(
    ' · ', a.titulo, planes.fecha_corta(a.fecha), to_char(a.hora, 'HH24:MI'),
    planes.euros(a.presupuesto)
  )
$$;

-- The end of the quiet hours that run; now where none do. Of the clock in that zone, whatever the
-- change of clocks does to their length.
create function planes.fin_del_silencio(desde time, hasta time, zona text, ahora timestamptz)
returns timestamptz
language plpgsql
stable
set search_path = ''
as $$
declare
  aqui constant timestamp := ahora at time zone zona;
  dia constant date := aqui::date;
begin
  if desde is null or hasta is null or desde = hasta then
    return ahora;
  elsif desde < hasta then
    return case
      when aqui::time >= desde and aqui::time < hasta then (dia + hasta) at time zone zona
      else ahora
    end;
  end if;
  return case
    when aqui::time >= desde then (dia + 1 + hasta) at time zone zona
    when aqui::time < hasta then (dia + hasta) at time zone zona
    else ahora
  end;
end
$$;

-- The other of the caller's couple, who is told; null without one, and where nobody called.
create function planes.a_quien_avisar()
returns uuid
language sql
stable
security definer
set search_path = ''
as $$
  select otra.id
  from public.profiles yo
  join public.profiles otra on otra.pareja_id = yo.pareja_id and otra.id <> yo.id
  where yo.id = auth.uid()
$$;

create function planes.mi_nombre()
returns text
language sql
stable
security definer
set search_path = ''
as $$
  select p.nombre from public.profiles p where p.id = auth.uid()
$$;

-- Tells a person on each device that wants to hear of it. What comes in quiet hours is one message
-- at their end.
create function planes.avisar(
  persona uuid, evento text, titulo text, cuerpo text, plan uuid, oculto text default null
)
returns void
language plpgsql
volatile
security definer
set search_path = ''
as $$
declare
  aparato planes.dispositivos;
  listo timestamptz;
  carga jsonb;
  lema text;
begin
  for aparato in
    select d.* from planes.dispositivos d
    where d.persona_id = persona and (evento is null or evento = any (d.eventos))
    order by d.id
  loop
    listo := planes.fin_del_silencio(
      aparato.silencio_desde, aparato.silencio_hasta, aparato.zona, now()
    );
    lema := case when aparato.ver_titulo then cuerpo else 'Ábrelo para verlo' end;
    carga := jsonb_build_object(
      'titulo', case when aparato.ver_titulo then titulo else coalesce(oculto, titulo) end,
      'cuerpo', left(lema, 500),
      'url', case when plan is null then '/dashboard' else '/dashboard?plan=' || plan end
    );
    if listo <= now() then
      perform planes.recado_para(
        aparato, carga, coalesce(plan::text, 'planes'), null, now(), now() + interval '24 hours'
      );
    else
      perform planes.guardar_para_luego(aparato, carga, listo);
    end if;
  end loop;
end
$$;

create function planes.guardar_para_luego(
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

revoke execute on function
  planes.fecha_corta(date), planes.euros(numeric), planes.plan_en_breve(public.actividades),
  planes.fin_del_silencio(time, time, text, timestamptz), planes.a_quien_avisar(),
  planes.mi_nombre(), planes.avisar(uuid, text, text, text, uuid, text),
  planes.guardar_para_luego(planes.dispositivos, jsonb, timestamptz)
  from public;
