-- The same answers from fewer statements. Every worker asks about a change for its own subscribers, so
-- what a question costs before its first caller is paid as often as there are workers.

-- Whether new snapshots see the rows of all these transactions. The stream gives the lower 32 bits of a
-- transaction's number; it is the nearest one to those that run now.
create or replace function realtime.commits_visible(xids bigint[])
returns boolean
language plpgsql
volatile
set search_path = ''
as $$
declare
  epoch_size constant bigint := 4294967296;
  snapshot constant pg_snapshot := pg_current_snapshot();
  next_xid constant bigint := pg_snapshot_xmax(snapshot)::text::bigint;
  xid bigint;
begin
  foreach xid in array xids loop
    xid := next_xid - next_xid % epoch_size + xid;
    if xid > next_xid + epoch_size / 2 then
      xid := xid - epoch_size;
    end if;
    if not pg_visible_in_snapshot(xid::text::xid8, snapshot) then
      return false;
    end if;
  end loop;
  return true;
end
$$;

create or replace function realtime.await_commits(xids bigint[])
returns void
language plpgsql
volatile
set search_path = ''
as $$
begin
  while not realtime.commits_visible(xids) loop
    perform pg_sleep(0.001);
  end loop;
end
$$;

-- A key with a null or missing part names no row, and so does every key of a table without a primary
-- key. A single key, by far the most frequent question, needs no join; several are looked up one by
-- one in one query, so that what a policy computes once per statement is computed once for all.
create or replace function realtime.key_question(entity regclass, keys jsonb)
returns realtime.question
language sql
stable
as $$
  select
    case count(*)
      when 0 then $q$select '{}'::integer[]$q$
      when 1 then format(
        $q$select case when %s then '{1}'::integer[] else '{}' end$q$, min(wanted.condition)
      )
      else format(
        'select array(select wanted.n from (values %s) as wanted (n, %s)'
        ' cross join lateral (select from %s as sought where %s limit 1) as found)',
        string_agg(format('(%s, %s)', wanted.n, wanted.literals), ', '),
        min(wanted.names), entity, min(wanted.matches)
      )
    end,
    coalesce(
      array_agg(wanted.condition order by wanted.n),
      array_fill('false'::text, array[jsonb_array_length(keys)])
    )
  from (
    select
      k.n,
      string_agg(format('k%s', c.n), ', ') as names,
      string_agg(format('%L::%s', k.key ->> c.name, c.type), ', ') as literals,
      string_agg(format('sought.%I = wanted.k%s', c.name, c.n), ' and ') as matches,
      format(
        'exists (select from %s as sought where %s)', entity,
        string_agg(format('sought.%I = %L::%s', c.name, k.key ->> c.name, c.type), ' and ')
      ) as condition
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

-- As before, but a statement left over by a call that was cancelled is met where it stands in the way.
create or replace function realtime.sightings(question realtime.question, role text, claims text[])
returns table (first integer, last integer, seen integer[], errors text[])
language plpgsql
volatile
as $$
declare
  own_role constant text := current_setting('role');
  own_claims constant text := coalesce(current_setting('request.jwt.claims', true), '');
  texts constant text[] := sightings.claims;
  is_prepared boolean := false;
  n integer := 1;
  answer integer[];
  put text;
begin
  first := 1;
  while n <= cardinality(texts) loop
    begin
      put := set_config('role', sightings.role, true);
      if not is_prepared then
        execute 'prepare realtime_question as ' || question.query;
        is_prepared := true;
      end if;
      while n <= cardinality(texts) loop
        put := set_config('request.jwt.claims', coalesce(texts[n], ''), true);
        execute 'execute realtime_question' into answer;
        if n > first and answer <> seen then
          last := n - 1;
          return next;
          first := n;
        end if;
        seen := answer;
        n := n + 1;
      end loop;
    exception
      when others then
        put := set_config('role', own_role, true);
        if not is_prepared and sqlstate = '42P05' then
          deallocate realtime_question;
          continue;
        end if;
        if n > first then
          last := n - 1;
          return next;
        end if;
        select a.seen, a.errors into seen, errors
        from realtime.sightings_apart(question.conditions, sightings.role, texts[n]) as a;
        first := n;
        last := n;
        return next;
        errors := null;
        n := n + 1;
        first := n;
    end;
  end loop;
  if n > first then
    last := n - 1;
    return next;
  end if;
  put := set_config('role', own_role, true);
  put := set_config('request.jwt.claims', own_claims, true);
  if is_prepared then
    deallocate realtime_question;
  end if;
end
$$;

comment on function realtime.commits_visible(bigint[]) is
  'Whether what these committed transactions wrote can be seen.';

revoke execute on function realtime.commits_visible(bigint[]) from public;
grant execute on function realtime.commits_visible(bigint[]) to supabase_realtime_admin;

do $owner$
begin
  if exists (select from pg_catalog.pg_roles where rolname = 'postgres') then
    grant execute on function realtime.commits_visible(bigint[]) to postgres;
  end if;
end
$owner$;
