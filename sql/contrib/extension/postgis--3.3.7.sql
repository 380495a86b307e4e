-- PostGIS's types and commonest functions without its library: a value is kept as the text that was
-- given (WKT, EWKT, GeoJSON, hexadecimal WKB). Distances of geographies are the spheroid's, between
-- points; polygons answer whether they hold a point. An index on them is never used. What is not here
-- is refused by name, or has no function.

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
      ('_geojson', 'v text', 'jsonb', 'jsonb_build_object(''type'', @e._name(v), ''coordinates'','
        ' case when @e._wkt(v) ~ ''^POINT'' then @e._lists(v) -> 0 else @e._lists(v) end)'),
      ('st_asgeojson', 'v @e.geometry, maxdecimaldigits integer default 9,'
        ' options integer default 8', 'text', '@e._geojson(v::text)::text'),
      ('st_asgeojson', 'v @e.geography, maxdecimaldigits integer default 9,'
        ' options integer default 0', 'text', '@e._geojson(v::text)::text'),
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
  -- What is refused by name.
  for f in
    select n as name, a as arguments
    from unnest(array['st_union', 'st_intersection', 'st_difference', 'st_closestpoint']) as n,
      unnest(array['a @e.geometry, b @e.geometry']) as a
    union all
    select n, a
    from unnest(array['st_buffer', 'st_simplify', 'st_segmentize']) as n,
      unnest(array['a @e.geometry, b double precision', 'a @e.geography, b double precision']) as a
    union all
    select n, 'a @e.geometry, b integer' from unnest(array['st_collectionextract', 'st_geometryn']) as n
    union all
    select 'st_simplifypreservetopology', 'a @e.geometry, b double precision'
    union all
    select n, 'a @e.geometry'
    from unnest(array['st_pointonsurface', 'st_shiftlongitude', 'st_convexhull']) as n
    union all
    select 'st_estimatedextent', a
    from unnest(array['a text, b text', 'a text, b text, c text', 'a text, b text, c text, d boolean'])
      as a
  loop
    execute replace(format(
      'create function @e.%I(%s) returns @e.geometry language plpgsql immutable strict as %L', f.name,
      f.arguments, format('begin raise exception %L using errcode = %L; end',
        f.name || ' is not served: this server has no PostGIS', '0A000')
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

create function @extschema@.st_distance(
  a @extschema@.geography, b @extschema@.geography, use_spheroid boolean default true
) returns double precision
language sql immutable strict parallel safe
as $$
  select @extschema@._metres(l.x, l.y, r.x, r.y)
  from @extschema@._point(a::text) as l, @extschema@._point(b::text) as r
$$;
create function @extschema@.st_distance(a @extschema@.geometry, b @extschema@.geometry)
returns double precision
language sql immutable strict parallel safe
as $$
  select sqrt((l.x - r.x) ^ 2 + (l.y - r.y) ^ 2)
  from @extschema@._point(a::text) as l, @extschema@._point(b::text) as r
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
    select ring, abs(sum(x * y2 - x2 * y)) / 2 as area
    from @extschema@._edges(value::text) group by ring
  ) as rings
$$;
create function @extschema@.st_length(value @extschema@.geometry) returns double precision
language sql immutable strict parallel safe
as $$
  select coalesce(sum(sqrt((x2 - x) ^ 2 + (y2 - y) ^ 2)), 0) from @extschema@._edges(value::text)
$$;
create function @extschema@.st_length(
  value @extschema@.geography, use_spheroid boolean default true
) returns double precision
language sql immutable strict parallel safe
as $$
  select coalesce(sum(@extschema@._metres(x, y, x2, y2)), 0) from @extschema@._edges(value::text)
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
      ('st_intersects', 'boolean', '@e._overlaps(a::text, b::text) and ('
        '@e._wkt(a::text) !~ ''^POINT'' and @e._wkt(b::text) !~ ''^POINT'''
        ' or @e._within(a::text, b::text) or @e._within(b::text, a::text))'),
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
