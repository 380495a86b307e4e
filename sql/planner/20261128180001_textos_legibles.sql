-- What people write is text that shows itself: no control characters but the line breaks of long fields, no
-- signs that turn the text around it, and a title or a name has something to see. Other tables had the first
-- of these rules; titles, descriptions and names of before are mended here.

-- Spaces in place of what no text has: control characters, and what embeds, overrides or isolates a direction.
create function planes.legible(texto text, con_renglones boolean default false)
returns text
language sql
immutable
parallel safe
set search_path = ''
as $$
  select case
    when con_renglones then regexp_replace(
      texto, U&'[\0001-\0009\000B\000C\000E-\001F\007F-\009F\202A-\202E\2066-\2069]', ' ', 'g'
    )
    else regexp_replace(texto, U&'[\0001-\001F\007F-\009F\2028-\202E\2066-\2069]', ' ', 'g')
  end
$$;

-- Whether anything of it is seen: more than blanks, joiners, fillers, marks of direction and variants.
create function planes.se_ve(texto text)
returns boolean
language sql
immutable
parallel safe
set search_path = ''
as $$
  select texto ~ (U&'[^\0001-\0020\007F-\00A0\00AD\034F\061C\115F\1160\1680\17B4\17B5\180B-\180F\2000-\200F'
    || U&'\2028-\202F\205F-\206F\2800\3000\3164\FE00-\FE0F\FEFF\FFA0\FFF0-\FFFB\+0E0000-\+0E0FFF]')
$$;

revoke execute on function planes.legible(text, boolean), planes.se_ve(text) from public;
grant execute on function planes.legible(text, boolean), planes.se_ve(text)
  to authenticated, service_role;

-- A sign-up never fails for its name: what cannot be seen is none.
create or replace function planes.nombre_inicial(datos jsonb, correo text)
returns text
language sql
immutable
set search_path = ''
as $$
  select left(candidato, 60)
  from (
    select planes.recortado(left(planes.recortado(
      regexp_replace(crudo, U&'[\0001-\001F\007F-\009F\2028-\202E\2066-\2069]+', ' ', 'g')
    ), 60)) as candidato
    from unnest(array[
      case when jsonb_typeof(datos -> 'nombre') = 'string' then datos ->> 'nombre' end,
      split_part(correo, '@', 1),
      'Sin nombre'
    ]) with ordinality as c (crudo, n)
    order by n
  ) as limpios
  where planes.se_ve(candidato)
  limit 1
$$;

-- What is there already. `nada` takes the place of a text of which nothing would be seen.
create function pg_temp.mendado(texto text, nada text, con_renglones boolean default false)
returns text
language sql
immutable
as $$
  select case when planes.se_ve(limpio) then limpio else nada end
  from (select planes.legible(texto, con_renglones) as limpio) as l
$$;

create function pg_temp.plan_mendado(plan jsonb)
returns jsonb
language sql
immutable
as $$
  select plan || jsonb_build_object(
    'titulo', pg_temp.mendado(plan ->> 'titulo', 'Sin título'),
    'descripcion', pg_temp.mendado(plan ->> 'descripcion', null, true),
    'lugar', pg_temp.mendado(plan ->> 'lugar', null)
  )
$$;

create function pg_temp.dicho_mendado(dicho jsonb)
returns jsonb
language sql
immutable
as $$
  select dicho || jsonb_build_object('texto', pg_temp.mendado(dicho ->> 'texto', '…', true))
$$;

update public.profiles p set nombre = pg_temp.mendado(p.nombre, 'Sin nombre')
where p.nombre <> pg_temp.mendado(p.nombre, 'Sin nombre');

update public.actividades a
set titulo = n.titulo, descripcion = n.descripcion, lugar = n.lugar
from public.actividades o
cross join lateral jsonb_to_record(pg_temp.plan_mendado(to_jsonb(o)))
  as n (titulo text, descripcion text, lugar text)
where a.id = o.id
  and (a.titulo, a.descripcion, a.lugar) is distinct from (n.titulo, n.descripcion, n.lugar);

update public.comentarios c set texto = pg_temp.mendado(c.texto, '…', true)
where c.texto <> pg_temp.mendado(c.texto, '…', true);

update public.ideas i
set titulo = pg_temp.mendado(i.titulo, 'Sin título'), nota = pg_temp.mendado(i.nota, null, true)
where (i.titulo, i.nota)
  is distinct from (pg_temp.mendado(i.titulo, 'Sin título'), pg_temp.mendado(i.nota, null, true));

update public.fechas_especiales f set titulo = pg_temp.mendado(f.titulo, 'Sin título')
where f.titulo <> pg_temp.mendado(f.titulo, 'Sin título');

update public.recuerdos r set texto = pg_temp.mendado(r.texto, null)
where r.texto is distinct from pg_temp.mendado(r.texto, null);

update planes.dispositivos d set nombre = pg_temp.mendado(d.nombre, 'Navegador')
where d.nombre <> pg_temp.mendado(d.nombre, 'Navegador');

-- What comes back must find the new rules kept.
update planes.papelera p
set plan = pg_temp.plan_mendado(p.plan), comentarios = coalesce((
  select jsonb_agg(pg_temp.dicho_mendado(c.value) order by c.ordinality)
  from jsonb_array_elements(p.comentarios) with ordinality as c
), '[]');

update planes.comentarios_borrados b set comentario = pg_temp.dicho_mendado(b.comentario);

update planes.recuerdos_borrados b
set fila = b.fila || jsonb_build_object('texto', pg_temp.mendado(b.fila ->> 'texto', null));
