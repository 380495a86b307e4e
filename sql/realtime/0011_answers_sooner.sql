-- The same answers as before from less work: at 500 callers their number is what costs.
--
-- The role is set once and not for each caller, callers share one subtransaction until one of them
-- raises, and settings are put by assignments, which plpgsql evaluates without a query of their own.

create or replace function realtime.answers(
  question realtime.question, role text, claims text[]
)
returns table (n integer, visible boolean[], errors text[])
language plpgsql
volatile
as $$
declare
  own_role constant text := current_setting('role');
  own_claims constant text := coalesce(current_setting('request.jwt.claims', true), '');
  texts constant text[] := answers.claims;
  is_prepared boolean := false;
  put text;
begin
  if exists (select from pg_catalog.pg_prepared_statements where name = 'realtime_question') then
    deallocate realtime_question;  -- left over by a call that was cancelled
  end if;
  n := 1;
  while n <= cardinality(texts) loop
    begin
      put := set_config('role', answers.role, true);
      if not is_prepared then
        execute 'prepare realtime_question as ' || question.query;
        is_prepared := true;
      end if;
      errors := null;
      while n <= cardinality(texts) loop
        put := set_config('request.jwt.claims', coalesce(texts[n], ''), true);
        execute 'execute realtime_question' into visible;
        return next;
        n := n + 1;
      end loop;
    exception
      when others then
        put := set_config('role', own_role, true);
        select a.visible, a.errors into visible, errors
        from realtime.answers_apart(question.conditions, answers.role, texts[n]) as a;
        return next;
        n := n + 1;
    end;
  end loop;
  put := set_config('role', own_role, true);
  put := set_config('request.jwt.claims', own_claims, true);
  if is_prepared then
    deallocate realtime_question;
  end if;
end
$$;

-- A single key, by far the most frequent question, needs neither a join nor an aggregate.
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
      when count(w.n) = 1 and target.names is not null then format(
        'select array[%s]',
        min(coalesce(
          format('exists (select from %s where %s)', target.relation, w.condition), 'false'
        ))
      )
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
