-- Who of many may see a changed row: one call for all callers and all rows of a transaction. Callers
-- are walked role by role; the rows are looked for by primary key in the table's present state.

-- Is there a row with each of these keys? A key with a null or missing part names none, and so does
-- every key of a table without a primary key. In the query the keys are joined one by one to a
-- look-up, so that what a policy computes once per statement is computed once for all keys.
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
  wanted as (
    select
      k.n,
      string_agg(format('%L::%s', k.key ->> c.attname, c.type), ', ' order by c.n)
        filter (where c.n is not null) as literals,
      string_agg(format('sought.%I = %L::%s', c.attname, k.key ->> c.attname, c.type), ' and ')
        filter (where c.n is not null) as condition
    from jsonb_array_elements(keys) with ordinality as k (key, n)
    left join key_columns c on true
    group by k.n
  ),
  target as (
    select
      format('%I.%I as sought', s.nspname, t.relname) as relation,
      (select string_agg(format('sought.%I = wanted.k%s', attname, n), ' and ') from key_columns)
        as matches,
      (select string_agg(format('k%s', n), ', ' order by n) from key_columns) as names
    from pg_catalog.pg_class t
    join pg_catalog.pg_namespace s on s.oid = t.relnamespace
    where t.oid = entity
  )
  select
    case
      when count(w.n) = 0 then 'select array[]::boolean[]'
      when target.names is null then format(
        'select array_fill(false, array[%s])', count(w.n)
      )
      else format(
        'select array_agg(found.it is not null order by wanted.n) from (values %s) as wanted (n, %s)'
        ' left join lateral (select true as it from %s where %s limit 1) as found on true',
        string_agg(format('(%s, %s)', w.n, w.literals), ', '),
        target.names, target.relation, target.matches
      )
    end,
    coalesce(array_agg(
      coalesce(
        format('exists (select from %s where %s)', target.relation, w.condition), 'false'
      )
      order by w.n
    ) filter (where w.n is not null), '{}')
  from target
  left join wanted w on true
  group by target.names, target.relation, target.matches
$$;

create or replace function realtime.visible_to(
  entity regclass, keys jsonb, roles text[], claims text[]
)
returns table (entry integer, visible boolean[], errors text[])
language sql
volatile
as $$
  select callers.numbers[a.n], a.visible, a.errors
  from (
    select c.role, array_agg(c.claims order by c.n) as claims, array_agg(c.n::integer order by c.n) as numbers
    from unnest(visible_to.roles, visible_to.claims) with ordinality as c (role, claims, n)
    group by c.role
  ) as callers
  cross join lateral realtime.answers(
    realtime.key_question(visible_to.entity, visible_to.keys), callers.role, callers.claims
  ) as a
$$;

-- Which columns each role may read: one row per role, its columns in the table's order.
create or replace function realtime.readable_columns(entity regclass, roles text[])
returns table (role text, columns text[])
language sql
stable
as $$
  select r.role, coalesce(array_agg(a.attname::text order by a.attnum) filter (
    where has_column_privilege(r.role, a.attrelid, a.attnum, 'select')
  ), '{}')
  from (
    select distinct wanted as role from unnest(roles) as wanted
    where to_regrole(quote_ident(wanted)) is not null
  ) as r
  cross join pg_catalog.pg_attribute a
  where a.attrelid = entity and a.attnum > 0 and not a.attisdropped
  group by r.role
$$;

comment on function realtime.visible_to(regclass, jsonb, text[], text[]) is
  'For each (role, claims) by its number from 1: which of the keys (array of {column: text}) name '
  'rows it may see now; errors is null, or per key the text of what a policy raised.';
comment on function realtime.readable_columns(regclass, text[]) is
  'The columns that each of the roles may select; roles that do not exist are left out.';

revoke execute on function realtime.visible_to(regclass, jsonb, text[], text[]) from public;
grant execute on function realtime.visible_to(regclass, jsonb, text[], text[])
  to supabase_realtime_admin;
