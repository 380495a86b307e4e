-- PostGIS's types and commonest functions without its library: a value is kept as the text that was
-- given (WKT, EWKT, GeoJSON, hexadecimal WKB). Distances of geographies are the spheroid's, between
-- points; polygons answer whether they hold a point. An index on them is never used. What is not here
-- is refused by name, or has no function.

-- It runs as superuser: a function of whoever creates it, in the schema that they name, is not found.
set local search_path to pg_catalog, pg_temp;

create type @extschema@.geometry;
create type @extschema@.geography;

create function @extschema@._typmod_in(words cstring[]) returns integer
language sql immutable strict parallel safe
as $$
  select case
    when words[1]::text ~ '^\d+$' then words[1]::text::integer  -- as dumps say it
    else coalesce(words[2]::text::integer, 0) * 16 + coalesce(array_position(
      array['POINT', 'LINESTRING', 'POLYGON', 'MULTIPOINT', 'MULTILINESTRING', 'MULTIPOLYGON',
        'GEOMETRYCOLLECTION'],
      regexp_replace(upper(words[1]::text), 'Z?M?$', '')
    ), 0)
  end
$$;

create function @extschema@.geometry_in(cstring) returns @extschema@.geometry
language internal immutable strict parallel safe as 'textin';
create function @extschema@.geometry_out(@extschema@.geometry) returns cstring
language internal immutable strict parallel safe as 'textout';
create function @extschema@.geometry_recv(internal) returns @extschema@.geometry
language internal immutable strict parallel safe as 'textrecv';
create function @extschema@.geometry_send(@extschema@.geometry) returns bytea
language internal immutable strict parallel safe as 'textsend';
create function @extschema@.geography_in(cstring) returns @extschema@.geography
language internal immutable strict parallel safe as 'textin';
create function @extschema@.geography_out(@extschema@.geography) returns cstring
language internal immutable strict parallel safe as 'textout';
create function @extschema@.geography_recv(internal) returns @extschema@.geography
language internal immutable strict parallel safe as 'textrecv';
create function @extschema@.geography_send(@extschema@.geography) returns bytea
language internal immutable strict parallel safe as 'textsend';

create type @extschema@.geometry (
  input = @extschema@.geometry_in, output = @extschema@.geometry_out,
  receive = @extschema@.geometry_recv, send = @extschema@.geometry_send,
  typmod_in = @extschema@._typmod_in, internallength = variable, alignment = int4,
  storage = extended
);
create type @extschema@.geography (
  input = @extschema@.geography_in, output = @extschema@.geography_out,
  receive = @extschema@.geography_recv, send = @extschema@.geography_send,
  typmod_in = @extschema@._typmod_in, internallength = variable, alignment = int4,
  storage = extended
);

create cast (text as @extschema@.geometry) without function as implicit;
create cast (@extschema@.geometry as text) without function as implicit;
create cast (text as @extschema@.geography) without function as assignment;
create cast (@extschema@.geography as text) without function as assignment;
create cast (@extschema@.geometry as @extschema@.geography) without function as implicit;
create cast (@extschema@.geography as @extschema@.geometry) without function;

-- Equality and order, so that rows can be sorted and told apart; and indexes that nothing looks into.
do $operators$
declare
  kind text;
  op record;
begin
  execute $x$create type @extschema@.geometry_key$x$;
  execute $x$create function @extschema@.geometry_key_in(cstring) returns @extschema@.geometry_key
    language c strict as '$libdir/pg_trgm', 'gtrgm_in'$x$;
  execute $x$create function @extschema@.geometry_key_out(@extschema@.geometry_key) returns cstring
    language c strict as '$libdir/pg_trgm', 'gtrgm_out'$x$;
  execute $x$create type @extschema@.geometry_key (
    input = @extschema@.geometry_key_in, output = @extschema@.geometry_key_out,
    internallength = variable)$x$;
  foreach kind in array array['geometry', 'geography'] loop
    for op in select * from (values
      ('<', 'bytealt', 'scalarltsel'), ('<=', 'byteale', 'scalarlesel'),
      ('=', 'byteaeq', 'eqsel'), ('>=', 'byteage', 'scalargesel'),
      ('>', 'byteagt', 'scalargtsel')
    ) as o (name, function, selectivity) loop
      execute format(
        'create function @extschema@.%1$I(@extschema@.%2$I, @extschema@.%2$I) returns boolean'
        ' language internal immutable strict parallel safe as %3$L',
        kind || '_' || op.function, kind, op.function
      );
      execute format(
        'create operator @extschema@.%1$s (leftarg = @extschema@.%2$I, rightarg = @extschema@.%2$I,'
        ' function = @extschema@.%3$I, restrict = %4$s)',
        op.name, kind, kind || '_' || op.function, op.selectivity
      );
    end loop;
    execute format(
      'create function @extschema@.%1$I(@extschema@.%2$I, @extschema@.%2$I) returns integer'
      ' language internal immutable strict parallel safe as ''byteacmp''', kind || '_cmp', kind
    );
    execute format(
      'create operator class @extschema@.%1$I default for type @extschema@.%2$I using btree as'
      ' operator 1 @extschema@.<, operator 2 @extschema@.<=, operator 3 @extschema@.=,'
      ' operator 4 @extschema@.>=, operator 5 @extschema@.>,'
      ' function 1 @extschema@.%3$I(@extschema@.%2$I, @extschema@.%2$I)',
      'btree_' || kind || '_ops', kind, kind || '_cmp'
    );
    execute format(
      'create function @extschema@.%1$I(internal, @extschema@.%2$I, smallint, oid, internal)'
      ' returns boolean language c strict as ''$libdir/pg_trgm'', ''gtrgm_consistent''',
      kind || '_consistent', kind
    );
  end loop;
  for op in select * from (values
    ('union', 'internal, internal', '@extschema@.geometry_key'), ('compress', 'internal', 'internal'),
    ('decompress', 'internal', 'internal'), ('penalty', 'internal, internal, internal', 'internal'),
    ('picksplit', 'internal, internal', 'internal'),
    ('same', '@extschema@.geometry_key, @extschema@.geometry_key, internal', 'internal')
  ) as o (name, arguments, returns) loop
    execute format(
      'create function @extschema@.%I(%s) returns %s language c strict as ''$libdir/pg_trgm'', %L',
      'geometry_key_' || op.name, op.arguments, op.returns, 'gtrgm_' || op.name
    );
  end loop;
  for op in select * from (values
    ('gist_geometry_ops_2d', 'geometry', 'default'), ('gist_geography_ops', 'geography', 'default'),
    ('gist_geometry_ops_nd', 'geometry', '')
  ) as o (name, kind, is_default) loop
    execute format(
      'create operator class @extschema@.%1$I %2$s for type @extschema@.%3$I using gist as'
      ' function 1 @extschema@.%4$I(internal, @extschema@.%3$I, smallint, oid, internal),'
      ' function 2 @extschema@.geometry_key_union(internal, internal),'
      ' function 3 @extschema@.geometry_key_compress(internal),'
      ' function 4 @extschema@.geometry_key_decompress(internal),'
      ' function 5 @extschema@.geometry_key_penalty(internal, internal, internal),'
      ' function 6 @extschema@.geometry_key_picksplit(internal, internal),'
      ' function 7 @extschema@.geometry_key_same(@extschema@.geometry_key, @extschema@.geometry_key, internal),'
      ' storage @extschema@.geometry_key',
      op.name, op.is_default, op.kind, op.kind || '_consistent'
    );
  end loop;
end
$operators$;

-- ── reading ────────────────────────────────────────────────────────────────────────────────────

-- The number in eight bytes of WKB, little-endian.
create function @extschema@._float8(bytes bytea, start integer) returns double precision
language sql immutable strict parallel safe
as $$
  select case
    when exponent = 0 and mantissa = 0 then 0
    else sign * power(2::double precision, exponent - 1023)
      * (1 + mantissa / 4503599627370496::double precision)
  end
  from (
    select
      case when get_byte(bytes, start + 7) >= 128 then -1 else 1 end as sign,
      (get_byte(bytes, start + 7) % 128) * 16 + get_byte(bytes, start + 6) / 16 as exponent,
      (get_byte(bytes, start + 6) % 16)::double precision * 281474976710656
        + (select sum(get_byte(bytes, start + n) * power(256::double precision, n))
           from generate_series(0, 5) as n) as mantissa
  ) as parts
$$;

create function @extschema@._int4(bytes bytea, start integer) returns bigint
language sql immutable strict parallel safe
as $$
  select get_byte(bytes, start) + get_byte(bytes, start + 1) * 256
    + get_byte(bytes, start + 2) * 65536 + get_byte(bytes, start + 3) * 16777216::bigint
$$;

-- EWKT of hexadecimal WKB: points, lines and polygons in little-endian order, in the plane.
create function @extschema@._ewkt_of_wkb(hex text) returns text
language plpgsql immutable strict parallel safe set search_path = ''
as $$
declare
  b bytea := decode(hex, 'hex');
  kind bigint := @extschema@._int4(b, 1);
  at integer := 5;
  srid text := '';
  rings bigint := 1;
  points bigint;
  ring text;
  body text := '';
begin
  if get_byte(b, 0) <> 1 or (kind & 15) not in (1, 2, 3) or kind & 3221225472 <> 0 then
    raise exception 'this WKB is not read here: points, lines and polygons of two dimensions are'
      using errcode = '0A000';
  end if;
  if kind & 536870912 <> 0 then
    srid := 'SRID=' || @extschema@._int4(b, at) || ';';
    at := at + 4;
  end if;
  if kind & 15 = 3 then
    rings := @extschema@._int4(b, at);
    at := at + 4;
  end if;
  for n in 1..rings loop
    points := 1;
    if kind & 15 > 1 then
      points := @extschema@._int4(b, at);
      at := at + 4;
    end if;
    select string_agg(
      @extschema@._float8(b, at + i * 16) || ' ' || @extschema@._float8(b, at + i * 16 + 8), ','
      order by i
    ) into ring from generate_series(0, points::integer - 1) as i;
    at := at + points::integer * 16;
    body := body || case when n > 1 then ',' else '' end
      || case when kind & 15 = 3 then '(' || ring || ')' else ring end;
  end loop;
  return srid || (array['POINT', 'LINESTRING', 'POLYGON'])[(kind & 15)::integer] || '(' || body || ')';
end
$$;

create function @extschema@._coordinates(value jsonb) returns text
language plpgsql immutable strict parallel safe set search_path = ''
as $$
begin
  return (
    select case when jsonb_typeof(value -> 0) <> 'array' then string_agg(part #>> '{}', ' ' order by n)
      else string_agg(
        case when jsonb_typeof(part -> 0) = 'array'
          then '(' || @extschema@._coordinates(part) || ')' else @extschema@._coordinates(part) end,
        ',' order by n
      ) end
    from jsonb_array_elements(value) with ordinality as p (part, n)
  );
end
$$;

create function @extschema@._ewkt(value text) returns text
language sql immutable strict parallel safe
as $$
  select case
    when value ~ '^\s*\{' then
      'SRID=4326;' || upper(value::jsonb ->> 'type') || '('
        || @extschema@._coordinates(value::jsonb -> 'coordinates') || ')'
    when value ~ '^[0-9A-Fa-f]{42,}$' then @extschema@._ewkt_of_wkb(value)
    else value
  end
$$;

create function @extschema@._wkt(value text) returns text
language sql immutable strict parallel safe
as $$ select upper(btrim(regexp_replace(@extschema@._ewkt(value), '^\s*SRID=\d+;', '', 'i'))) $$;

-- The points, ring by ring. Errors where the text is no geometry.
create function @extschema@._points(value text)
returns table (ring bigint, n bigint, x double precision, y double precision)
language plpgsql immutable strict parallel safe set search_path = '' rows 10
as $$
declare
  wkt text := @extschema@._wkt(value);
begin
  if wkt !~ '^[A-Z]+\s*(Z|M|ZM)?\s*(\(.*\)|EMPTY)$' then
    raise exception 'parse error - invalid geometry' using errcode = 'XX000', hint = left(value, 80);
  end if;
  return query
    select r.number, p.number, c[1]::double precision, c[2]::double precision
    from regexp_matches(wkt, '\(([^()]+)\)', 'g') with ordinality as r (found, number),
      regexp_split_to_table(r.found[1], ',') with ordinality as p (pair, number),
      regexp_split_to_array(btrim(p.pair), '\s+') as c;
end
$$;

-- ── making and telling ─────────────────────────────────────────────────────────────────────────

-- Functions of one expression: name, arguments, what it gives, the expression.
do $functions$
declare
  f record;
  readers text[] := array['st_geomfromtext', 'st_geometryfromtext', 'st_geomfromewkt',
    'st_pointfromtext', 'st_polygonfromtext', 'st_linefromtext', 'st_mpolyfromtext'];
begin
  for f in
    select * from (values
      ('st_srid', 'v @e.geometry', 'integer',
        'coalesce(substring(@e._ewkt(v::text) from ''(?i)^\s*SRID=(\d+);'')::integer, 0)'),
      ('st_srid', 'v @e.geography', 'integer', 'coalesce(nullif(@e.st_srid(v::@e.geometry), 0), 4326)'),
      ('st_setsrid', 'v @e.geometry, srid integer', '@e.geometry',
        '(''SRID='' || srid || '';'' || @e._wkt(v::text))::@e.geometry'),
      ('st_makepoint', 'x double precision, y double precision', '@e.geometry',
        '(''POINT('' || x || '' '' || y || '')'')::@e.geometry'),
      ('st_makepoint', 'x double precision, y double precision, z double precision', '@e.geometry',
        '(''POINT Z ('' || x || '' '' || y || '' '' || z || '')'')::@e.geometry'),
      ('st_point', 'x double precision, y double precision', '@e.geometry', '@e.st_makepoint(x, y)'),
      ('st_point', 'x double precision, y double precision, srid integer', '@e.geometry',
        '@e.st_setsrid(@e.st_makepoint(x, y), srid)'),
      ('st_makeenvelope', 'x1 double precision, y1 double precision, x2 double precision,'
        ' y2 double precision, srid integer default 0', '@e.geometry',
        '(case when srid = 0 then '''' else ''SRID='' || srid || '';'' end || format('
        '''POLYGON((%s %s,%s %s,%s %s,%s %s,%s %s))'', x1, y1, x1, y2, x2, y2, x2, y1, x1, y1'
        '))::@e.geometry'),
      ('st_geomfromgeojson', 'v text', '@e.geometry', '@e._ewkt(v)::@e.geometry'),
      ('st_geomfromgeojson', 'v json', '@e.geometry', '@e._ewkt(v::text)::@e.geometry'),
      ('st_geomfromgeojson', 'v jsonb', '@e.geometry', '@e._ewkt(v::text)::@e.geometry'),
      ('st_geogfromtext', 'v text', '@e.geography', '@e._ewkt(v)::@e.geography'),
      ('st_geographyfromtext', 'v text', '@e.geography', '@e._ewkt(v)::@e.geography'),
      ('st_makevalid', 'v @e.geometry', '@e.geometry', 'v'),
      ('st_multi', 'v @e.geometry', '@e.geometry', 'v'),
      ('st_force2d', 'v @e.geometry', '@e.geometry', 'v'),
      ('st_astext', 'v @e.geometry', 'text', '@e._wkt(v::text)'),
      ('st_astext', 'v @e.geography', 'text', '@e._wkt(v::text)'),
      ('st_astext', 'v text', 'text', '@e._wkt(v)'),
      ('st_asewkt', 'v @e.geometry', 'text', 'upper(@e._ewkt(v::text))'),
      ('st_asewkt', 'v @e.geography', 'text', 'upper(@e._ewkt(v::text))'),
      ('st_asewkt', 'v text', 'text', 'upper(@e._ewkt(v))'),
      ('geometrytype', 'v @e.geometry', 'text', 'substring(@e._wkt(v::text) from ''^[A-Z]+'')'),
      ('_names', '', 'text[]', 'array[''Point'', ''LineString'', ''Polygon'', ''MultiPoint'','
        ' ''MultiLineString'', ''MultiPolygon'', ''GeometryCollection'']'),
      ('_name', 'v text', 'text', '(select n from unnest(@e._names()) as n'
        ' where upper(n) = substring(@e._wkt(v) from ''^[A-Z]+''))'),
      ('st_geometrytype', 'v @e.geometry', 'text', '''ST_'' || @e._name(v::text)'),
      ('_lists', 'v text', 'jsonb', '(regexp_replace(regexp_replace(translate('
        'substring(@e._wkt(v) from ''\(.*$''), ''()'', ''[]''),'
        ' ''(-?[0-9.]+(E[-+]?\d+)?)((\s+-?[0-9.]+(E[-+]?\d+)?)+)'', ''[\1\3]'', ''g''),'
        ' ''\s+(?=-?[0-9.])'', '','', ''g''))::jsonb'),
      ('_bare', 'v text', 'text', 'case when @e._wkt(v) ~ ''^MULTIPOINT'''
        ' then regexp_replace(@e._wkt(v), ''\(([^()]+)\)(?=\s*[,)])'', ''\1'', ''g'') else v end'),
      ('_geojson', 'v text', 'jsonb', 'jsonb_build_object(''type'', @e._name(v), ''coordinates'','
        ' case when @e._wkt(v) ~ ''^POINT'' then @e._lists(v) -> 0 else @e._lists(@e._bare(v)) end)'),
      ('st_asgeojson', 'v @e.geometry, maxdecimaldigits integer default 9,'
        ' options integer default 8', 'text', '@e._geojson(v::text)::text'),
      ('st_asgeojson', 'v @e.geography, maxdecimaldigits integer default 9,'
        ' options integer default 0', 'text', '@e._geojson(v::text)::text'),
      ('st_asgeojson', 'v text, maxdecimaldigits integer default 9,'
        ' options integer default 8', 'text', '@e._geojson(v)::text'),
      ('json', 'v @e.geometry', 'json', '@e._geojson(v::text)::json'),
      ('jsonb', 'v @e.geometry', 'jsonb', '@e._geojson(v::text)'),
      ('st_isempty', 'v @e.geometry', 'boolean', '@e._wkt(v::text) ~ ''EMPTY$'''),
      ('st_isvalid', 'v @e.geometry', 'boolean', 'exists (select from @e._points(v::text))'),
      ('st_npoints', 'v @e.geometry', 'integer', '(select count(*)::integer from @e._points(v::text))'),
      ('st_x', 'v @e.geometry', 'double precision', '(select x from @e._points(v::text) limit 1)'),
      ('st_y', 'v @e.geometry', 'double precision', '(select y from @e._points(v::text) limit 1)'),
      ('st_xmin', 'v @e.geometry', 'double precision', '(select min(x) from @e._points(v::text))'),
      ('st_xmax', 'v @e.geometry', 'double precision', '(select max(x) from @e._points(v::text))'),
      ('st_ymin', 'v @e.geometry', 'double precision', '(select min(y) from @e._points(v::text))'),
      ('st_ymax', 'v @e.geometry', 'double precision', '(select max(y) from @e._points(v::text))'),
      ('st_envelope', 'v @e.geometry', '@e.geometry', '@e.st_makeenvelope('
        '@e.st_xmin(v), @e.st_ymin(v), @e.st_xmax(v), @e.st_ymax(v), @e.st_srid(v))')
    ) as t (name, arguments, returns, body)
    union all
    select r, 'v text', '@e.geometry', '@e._ewkt(v)::@e.geometry' from unnest(readers) as r
    union all
    select r, 'v text, srid integer', '@e.geometry', '@e.st_setsrid(v::@e.geometry, srid)'
    from unnest(readers) as r
  loop
    execute replace(format(
      'create function @e.%I(%s) returns %s language sql immutable strict parallel safe as %L',
      f.name, f.arguments, f.returns, 'select ' || f.body
    ), '@e.', '@extschema@.');
  end loop;
end
$functions$;
create cast (@extschema@.geometry as json) with function @extschema@.json(@extschema@.geometry);
create cast (@extschema@.geometry as jsonb) with function @extschema@.jsonb(@extschema@.geometry);

create function @extschema@._edges(value text)
returns table (
  ring bigint, x double precision, y double precision, x2 double precision, y2 double precision
)
language sql immutable strict parallel safe
as $$
  select * from (
    select ring, x, y, lead(x) over w as x2, lead(y) over w as y2
    from @extschema@._points(value) window w as (partition by ring order by n)
  ) as edges where x2 is not null
$$;

create function @extschema@.st_centroid(value @extschema@.geometry) returns @extschema@.geometry
language sql immutable strict parallel safe
as $$
  select @extschema@.st_setsrid(
    case when coalesce(e.area, 0) = 0 or @extschema@._wkt(value::text) !~ 'POLYGON'
      then @extschema@.st_makepoint(p.x, p.y)
      else @extschema@.st_makepoint(e.x / (3 * e.area), e.y / (3 * e.area)) end,
    @extschema@.st_srid(value)
  )
  from (select avg(x) as x, avg(y) as y from @extschema@._points(value::text)) as p,
    (select sum(x * y2 - x2 * y) as area, sum((x + x2) * (x * y2 - x2 * y)) as x,
      sum((y + y2) * (x * y2 - x2 * y)) as y from @extschema@._edges(value::text)) as e
$$;

create function @extschema@.st_transform(value @extschema@.geometry, srid integer)
returns @extschema@.geometry
language plpgsql immutable strict parallel safe set search_path = ''
as $$
declare
  own integer := @extschema@.st_srid(value);
  x double precision := @extschema@.st_x(value);
  y double precision := @extschema@.st_y(value);
begin
  if own = srid then
    return value;
  elsif @extschema@._wkt(value::text) ~ '^POINT' and own = 4326 and srid = 3857 then
    return @extschema@.st_point(
      radians(x) * 6378137, ln(tan(pi() / 4 + radians(y) / 2)) * 6378137, srid
    );
  elsif @extschema@._wkt(value::text) ~ '^POINT' and own = 3857 and srid = 4326 then
    return @extschema@.st_point(
      degrees(x / 6378137), degrees(2 * atan(exp(y / 6378137)) - pi() / 2), srid
    );
  end if;
  raise exception 'st_transform is served for points between 4326 and 3857 alone'
    using errcode = '0A000';
end
$$;

create function @extschema@.st_snaptogrid(
  value @extschema@.geometry, sizex double precision, sizey double precision
) returns @extschema@.geometry
language plpgsql immutable strict parallel safe set search_path = ''
as $$
begin
  if @extschema@._wkt(value::text) !~ '^POINT' then
    raise exception 'st_snaptogrid is served for points alone' using errcode = '0A000';
  end if;
  return @extschema@.st_setsrid(@extschema@.st_makepoint(
    coalesce(round(@extschema@.st_x(value) / nullif(sizex, 0)) * sizex, @extschema@.st_x(value)),
    coalesce(round(@extschema@.st_y(value) / nullif(sizey, 0)) * sizey, @extschema@.st_y(value))
  ), @extschema@.st_srid(value));
end
$$;

create function @extschema@.st_snaptogrid(value @extschema@.geometry, size double precision)
returns @extschema@.geometry
language sql immutable strict parallel safe
as $$ select @extschema@.st_snaptogrid(value, size, size) $$;

-- ── measuring ──────────────────────────────────────────────────────────────────────────────────

-- Metres between two points on the spheroid of WGS 84, by Vincenty's inverse formula.
create function @extschema@._metres(
  x1 double precision, y1 double precision, x2 double precision, y2 double precision
) returns double precision
language plpgsql immutable strict parallel safe set search_path = ''
as $$
declare
  a constant double precision := 6378137;
  f constant double precision := 1 / 298.257223563;
  b constant double precision := 6378137 * (1 - 1 / 298.257223563);
  u1 double precision := atan((1 - f) * tan(radians(y1)));
  u2 double precision := atan((1 - f) * tan(radians(y2)));
  l double precision := radians(x2 - x1);
  lambda double precision := radians(x2 - x1);
  earlier double precision;
  ss double precision;  -- sine of the angle between the points, and its cosine
  cs double precision;
  sigma double precision;
  sa double precision;
  ca2 double precision;
  m double precision;
  c double precision;
  k double precision;
  n double precision;
begin
  for turn in 1..100 loop
    ss := sqrt(
      (cos(u2) * sin(lambda)) ^ 2 + (cos(u1) * sin(u2) - sin(u1) * cos(u2) * cos(lambda)) ^ 2
    );
    if ss = 0 then
      return 0;
    end if;
    cs := sin(u1) * sin(u2) + cos(u1) * cos(u2) * cos(lambda);
    sigma := atan2(ss, cs);
    sa := cos(u1) * cos(u2) * sin(lambda) / ss;
    ca2 := 1 - sa ^ 2;
    m := case when ca2 = 0 then 0 else cs - 2 * sin(u1) * sin(u2) / ca2 end;
    c := f / 16 * ca2 * (4 + f * (4 - 3 * ca2));
    earlier := lambda;
    lambda := l + (1 - c) * f * sa * (sigma + c * ss * (m + c * cs * (2 * m ^ 2 - 1)));
    exit when abs(lambda - earlier) < 1e-12;
  end loop;
  n := ca2 * (a ^ 2 - b ^ 2) / b ^ 2;
  k := n / 1024 * (256 + n * (-128 + n * (74 - 47 * n)));
  return b * (1 + n / 16384 * (4096 + n * (-768 + n * (320 - 175 * n)))) * (
    sigma - k * ss * (m + k / 4 * (
      cs * (2 * m ^ 2 - 1) - k / 6 * m * (4 * ss ^ 2 - 3) * (4 * m ^ 2 - 3)
    ))
  );
end
$$;

-- The one point of a value; what is no point is refused where only points are measured.
create function @extschema@._point(value text, out x double precision, out y double precision)
language plpgsql immutable strict parallel safe set search_path = ''
as $$
begin
  if @extschema@._wkt(value) !~ '^POINT' then
    raise exception 'only points are measured here: this server has no PostGIS'
      using errcode = '0A000';
  end if;
  select p.x, p.y into x, y from @extschema@._points(value) as p limit 1;
end
$$;

create function @extschema@._circled(value text, out x double precision, out y double precision)
language plpgsql immutable strict parallel safe set search_path = ''
as $$
begin
  if @extschema@._wkt(value) !~ '^POINT' then
    raise exception 'st_buffer is not served but of points: this server has no PostGIS'
      using errcode = '0A000';
  end if;
  select p.x, p.y into x, y from @extschema@._points(value) as p limit 1;
end
$$;

-- Whether a polygon holds a point: a line from it crosses the rings an odd number of times.
create function @extschema@._holds(polygon text, px double precision, py double precision)
returns boolean
language sql immutable strict parallel safe
as $$
  select count(*) % 2 = 1
  from @extschema@._edges(polygon)
  where (y > py) <> (y2 > py) and px < (x2 - x) * (py - y) / nullif(y2 - y, 0) + x
$$;
create function @extschema@._within(a text, b text) returns boolean
language sql immutable strict parallel safe
as $$
  select bool_and(
    case when @extschema@._wkt(b) ~ 'POLYGON' then @extschema@._holds(b, p.x, p.y)
      else exists (select from @extschema@._points(b) as o where o.x = p.x and o.y = p.y) end
  )
  from @extschema@._points(a) as p
$$;
create function @extschema@._overlaps(a text, b text) returns boolean
language sql immutable strict parallel safe
as $$
  select l.x1 <= r.x2 and r.x1 <= l.x2 and l.y1 <= r.y2 and r.y1 <= l.y2
  from (select min(x) as x1, max(x) as x2, min(y) as y1, max(y) as y2
      from @extschema@._points(a)) as l,
    (select min(x) as x1, max(x) as x2, min(y) as y1, max(y) as y2
      from @extschema@._points(b)) as r
$$;

-- ── parts, lines and boxes ─────────────────────────────────────────────────────────────────────

create type @extschema@.box2d;
create type @extschema@.box3d;
do $boxes$
declare
  kind text;
begin
  foreach kind in array array['box2d', 'box3d'] loop
    execute format('create function @extschema@.%1$I(cstring) returns @extschema@.%2$I language internal'
      ' immutable strict parallel safe as ''textin''', kind || '_in', kind);
    execute format('create function @extschema@.%1$I(@extschema@.%2$I) returns cstring language internal'
      ' immutable strict parallel safe as ''textout''', kind || '_out', kind);
    execute format('create type @extschema@.%1$I (input = @extschema@.%2$I, output = @extschema@.%3$I,'
      ' internallength = variable, alignment = int4, storage = extended)',
      kind, kind || '_in', kind || '_out');
    execute format('create cast (@extschema@.%1$I as text) without function', kind);
  end loop;
end
$boxes$;
create type @extschema@.geometry_dump as (path integer[], geom @extschema@.geometry);
create type @extschema@.valid_detail as (valid boolean, reason varchar, location @extschema@.geometry);

create function @extschema@._srid_of(value text) returns text
language sql immutable strict parallel safe
as $$ select coalesce(upper(substring(@extschema@._ewkt(value) from '(?i)^\s*(SRID=\d+;)')), '') $$;

-- The parts of a value, itself where it has none, each as EWKT.
create function @extschema@._parts(value text) returns table (n bigint, part text)
language plpgsql immutable strict parallel safe set search_path = '' rows 5
as $$
declare
  wkt text := @extschema@._wkt(value);
  srid text := @extschema@._srid_of(value);
  kind text := substring(wkt from '^[A-Z]+');
  body text := substring(wkt from '\((.*)\)$');
begin
  if wkt ~ 'EMPTY$' then
    return;
  elsif kind = 'MULTIPOINT' then
    return query select f.n, srid || 'POINT(' || btrim(f.found[1]) || ')'
      from regexp_matches(body, '([^(),]+)', 'g') with ordinality as f (found, n)
      where btrim(f.found[1]) <> '';
  elsif kind = 'MULTILINESTRING' then
    return query select f.n, srid || 'LINESTRING(' || f.found[1] || ')'
      from regexp_matches(body, '\(([^()]+)\)', 'g') with ordinality as f (found, n);
  elsif kind = 'MULTIPOLYGON' then
    return query select f.n, srid || 'POLYGON' || f.found[1]
      from regexp_matches(body, '(\(\([^()]+\)(?:\s*,\s*\([^()]+\))*\s*\))', 'g')
        with ordinality as f (found, n);
  elsif kind = 'GEOMETRYCOLLECTION' then
    return query select f.n, srid || f.found[1]
      from regexp_matches(body,
        '([A-Z]+\s*(?:Z|M|ZM)?\s*\((?:[^()]|\([^()]*\)|\((?:[^()]|\([^()]*\))*\))*\))', 'g'
      ) with ordinality as f (found, n);
  else
    return query select 1::bigint, srid || wkt;
  end if;
end
$$;

-- Parts as one value: of one kind as its multiple, else as a collection.
create function @extschema@._gathered(parts text[]) returns @extschema@.geometry
language sql immutable parallel safe
as $$
  select (
    @extschema@._srid_of(parts[1]) || case
      when count(distinct kind) = 1 and min(kind) in ('POINT', 'LINESTRING', 'POLYGON')
      then 'MULTI' || min(kind) || '(' || string_agg(
        substring(wkt from '(\(.*\))$'), ',' order by n) || ')'
      else 'GEOMETRYCOLLECTION(' || string_agg(wkt, ',' order by n) || ')'
    end
  )::@extschema@.geometry
  from (
    select n, @extschema@._wkt(part) as wkt, substring(@extschema@._wkt(part) from '^[A-Z]+') as kind
    from unnest(parts) with ordinality as p (part, n) where part is not null
  ) as each
  having count(*) > 0
$$;

create function @extschema@._line(points text[]) returns @extschema@.geometry
language sql immutable parallel safe
as $$
  select (@extschema@._srid_of(points[1]) || 'LINESTRING('
    || string_agg(p.x || ' ' || p.y, ',' order by o.n, p.ring, p.n) || ')')::@extschema@.geometry
  from unnest(points) with ordinality as o (value, n), @extschema@._points(o.value) as p
  having count(*) > 0
$$;

create function @extschema@._box(value text) returns @extschema@.box2d
language sql immutable strict parallel safe
as $$
  select format('BOX(%s %s,%s %s)', min(x), min(y), max(x), max(y))::@extschema@.box2d
  from @extschema@._points(value) having count(*) > 0
$$;
create function @extschema@._side(box text, place integer) returns double precision
language sql immutable strict parallel safe
as $$ select (regexp_split_to_array(substring(box from '\((.*)\)'), '[\s,]+'))[place]::double precision $$;

-- How far a point is from an edge, in the plane.
create function @extschema@._from_edge(
  px double precision, py double precision, x double precision, y double precision,
  x2 double precision, y2 double precision
) returns double precision
language sql immutable strict parallel safe
as $$
  select sqrt((px - x - t * (x2 - x)) ^ 2 + (py - y - t * (y2 - y)) ^ 2)
  from (select greatest(0, least(1, coalesce(
    ((px - x) * (x2 - x) + (py - y) * (y2 - y)) / nullif((x2 - x) ^ 2 + (y2 - y) ^ 2, 0), 0
  ))) as t) as nearest
$$;

create function @extschema@._edges_meet(a text, b text) returns boolean
language sql immutable strict parallel safe
as $$
  select exists (
    select from @extschema@._edges(a) as l, @extschema@._edges(b) as r,
      lateral (select (l.x2 - l.x) * (r.y - l.y) - (l.y2 - l.y) * (r.x - l.x) as l1,
        (l.x2 - l.x) * (r.y2 - l.y) - (l.y2 - l.y) * (r.x2 - l.x) as l2,
        (r.x2 - r.x) * (l.y - r.y) - (r.y2 - r.y) * (l.x - r.x) as r1,
        (r.x2 - r.x) * (l.y2 - r.y) - (r.y2 - r.y) * (l.x2 - r.x) as r2) as turn
    where least(l.x, l.x2) <= greatest(r.x, r.x2) and least(r.x, r.x2) <= greatest(l.x, l.x2)
      and least(l.y, l.y2) <= greatest(r.y, r.y2) and least(r.y, r.y2) <= greatest(l.y, l.y2)
      and sign(l1) * sign(l2) <= 0 and sign(r1) * sign(r2) <= 0
  )
$$;

create function @extschema@._touches_point(v text, px double precision, py double precision)
returns boolean
language sql immutable strict parallel safe
as $$
  select @extschema@._wkt(v) ~ '^POLYGON' and @extschema@._holds(v, px, py)
    or exists (select from @extschema@._edges(v) as e
      where @extschema@._from_edge(px, py, e.x, e.y, e.x2, e.y2) = 0)
    or exists (select from @extschema@._points(v) as p where p.x = px and p.y = py)
$$;

-- Whether two values have a point together: a point in an area or on a line, edges that cross.
create function @extschema@._meet(a text, b text) returns boolean
language sql immutable strict parallel safe
as $$
  select @extschema@._overlaps(a, b) and (
    @extschema@._edges_meet(a, b)
    or exists (select from @extschema@._points(a) as p, @extschema@._parts(b) as o
      where @extschema@._touches_point(o.part, p.x, p.y))
    or exists (select from @extschema@._points(b) as p, @extschema@._parts(a) as o
      where @extschema@._touches_point(o.part, p.x, p.y))
  )
$$;

create function @extschema@._along(value text) returns double precision
language sql immutable strict parallel safe
as $$
  select coalesce(sum(sqrt((x2 - x) ^ 2 + (y2 - y) ^ 2)), 0) from @extschema@._edges(value)
$$;
create function @extschema@._metres_along(value text) returns double precision
language sql immutable strict parallel safe
as $$ select coalesce(sum(@extschema@._metres(x, y, x2, y2)), 0) from @extschema@._edges(value) $$;

-- Functions of one expression.
-- The letters of a place: half of the world at a time, length and breadth by turns.
create function @extschema@.st_geohash(value @extschema@.geometry, maxchars integer default 0)
returns text
language plpgsql immutable strict parallel safe set search_path = ''
as $$
declare
  place record;
  low double precision[] := array[-180, -90];
  high double precision[] := array[180, 90];
  middle double precision;
  axis integer := 1;
  bits integer := 0;
  found text := '';
begin
  select p.x, p.y into place from @extschema@._point(value::text) as p;
  for n in 1..5 * case when maxchars > 0 then least(maxchars, 20) else 20 end loop
    middle := (low[axis] + high[axis]) / 2;
    bits := bits * 2;
    if (case axis when 1 then place.x else place.y end) >= middle then
      bits := bits + 1;
      low[axis] := middle;
    else
      high[axis] := middle;
    end if;
    axis := 3 - axis;
    if n % 5 = 0 then
      found := found || substr('0123456789bcdefghjkmnpqrstuvwxyz', bits + 1, 1);
      bits := 0;
    end if;
  end loop;
  return found;
end
$$;

do $more$
declare
  f record;
begin
  for f in select * from (values
    ('box2d', 'v @e.geometry', '@e.box2d', '@e._box(v::text)'),
    ('box3d', 'v @e.geometry', '@e.box3d',
      'format(''BOX3D(%s %s 0,%s %s 0)'', min(x), min(y), max(x), max(y))::@e.box3d'
      ' from @e._points(v::text) having count(*) > 0'),
    ('geometry', 'v @e.box2d', '@e.geometry', '@e.st_makeenvelope(@e._side(v::text, 1),'
      ' @e._side(v::text, 2), @e._side(v::text, 3), @e._side(v::text, 4))'),
    ('geometry', 'v @e.box3d', '@e.geometry', '@e.st_makeenvelope(@e._side(v::text, 1),'
      ' @e._side(v::text, 2), @e._side(v::text, 4), @e._side(v::text, 5))'),
    ('st_xmin', 'v @e.box2d', 'double precision', '@e._side(v::text, 1)'),
    ('st_ymin', 'v @e.box2d', 'double precision', '@e._side(v::text, 2)'),
    ('st_xmax', 'v @e.box2d', 'double precision', '@e._side(v::text, 3)'),
    ('st_ymax', 'v @e.box2d', 'double precision', '@e._side(v::text, 4)'),
    ('st_xmin', 'v @e.box3d', 'double precision', '@e._side(v::text, 1)'),
    ('st_ymin', 'v @e.box3d', 'double precision', '@e._side(v::text, 2)'),
    ('st_zmin', 'v @e.box3d', 'double precision', '@e._side(v::text, 3)'),
    ('st_xmax', 'v @e.box3d', 'double precision', '@e._side(v::text, 4)'),
    ('st_ymax', 'v @e.box3d', 'double precision', '@e._side(v::text, 5)'),
    ('st_zmax', 'v @e.box3d', 'double precision', '@e._side(v::text, 6)'),
    ('st_makebox2d', 'a @e.geometry, b @e.geometry', '@e.box2d',
      'format(''BOX(%s %s,%s %s)'', @e.st_x(a), @e.st_y(a), @e.st_x(b), @e.st_y(b))::@e.box2d'),
    ('st_expand', 'v @e.geometry, dx double precision, dy double precision', '@e.geometry',
      '@e.st_makeenvelope(@e.st_xmin(v) - dx, @e.st_ymin(v) - dy, @e.st_xmax(v) + dx,'
      ' @e.st_ymax(v) + dy, @e.st_srid(v))'),
    ('st_expand', 'v @e.geometry, d double precision', '@e.geometry', '@e.st_expand(v, d, d)'),
    ('st_expand', 'v @e.box2d, d double precision', '@e.box2d', 'format(''BOX(%s %s,%s %s)'','
      ' @e.st_xmin(v) - d, @e.st_ymin(v) - d, @e.st_xmax(v) + d, @e.st_ymax(v) + d)::@e.box2d'),
    ('st_z', 'v @e.geometry', 'double precision', '(regexp_split_to_array(btrim(substring('
      '@e._wkt(v::text) from ''^POINT\s*Z?M?\s*\((.*)\)$'')), ''\s+''))[3]::double precision'),
    ('st_numgeometries', 'v @e.geometry', 'integer',
      'greatest(count(*), 1)::integer from @e._parts(v::text)'),
    ('st_geometryn', 'v @e.geometry, place integer', '@e.geometry',
      '(select part::@e.geometry from @e._parts(v::text) where n = place)'),
    ('st_dump', 'v @e.geometry', 'setof @e.geometry_dump',
      '(case when @e._wkt(v::text) ~ ''^(MULTI|GEOMETRYC)'' then array[n::integer]'
      ' else ''{}''::integer[] end, part::@e.geometry)::@e.geometry_dump'
      ' from @e._parts(v::text) order by n'),
    ('st_dumppoints', 'v @e.geometry', 'setof @e.geometry_dump',
      '(case substring(@e._wkt(o.part) from ''^[A-Z]+'') when ''POINT'' then head || 1'
      ' when ''LINESTRING'' then head || p.n::integer else head || array[p.ring, p.n]::integer[] end,'
      ' @e.st_setsrid(@e.st_makepoint(p.x, p.y), @e.st_srid(v)))::@e.geometry_dump'
      ' from @e._parts(v::text) as o, @e._points(o.part) as p,'
      ' lateral (select case when @e._wkt(v::text) ~ ''^(MULTI|GEOMETRYC)'''
      ' then array[o.n::integer] else ''{}''::integer[] end as head) as h order by o.n, p.ring, p.n'),
    ('st_numpoints', 'v @e.geometry', 'integer', 'case when @e._wkt(v::text) ~ ''^LINESTRING'''
      ' then (select count(*)::integer from @e._points(v::text)) end'),
    ('st_pointn', 'v @e.geometry, place integer', '@e.geometry',
      '(select @e.st_setsrid(@e.st_makepoint(p.x, p.y), @e.st_srid(v)) from @e._points(v::text) as p'
      ' where @e._wkt(v::text) ~ ''^LINESTRING'' and p.n = case when place < 0'
      ' then @e.st_npoints(v) + 1 + place else place end)'),
    ('st_startpoint', 'v @e.geometry', '@e.geometry', '@e.st_pointn(v, 1)'),
    ('st_endpoint', 'v @e.geometry', '@e.geometry', '@e.st_pointn(v, -1)'),
    ('st_isclosed', 'v @e.geometry', 'boolean', 'case when @e._wkt(v::text) ~ ''^LINESTRING'''
      ' then @e.st_astext(@e.st_startpoint(v)) = @e.st_astext(@e.st_endpoint(v)) else true end'),
    ('_ring', 'v text, place integer', '@e.geometry',
      '(select @e._line(array_agg(@e._srid_of(v) || ''POINT('' || x || '' '' || y || '')'' order by n))'
      ' from @e._points(v) where @e._wkt(v) ~ ''^POLYGON'' and ring = place)'),
    ('st_exteriorring', 'v @e.geometry', '@e.geometry', '@e._ring(v::text, 1)'),
    ('st_interiorringn', 'v @e.geometry, n integer', '@e.geometry', '@e._ring(v::text, n + 1)'),
    ('st_numinteriorrings', 'v @e.geometry', 'integer', 'case when @e._wkt(v::text) ~ ''^POLYGON'''
      ' then (select max(ring)::integer - 1 from @e._points(v::text)) end'),
    ('st_numinteriorring', 'v @e.geometry', 'integer', '@e.st_numinteriorrings(v)'),
    ('st_dimension', 'v @e.geometry', 'integer', 'case when @e._wkt(v::text) ~ ''POLYGON'' then 2'
      ' when @e._wkt(v::text) ~ ''LINESTRING'' then 1 else 0 end'),
    ('st_iscollection', 'v @e.geometry', 'boolean', '@e._wkt(v::text) ~ ''^(MULTI|GEOMETRYC)'''),
    ('st_isvalidreason', 'v @e.geometry', 'text', 'case when @e.st_isvalid(v)'
      ' then ''Valid Geometry'' else ''Invalid'' end'),
    ('st_flipcoordinates', 'v @e.geometry', '@e.geometry', '(@e._srid_of(v::text) || regexp_replace('
      '@e._wkt(v::text), ''(-?[0-9][0-9.]*(?:E[-+]?\d+)?)\s+(-?[0-9][0-9.]*(?:E[-+]?\d+)?)'','
      ' ''\2 \1'', ''g''))::@e.geometry'),
    ('st_collect', 'parts @e.geometry[]', '@e.geometry', '@e._gathered(parts::text[])'),
    ('st_collect', 'a @e.geometry, b @e.geometry', '@e.geometry',
      '@e._gathered(array[a::text, b::text])'),
    ('st_makeline', 'points @e.geometry[]', '@e.geometry', '@e._line(points::text[])'),
    ('st_makeline', 'a @e.geometry, b @e.geometry', '@e.geometry',
      '@e._line(array[a::text, b::text])'),
    ('st_makepolygon', 'v @e.geometry', '@e.geometry', '(@e._srid_of(v::text) || ''POLYGON('''
      ' || substring(@e._wkt(v::text) from ''\(.*$'') || '')'')::@e.geometry'),
    ('st_polygon', 'v @e.geometry, srid integer', '@e.geometry',
      '@e.st_setsrid(@e.st_makepolygon(v), srid)'),
    ('st_perimeter', 'v @e.geometry', 'double precision',
      'case when @e._wkt(v::text) ~ ''POLYGON'' then @e._along(v::text) else 0 end'),
    ('st_perimeter', 'v @e.geography, use_spheroid boolean default true', 'double precision',
      'case when @e._wkt(v::text) ~ ''POLYGON'' then @e._metres_along(v::text) else 0 end'),
    ('st_azimuth', 'a @e.geometry, b @e.geometry', 'double precision',
      'case when l.x = r.x and l.y = r.y then null'
      ' else mod((atan2(r.x - l.x, r.y - l.y) + 2 * pi())::numeric, (2 * pi())::numeric) end'
      ' from @e._point(a::text) as l, @e._point(b::text) as r'),
    ('st_buffer', 'v @e.geometry, radius double precision, quadsegs integer', '@e.geometry',
      '(@e._srid_of(v::text) || ''POLYGON(('' || string_agg(p.x + radius * cos(a) || '' '''
      ' || p.y + radius * sin(a), '','' order by n) || ''))'')::@e.geometry'
      ' from @e._circled(v::text) as p, generate_series(0, 4 * quadsegs) as n,'
      ' lateral (select -pi() / 2 / quadsegs * (n % (4 * quadsegs)) as a) as angle'),
    ('st_buffer', 'v @e.geometry, radius double precision, options text default ''''', '@e.geometry',
      '@e.st_buffer(v, radius, 8)'),
    ('st_distancespheroid', 'a @e.geometry, b @e.geometry', 'double precision',
      '@e._metres(l.x, l.y, r.x, r.y) from @e._point(a::text) as l, @e._point(b::text) as r'),
    ('st_geomfromwkb', 'v bytea', '@e.geometry', '@e._ewkt_of_wkb(encode(v, ''hex''))::@e.geometry'),
    ('st_geomfromwkb', 'v bytea, srid integer', '@e.geometry',
      '@e.st_setsrid(@e.st_geomfromwkb(v), srid)'),
    ('st_geomfromewkb', 'v bytea', '@e.geometry', '@e.st_geomfromwkb(v)'),
    ('st_pointfromwkb', 'v bytea', '@e.geometry', '@e.st_geomfromwkb(v)'),
    ('st_geogfromwkb', 'v bytea', '@e.geography', '@e.st_geomfromwkb(v)::@e.geography'),
    ('_turned', 'v bytea', 'bytea', 'string_agg(substr(v, 9 - n, 1), ''''::bytea order by n)'
      ' from generate_series(1, 8) as n'),
    ('st_asbinary', 'v @e.geometry', 'bytea', '''\x0101000000''::bytea || @e._turned(float8send(p.x))'
      ' || @e._turned(float8send(p.y)) from @e._point(v::text) as p'),
    ('st_asewkb', 'v @e.geometry', 'bytea', '''\x01010000''::bytea || case when @e.st_srid(v) = 0'
      ' then ''\x00''::bytea else ''\x20''::bytea || substr(@e._turned(''\x00000000''::bytea'
      ' || int4send(@e.st_srid(v))), 1, 4) end || substr(@e.st_asbinary(v), 6)'),
    ('st_asbinary', 'v @e.geography', 'bytea', '@e.st_asbinary(v::@e.geometry)'),
    ('st_astext', 'v @e.geometry, digits integer', 'text', '@e.st_astext(v)'),
    ('st_centroid', 'v @e.geography, use_spheroid boolean default true', '@e.geography',
      '@e.st_centroid(v::@e.geometry)::@e.geography')
  ) as r (name, arguments, returns, body) loop
    execute replace(format(
      'create function @e.%I(%s) returns %s language sql immutable strict parallel safe as %L',
      f.name, f.arguments, f.returns, 'select ' || f.body
    ), '@e.', '@extschema@.');
  end loop;
end
$more$;

create function @extschema@.st_distance(
  a @extschema@.geography, b @extschema@.geography, use_spheroid boolean default true
) returns double precision
language sql immutable strict parallel safe
as $$
  select @extschema@._metres(l.x, l.y, r.x, r.y)
  from @extschema@._point(a::text) as l, @extschema@._point(b::text) as r
$$;
create function @extschema@._least(a text, b text) returns double precision
language sql immutable strict parallel safe
as $$
  select min(coalesce(
    (select min(@extschema@._from_edge(p.x, p.y, e.x, e.y, e.x2, e.y2)) from @extschema@._edges(b) as e),
    (select min(sqrt((p.x - o.x) ^ 2 + (p.y - o.y) ^ 2)) from @extschema@._points(b) as o)
  )) from @extschema@._points(a) as p
$$;
create function @extschema@.st_distance(a @extschema@.geometry, b @extschema@.geometry)
returns double precision
language sql immutable strict parallel safe
as $$
  select case
    when @extschema@._meet(a::text, b::text) then 0
    else least(@extschema@._least(a::text, b::text), @extschema@._least(b::text, a::text))
  end
$$;
create function @extschema@.st_distancesphere(a @extschema@.geometry, b @extschema@.geometry)
returns double precision
language sql immutable strict parallel safe
as $$
  select 2 * 6371008.77141506 * asin(least(1, sqrt(
    sin(radians(r.y - l.y) / 2) ^ 2
    + cos(radians(l.y)) * cos(radians(r.y)) * sin(radians(r.x - l.x) / 2) ^ 2
  )))
  from @extschema@._point(a::text) as l, @extschema@._point(b::text) as r
$$;
create function @extschema@.st_dwithin(
  a @extschema@.geography, b @extschema@.geography, metres double precision,
  use_spheroid boolean default true
) returns boolean
language sql immutable strict parallel safe
as $$ select @extschema@.st_distance(a, b, use_spheroid) <= metres $$;
create function @extschema@.st_dwithin(
  a @extschema@.geometry, b @extschema@.geometry, distance double precision
) returns boolean
language sql immutable strict parallel safe
as $$ select @extschema@.st_distance(a, b) <= distance $$;
create function @extschema@.st_area(value @extschema@.geometry) returns double precision
language sql immutable strict parallel safe
as $$
  select coalesce(sum(case when ring = 1 then area else -area end), 0)
  from (
    select o.n, e.ring, abs(sum(e.x * e.y2 - e.x2 * e.y)) / 2 as area
    from @extschema@._parts(value::text) as o, @extschema@._edges(o.part) as e
    where @extschema@._wkt(o.part) ~ '^POLYGON' group by o.n, e.ring
  ) as rings
$$;
-- Square metres on the spheroid, by the belt between the equator and each edge.
create function @extschema@._belt(y double precision) returns double precision
language sql immutable strict parallel safe
as $$
  select (1 - e * e) * (s / (1 - e * e * s * s) - ln((1 - e * s) / (1 + e * s)) / (2 * e))
  from (select sin(radians(y)) as s, 0.0818191908426215::double precision as e) as constants
$$;
create function @extschema@.st_area(
  value @extschema@.geography, use_spheroid boolean default true
) returns double precision
language sql immutable strict parallel safe
as $$
  select coalesce(sum(case when ring = 1 then area else -area end), 0)
  from (
    select o.n, e.ring, abs(sum(
      radians(e.x2 - e.x) * (@extschema@._belt(e.y) + @extschema@._belt(e.y2))
    )) * 6378137::double precision ^ 2 / 4 as area
    from @extschema@._parts(value::text) as o, @extschema@._edges(o.part) as e
    where @extschema@._wkt(o.part) ~ '^POLYGON' group by o.n, e.ring
  ) as rings
$$;
create function @extschema@.st_length(value @extschema@.geometry) returns double precision
language sql immutable strict parallel safe
as $$
  select case when @extschema@._wkt(value::text) ~ 'POLYGON' then 0
    else @extschema@._along(value::text) end
$$;
create function @extschema@.st_length(
  value @extschema@.geography, use_spheroid boolean default true
) returns double precision
language sql immutable strict parallel safe
as $$
  select case when @extschema@._wkt(value::text) ~ 'POLYGON' then 0
    else @extschema@._metres_along(value::text) end
$$;

do $relations$
declare
  f record;
  kind text;
begin
  foreach kind in array array['geometry', 'geography'] loop
    for f in select * from (values
      ('st_within', 'boolean', '@e._within(a::text, b::text)'),
      ('st_coveredby', 'boolean', '@e._within(a::text, b::text)'),
      ('st_contains', 'boolean', '@e._within(b::text, a::text)'),
      ('st_covers', 'boolean', '@e._within(b::text, a::text)'),
      ('st_equals', 'boolean', '@e._wkt(a::text) = @e._wkt(b::text)'),
      ('st_intersects', 'boolean', '@e._meet(a::text, b::text)'),
      ('st_disjoint', 'boolean', 'not @e._meet(a::text, b::text)'),
      (kind || '_overlaps', 'boolean', '@e._overlaps(a::text, b::text)'),
      (kind || '_distance', 'double precision', '@e.st_distance(a, b)')
    ) as r (name, returns, body) loop
      execute replace(format(
        'create function @e.%1$I(a @e.%2$I, b @e.%2$I) returns %3$s'
        ' language sql immutable strict parallel safe as %4$L',
        f.name, kind, f.returns, 'select ' || f.body
      ), '@e.', '@extschema@.');
    end loop;
    execute format(
      'create operator @extschema@.&& (leftarg = @extschema@.%1$I, rightarg = @extschema@.%1$I,'
      ' function = @extschema@.%2$I)', kind, kind || '_overlaps'
    );
    execute format(
      'create operator @extschema@.<-> (leftarg = @extschema@.%1$I, rightarg = @extschema@.%1$I,'
      ' function = @extschema@.%2$I)', kind, kind || '_distance'
    );
  end loop;
end
$relations$;

-- Aggregates: parts gathered, a line through points, the box around all, points as one.
do $aggregates$
declare
  f record;
begin
  for f in select * from (values
    ('st_collect', 'geometry', '@e._gathered(v::text[])'),
    ('st_makeline', 'geometry', '@e._line(v::text[])'),
    ('st_extent', 'box2d', '(select format(''BOX(%s %s,%s %s)'', min(p.x), min(p.y), max(p.x), max(p.y))'
      '::@e.box2d from unnest(v) as o, @e._points(o::text) as p having count(*) > 0)')
  ) as a (name, returns, body) loop
    execute replace(format(
      'create function @e.%1$I(v @e.geometry[]) returns @e.%2$I language sql immutable parallel safe'
      ' as %3$L', '_' || f.name || '_final', f.returns, 'select ' || f.body
    ), '@e.', '@extschema@.');
    execute replace(format(
      'create aggregate @e.%1$I(@e.geometry) (sfunc = array_append, stype = @e.geometry[],'
      ' finalfunc = @e.%2$I)', f.name, '_' || f.name || '_final'
    ), '@e.', '@extschema@.');
  end loop;
end
$aggregates$;
create function @extschema@._united(v @extschema@.geometry[]) returns @extschema@.geometry
language plpgsql immutable parallel safe set search_path = ''
as $$
declare
  kept text[] := array(
    select p.part from unnest(v) with ordinality as o (value, n), @extschema@._parts(o.value::text) as p
    group by p.part order by min(o.n)
  );
begin
  if cardinality(kept) < 2 then
    return kept[1]::@extschema@.geometry;
  elsif exists (select from unnest(kept) as k where @extschema@._wkt(k) !~ '^POINT') then
    raise exception 'st_union is not served but for points: this server has no PostGIS'
      using errcode = '0A000';
  end if;
  return @extschema@._gathered(kept);
end
$$;
create aggregate @extschema@.st_union(@extschema@.geometry) (
  sfunc = array_append, stype = @extschema@.geometry[], finalfunc = @extschema@._united
);

-- Every other function of the original is refused by name when it is called, not when a view, a
-- policy or a function that names it is made: what it takes and gives by letters, then the names.
do $refused$
declare
  kinds jsonb := '{"g": "@e.geometry", "o": "@e.geography", "d": "double precision", "i": "integer",
    "t": "text", "b": "boolean", "y": "bytea", "2": "@e.box2d", "3": "@e.box3d", "G": "@e.geometry[]",
    "j": "json", "s": "smallint", "D": "setof @e.geometry_dump", "S": "setof @e.geometry",
    "v": "@e.valid_detail", "e": "anyelement"}';
  f record;
begin
  for f in
    select 'st_' || name as name, taken, given, string_agg(
      (kinds ->> kind[1]) || case when kind[2] <> '' then ' default null' else '' end, ', ' order by n
    ) as arguments, string_agg(kinds ->> kind[1], ', ' order by n) as types, kinds ->> given as returns
    from (values
      ('tt', 'g', 'estimatedextent'), ('ttt', 'g', 'estimatedextent'), ('tttb', 'g', 'estimatedextent'),
      ('2d', '2', 'expand'),
      ('2dd', '2', 'expand'),
      ('3', 'd', 'xmax xmin ymax ymin zmax zmin'),
      ('3d', '3', 'expand'),
      ('3ddd?', '3', 'expand'),
      ('G', 'G', 'clusterintersecting'),
      ('G', 'g', 'collect makeline polygonize union'),
      ('Gd', 'G', 'clusterwithin'),
      ('dd', 'g', 'makepoint point'),
      ('ddd', 'g', 'makepoint makepointm'),
      ('dddd', 'g', 'makepoint'),
      ('ddddi?', 'g', 'makeenvelope pointzm'),
      ('dddi?', 'g', 'pointm pointz'),
      ('ddi', 'g', 'point'),
      ('diig?', 'g', 'hexagon square'),
      ('g', 'D', 'dump dumppoints dumprings dumpsegments'),
      ('g', 'b', 'isclosed iscollection isempty ispolygonccw ispolygoncw isring issimple isvalid'),
      ('g', 'd', '3dlength 3dperimeter area area2d length length2d m minimumclearance perimeter'
        ' perimeter2d x y z'),
      ('g', 'g', 'boundary buildarea centroid cleangeometry collectionextract'
        ' collectionhomogenize convexhull endpoint envelope exteriorring flipcoordinates'
        ' force2d forcecollection forcepolygonccw forcepolygoncw forcerhr forcesfs'
        ' linefrommultipoint linemerge makepolygon makevalid minimumclearanceline multi'
        ' node normalize orientedenvelope pointonsurface points reverse shiftlongitude'
        ' startpoint triangulatepolygon'),
      ('g', 'i', 'dimension npoints nrings numgeometries numinteriorring numinteriorrings'
        ' numpoints srid'),
      ('g', 's', 'coorddim ndims zmflag'),
      ('g', 't', 'asewkt ashexewkb astext geometrytype isvalidreason summary'),
      ('g', 'y', 'asbinary asewkb'),
      ('g2', 'g', 'clipbybox2d'),
      ('g2i?i?b?', 'g', 'asmvtgeom'),
      ('gG', 'g', 'makepolygon'),
      ('gb', 'g', 'linemerge'),
      ('gb?', 'g', 'boundingdiagonal'),
      ('gd', 'g', '3dlineinterpolatepoint expand lineinterpolatepoint reduceprecision rotate'
        ' rotatex rotatey rotatez segmentize simplify simplifypreservetopology'
        ' simplifyvw snaptogrid'),
      ('gdb', 'g', 'simplify'),
      ('gdb?', 'g', 'concavehull lineinterpolatepoints'),
      ('gdd', 'g', 'addmeasure linesubstring locatebetweenelevations scale snaptogrid translate'),
      ('gddd', 'b', 'pointinsidecircle'),
      ('gddd', 'g', 'rotate scale translate'),
      ('gdddd', 'g', 'snaptogrid transscale'),
      ('gdddddd', 'g', 'affine'),
      ('gdddddddddddd', 'g', 'affine'),
      ('gddd?', 'g', 'locatebetween'),
      ('gdd?', 'g', 'locatealong'),
      ('gdg', 'g', 'rotate'),
      ('gdi', 'g', 'buffer'),
      ('gdt?', 'g', 'buffer'),
      ('gd?', 'g', 'force3d force3dm force3dz removerepeatedpoints unaryunion'),
      ('gd?d?', 'g', 'force4d'),
      ('gd?g?', 'g', 'voronoilines voronoipolygons'),
      ('gd?i?', 'g', 'delaunaytriangles'),
      ('gd?i?b?', 'g', 'geometricmedian'),
      ('gg', '2', 'makebox2d'),
      ('gg', '3', '3dmakebox'),
      ('gg', 'b', '3dintersects contains containsproperly coveredby covers crosses disjoint'
        ' equals intersects orderingequals overlaps touches within'),
      ('gg', 'd', '3ddistance 3dmaxdistance angle azimuth distance distancesphere'
        ' distancespheroid hausdorffdistance interpolatepoint linelocatepoint'
        ' maxdistance'),
      ('gg', 'g', '3dclosestpoint 3dlongestline 3dshortestline addpoint closestpoint collect'
        ' longestline makeline scale scroll shortestline split symmetricdifference union'),
      ('gg', 'i', 'linecrossingdirection'),
      ('gg', 't', 'relate'),
      ('ggd', 'b', '3ddfullywithin 3ddwithin dfullywithin dwithin'),
      ('ggd', 'd', 'distancesphere hausdorffdistance'),
      ('ggd', 'g', 'snap union'),
      ('ggdddd', 'g', 'snaptogrid'),
      ('ggd?', 'd', 'frechetdistance'),
      ('ggd?', 'g', 'difference intersection symdifference'),
      ('ggg', 'g', 'scale'),
      ('gggg?', 'd', 'angle'),
      ('ggi', 'g', 'addpoint'),
      ('ggi', 't', 'relate'),
      ('ggt', 'b', 'relate'),
      ('gi', 'b', 'isvalid'),
      ('gi', 'g', 'collectionextract generatepoints geometryn interiorringn pointn polygon'
        ' removepoint setsrid transform'),
      ('gi', 't', 'asewkt astext isvalidreason'),
      ('gig', 'g', 'setpoint'),
      ('gii', 'g', 'generatepoints'),
      ('gii?i?i?', 'g', 'quantizecoordinates'),
      ('gi?', 'g', 'minimumboundingcircle'),
      ('gi?', 't', 'asencodedpolyline geohash'),
      ('gi?', 'v', 'isvaliddetail'),
      ('gi?b?', 'g', 'chaikinsmoothing'),
      ('gi?d?', 'S', 'subdivide'),
      ('gi?i?', 't', 'asgeojson asgml assvg'),
      ('gi?t?', 't', 'askml'),
      ('gt', 'g', 'forcesfs makevalid transform'),
      ('gt', 't', 'ashexewkb'),
      ('gt', 'y', 'asbinary asewkb'),
      ('gti', 'g', 'transform'),
      ('gtt', 'g', 'transform'),
      ('gt?', 't', 'aslatlontext'),
      ('igi?i?t?t?', 't', 'asgml'),
      ('iiig?d?', 'g', 'tileenvelope'),
      ('ioi?i?t?t?', 't', 'asgml'),
      ('j', 'g', 'geomfromgeojson'),
      ('o', 'i', 'srid'),
      ('o', 't', 'asewkt astext summary'),
      ('o', 'y', 'asbinary'),
      ('ob?', 'd', 'area length perimeter'),
      ('ob?', 'o', 'centroid'),
      ('od', 'o', 'buffer segmentize'),
      ('odd', 'o', 'project'),
      ('odi', 'o', 'buffer'),
      ('odt', 'o', 'buffer'),
      ('oi', 'o', 'setsrid'),
      ('oi', 't', 'asewkt astext'),
      ('oi?', 't', 'geohash'),
      ('oi?i?', 't', 'asgeojson assvg'),
      ('oi?i?t?t?', 't', 'asgml'),
      ('oi?t?', 't', 'askml'),
      ('oo', 'b', 'coveredby covers intersects'),
      ('oo', 'd', 'azimuth'),
      ('oo', 'o', 'intersection'),
      ('oob?', 'd', 'distance'),
      ('oodb?', 'b', 'dwithin'),
      ('ot', 'y', 'asbinary'),
      ('t', 'g', 'geomfromgml geomfromkml'),
      ('ti', 'g', 'geomfromgml'),
      ('y', 'g', 'geomcollfromwkb geomfromewkb geomfromwkb linefromwkb linestringfromwkb'
        ' mlinefromwkb mpointfromwkb mpolyfromwkb multilinefromwkb multipointfromwkb'
        ' multipolyfromwkb pointfromwkb polyfromwkb polygonfromwkb wkbtosql'),
      ('y', 'o', 'geogfromwkb'),
      ('yi', 'g', 'geomcollfromwkb geomfromwkb linefromwkb linestringfromwkb mlinefromwkb'
        ' mpointfromwkb mpolyfromwkb multipointfromwkb multipolyfromwkb pointfromwkb'
        ' polyfromwkb polygonfromwkb')
    ) as r (taken, given, names),
      unnest(string_to_array(names, ' ')) as name,
      regexp_matches(taken, '(\w)(\??)', 'g') with ordinality as k (kind, n)
    group by name, taken, given
  loop
    if to_regprocedure(replace(f.name || '(' || f.types || ')', '@e.', '@extschema@.')) is not null
      or to_regprocedure(replace('@e.' || f.name || '(' || f.types || ')', '@e.', '@extschema@.'))
        is not null
    then
      continue;
    end if;
    execute replace(format(
      'create function @e.%I(%s) returns %s language plpgsql immutable parallel safe as %L', f.name,
      f.arguments, f.returns, format(
        'begin if $1 is null then return%s; end if; raise exception %L using errcode = %L; end',
        case when f.returns like 'setof%' then '' else ' null' end,
        f.name || ' is not served: this server has no PostGIS', '0A000'
      )
    ), '@e.', '@extschema@.');
  end loop;
  for f in select * from (values
    ('st_asmvt', 'anyelement', 'bytea'), ('st_asmvt', 'anyelement, text', 'bytea'),
    ('st_asmvt', 'anyelement, text, integer', 'bytea'),
    ('st_asmvt', 'anyelement, text, integer, text', 'bytea'),
    ('st_polygonize', '@e.geometry', '@e.geometry'),
    ('st_clusterintersecting', '@e.geometry', '@e.geometry[]'),
    ('st_clusterwithin', '@e.geometry, double precision', '@e.geometry[]')
  ) as a (name, arguments, returns) loop
    execute replace(format(
      'create function @e.%1$I(%2$s, %3$s) returns %2$s language plpgsql immutable as %4$L',
      '_' || f.name || '_next', f.returns, f.arguments, format(
        'begin raise exception %L using errcode = %L; end',
        f.name || ' is not served: this server has no PostGIS', '0A000'
      )
    ), '@e.', '@extschema@.');
    execute replace(format(
      'create aggregate @e.%1$I(%2$s) (sfunc = @e.%3$I, stype = %4$s)', f.name, f.arguments,
      '_' || f.name || '_next', f.returns
    ), '@e.', '@extschema@.');
  end loop;
end
$refused$;

do $operators$
declare
  kind text;
  op record;
begin
  for op in select * from (values
    ('~', 'geometry_contains', '@e.st_xmin(a) <= @e.st_xmin(b) and @e.st_ymin(a) <= @e.st_ymin(b)'
      ' and @e.st_xmax(a) >= @e.st_xmax(b) and @e.st_ymax(a) >= @e.st_ymax(b)'),
    ('@', 'geometry_within', '@e.st_xmin(b) <= @e.st_xmin(a) and @e.st_ymin(b) <= @e.st_ymin(a)'
      ' and @e.st_xmax(b) >= @e.st_xmax(a) and @e.st_ymax(b) >= @e.st_ymax(a)'),
    ('~=', 'geometry_same', '@e._box(a::text)::text = @e._box(b::text)::text'),
    ('<<', 'geometry_left', '@e.st_xmax(a) < @e.st_xmin(b)'),
    ('>>', 'geometry_right', '@e.st_xmin(a) > @e.st_xmax(b)')
  ) as o (name, function, body) loop
    execute replace(format(
      'create function @e.%I(a @e.geometry, b @e.geometry) returns boolean'
      ' language sql immutable strict parallel safe as %L', op.function, 'select ' || op.body
    ), '@e.', '@extschema@.');
    execute format(
      'create operator @extschema@.%s (leftarg = @extschema@.geometry, rightarg = @extschema@.geometry,'
      ' function = @extschema@.%I)', op.name, op.function
    );
  end loop;
end
$operators$;
create cast (@extschema@.geometry as @extschema@.box2d)
  with function @extschema@.box2d(@extschema@.geometry) as implicit;
create cast (@extschema@.geometry as @extschema@.box3d)
  with function @extschema@.box3d(@extschema@.geometry) as implicit;
create cast (@extschema@.box2d as @extschema@.geometry)
  with function @extschema@.geometry(@extschema@.box2d) as implicit;
create cast (@extschema@.box3d as @extschema@.geometry)
  with function @extschema@.geometry(@extschema@.box3d) as implicit;

-- ── what tools ask ─────────────────────────────────────────────────────────────────────────────

create function @extschema@.postgis_version() returns text
language sql immutable parallel safe
as $$ select '3.3 USE_GEOS=0 USE_PROJ=0 USE_STATS=0'::text $$;
create function @extschema@.postgis_full_version() returns text
language sql immutable parallel safe
as $$ select 'POSTGIS="3.3.7 compat" (SQL alone)'::text $$;

create table @extschema@.spatial_ref_sys (
  srid integer not null,
  auth_name varchar(256),
  auth_srid integer,
  srtext varchar(2048),
  proj4text varchar(2048),
  constraint spatial_ref_sys_pkey primary key (srid)
);
insert into @extschema@.spatial_ref_sys (srid, auth_name, auth_srid)
values (4326, 'EPSG', 4326), (3857, 'EPSG', 3857);
grant select on @extschema@.spatial_ref_sys to public;

do $views$
declare
  kind text;
begin
  foreach kind in array array['geometry', 'geography'] loop
    execute format(
      'create view @extschema@.%1$I as select current_database()::text as f_table_catalog,'
      ' n.nspname as f_table_schema, c.relname as f_table_name, a.attname as %2$I,'
      ' 2 as coord_dimension, greatest(a.atttypmod, 0) / 16 as srid,'
      ' upper(coalesce((@extschema@._names())[a.atttypmod %% 16], ''GEOMETRY'')) as type'
      ' from pg_catalog.pg_attribute a join pg_catalog.pg_class c on c.oid = a.attrelid'
      ' join pg_catalog.pg_namespace n on n.oid = c.relnamespace'
      ' where a.atttypid = %3$s and not a.attisdropped and c.relkind = any (%4$L)',
      kind || '_columns', 'f_' || kind || '_column',
      format('''@extschema@.%I''::regtype', kind), '{r,v,m,f,p}'
    );
    execute format('grant select on @extschema@.%I to public', kind || '_columns');
  end loop;
end
$views$;
