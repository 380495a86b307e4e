-- The queries that tell which rows are visible, one for present and one for deleted rows, for the one
-- function of the next file. It replaces visible_to, old_visible_to, kept_sightings and what they shared.

drop function if exists realtime.visible_to(regclass, jsonb, text, text[]);
drop function if exists realtime.old_visible_to(regclass, jsonb, text, text[]);
drop function if exists realtime.kept_sightings(regclass, jsonb, text, text[], text);
drop function if exists realtime.sightings(realtime.question, text, text[]);
drop function if exists realtime.sightings_apart(text[], text, text);
drop function if exists realtime.old_row_question(regclass, jsonb, text);
drop function if exists realtime.key_question(regclass, jsonb);
drop type if exists realtime.question;

-- A query for the numbers of the keys whose rows are visible. A key with a null or missing part names no
-- row, and so does every key of a table without a primary key. A single key, by far the most frequent
-- case, needs no join; several are looked up one by one in one query, so that what a policy computes once
-- per statement is computed once for all.
create or replace function realtime.key_query(entity regclass, keys jsonb)
returns text
language sql
stable
as $$
  select
    case count(*)
      when 0 then $q$select '{}'::integer[]$q$
      when 1 then format(
        $q$select case when exists (select from %s as sought where %s) then '{1}'::integer[] else '{}' end$q$,
        entity, min(wanted.equalities)
      )
      else format(
        'select array(select wanted.n from (values %s) as wanted (n, %s)'
        ' cross join lateral (select from %s as sought where %s limit 1) as found)',
        string_agg(format('(%s, %s)', wanted.n, wanted.literals), ', '),
        min(wanted.names), entity, min(wanted.matches)
      )
    end
  from (
    select
      k.n,
      string_agg(format('k%s', c.n), ', ') as names,
      string_agg(format('%L::%s', k.key ->> c.name, c.type), ', ') as literals,
      string_agg(format('sought.%I = wanted.k%s', c.name, c.n), ' and ') as matches,
      string_agg(format('sought.%I = %L::%s', c.name, k.key ->> c.name, c.type), ' and ') as equalities
    from (
      select
        a.attnum as n,
        a.attname as name,
        format_type(a.atttypid, a.atttypmod) as type
      from pg_catalog.pg_index i
      join pg_catalog.pg_attribute a
        on a.attrelid = i.indrelid
        and a.attnum = any ((i.indkey::smallint[])[0:i.indnkeyatts - 1])
      where i.indrelid = entity and i.indisprimary
    ) as c
    cross join jsonb_array_elements(keys) with ordinality as k (key, n)
    group by k.n
  ) as wanted
$$;

-- A query for the numbers of the old rows for which the table's select policies hold. Each row is rebuilt
-- with the table's own row type under the table's own name, so that a policy's text means here what it
-- means there.
create or replace function realtime.old_row_query(entity regclass, old_rows jsonb, role text)
returns text
language sql
stable
as $$
  select
    case
      when count(*) = 0 then $q$select '{}'::integer[]$q$
      else format(
        'select array(select gone.n from (values %s) as gone (n, row)'
        ' where (select %s from (select (gone.row).*) as %I))',
        string_agg(format('(%s, %s)', gone.n, gone.value), ', '),
        coalesce(realtime.select_condition(entity, role), 'false'),
        min(gone.relname)
      )
    end
  from (
    select
      o.n,
      format('row(%s)::%I.%I', string_agg(
        format('%L::%s', o.old_row ->> a.attname, format_type(a.atttypid, a.atttypmod)),
        ', ' order by a.attnum
      ), s.nspname, c.relname) as value,
      c.relname
    from jsonb_array_elements(old_rows) with ordinality as o (old_row, n)
    join pg_catalog.pg_class c on c.oid = entity
    join pg_catalog.pg_namespace s on s.oid = c.relnamespace
    join pg_catalog.pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
    group by o.n, s.nspname, c.relname
  ) as gone
$$;

create or replace function realtime.visibility_query(
  entity regclass, rows jsonb, role text, are_deleted boolean
)
returns text
language sql
stable
as $$
  select case
    when are_deleted then realtime.old_row_query(entity, rows, role)
    else realtime.key_query(entity, rows)
  end
$$;

revoke execute on function
  realtime.kept_query(regclass),
  realtime.key_query(regclass, jsonb),
  realtime.old_row_query(regclass, jsonb, text),
  realtime.visibility_query(regclass, jsonb, text, boolean)
  from public;
grant execute on function
  realtime.kept_query(regclass),
  realtime.key_query(regclass, jsonb),
  realtime.old_row_query(regclass, jsonb, text),
  realtime.visibility_query(regclass, jsonb, text, boolean)
  to supabase_realtime_admin;

do $owner$
begin
  if exists (select from pg_catalog.pg_roles where rolname = 'postgres') then
    grant execute on function
      realtime.kept_query(regclass),
      realtime.key_query(regclass, jsonb),
      realtime.old_row_query(regclass, jsonb, text),
      realtime.visibility_query(regclass, jsonb, text, boolean)
      to postgres;
  end if;
end
$owner$;
