-- The two questions, as `sightings` asks them: which rows of these keys, and which of these old rows.

-- A key with a null or missing part names no row, and so does every key of a table without a primary
-- key. A single key, by far the most frequent question, needs no join; several are looked up one by
-- one in one query, so that what a policy computes once per statement is computed once for all.
create or replace function realtime.key_question(entity regclass, keys jsonb)
returns realtime.question
language sql
stable
as $$
  with key_columns as (
    select
      row_number() over (order by a.attnum) as n,
      a.attname,
      format_type(a.atttypid, a.atttypmod) as type
    from pg_catalog.pg_index i
    join pg_catalog.pg_attribute a
      on a.attrelid = i.indrelid
      and a.attnum = any ((i.indkey::smallint[])[0:i.indnkeyatts - 1])
    where i.indrelid = entity and i.indisprimary
  ),
  target as (
    select format('%I.%I as sought', s.nspname, t.relname) as relation
    from pg_catalog.pg_class t
    join pg_catalog.pg_namespace s on s.oid = t.relnamespace
    where t.oid = entity
  ),
  wanted as (
    select
      k.n,
      string_agg(format('%L::%s', k.key ->> c.attname, c.type), ', ' order by c.n)
        filter (where c.n is not null) as literals,
      coalesce('exists (select from ' || target.relation || ' where '
        || string_agg(format('sought.%I = %L::%s', c.attname, k.key ->> c.attname, c.type), ' and ')
          filter (where c.n is not null) || ')', 'false') as condition
    from jsonb_array_elements(keys) with ordinality as k (key, n)
    cross join target
    left join key_columns c on true
    group by k.n, target.relation
  ),
  matching as (
    select
      string_agg(format('sought.%I = wanted.k%s', attname, n), ' and ') as matches,
      string_agg(format('k%s', n), ', ' order by n) as names
    from key_columns
  )
  select
    case
      when count(w.n) = 0 or matching.names is null then $q$select '{}'::integer[]$q$
      when count(w.n) = 1 then format(
        $q$select case when %s then '{1}'::integer[] else '{}' end$q$, min(w.condition)
      )
      else format(
        'select array(select wanted.n from (values %s) as wanted (n, %s)'
        ' cross join lateral (select from %s where %s limit 1) as found)',
        string_agg(format('(%s, %s)', w.n, w.literals), ', '),
        matching.names, target.relation, matching.matches
      )
    end,
    coalesce(array_agg(w.condition order by w.n) filter (where w.n is not null), '{}')
  from target
  cross join matching
  left join wanted w on true
  group by target.relation, matching.matches, matching.names
$$;

-- Does the condition hold for the values of each old row? The row is rebuilt with the table's own
-- row type under the table's own name, so that a policy's text means here what it means there.
create or replace function realtime.old_row_question(
  entity regclass, old_rows jsonb, condition text
)
returns realtime.question
language sql
stable
as $$
  with gone as (
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
  )
  select
    case
      when count(*) = 0 then $q$select '{}'::integer[]$q$
      else format(
        'select array(select gone.n from (values %s) as gone (n, row)'
        ' where (select %s from (select (gone.row).*) as %I))',
        string_agg(format('(%s, %s)', n, value), ', '), condition, min(relname)
      )
    end,
    coalesce(array_agg(
      format('(select %s from (select (%s).*) as %I)', condition, value, relname) order by n
    ), '{}')
  from gone
$$;

create or replace function realtime.visible_to(entity regclass, keys jsonb, role text, claims text[])
returns table (first integer, last integer, seen integer[], errors text[])
language sql
volatile
as $$
  select * from realtime.sightings(realtime.key_question(entity, keys), role, claims)
$$;

create or replace function realtime.old_visible_to(
  entity regclass, old_rows jsonb, role text, claims text[]
)
returns table (first integer, last integer, seen integer[], errors text[])
language sql
volatile
as $$
  select *
  from realtime.sightings(
    realtime.old_row_question(
      entity, old_rows, coalesce(realtime.select_condition(entity, role), 'false')
    ),
    role,
    claims
  )
$$;

comment on function realtime.visible_to(regclass, jsonb, text, text[]) is
  'Which keys (array of {column: text}) name rows that callers of a role see now, by their claims: '
  'callers first to last see those of these numbers; errors is null, or what policies raised.';
comment on function realtime.old_visible_to(regclass, jsonb, text, text[]) is
  'As realtime.visible_to, about the values of rows that are gone: array of {column: text or null}.';

revoke execute on function
  realtime.visible_to(regclass, jsonb, text, text[]),
  realtime.old_visible_to(regclass, jsonb, text, text[])
  from public;
grant execute on function
  realtime.visible_to(regclass, jsonb, text, text[]),
  realtime.old_visible_to(regclass, jsonb, text, text[])
  to supabase_realtime_admin;
