-- The answers to a question about rows, told once for each run of callers who see the same.
--
-- With hundreds of callers their number is what costs, on the way as in the query: neighbours mostly
-- see the same rows, all or none. A question is asked for callers of one role, and an answer is the
-- numbers of the rows that are seen.

drop function if exists realtime.visible_to(regclass, jsonb, text[], text[]);
drop function if exists realtime.old_visible_to(regclass, jsonb, text[], text[]);
drop function if exists realtime.answers(realtime.question, text, text[]);
drop function if exists realtime.answers_apart(text[], text, text);

comment on type realtime.question is
  'Rows asked about: a query for the array of the numbers of those that are seen, and one condition '
  'for each row, for when a policy raises.';

-- Callers first to last see the rows of these numbers; errors is null, or what policies raised for
-- each row. Callers share a subtransaction until one of them raises.
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
  if exists (select from pg_catalog.pg_prepared_statements where name = 'realtime_question') then
    deallocate realtime_question;  -- left over by a call that was cancelled
  end if;
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

-- The answer for one caller, each row in its own subtransaction: one whose policy raises is not seen.
-- Leaves role and claims as it set them; its caller puts them back.
create or replace function realtime.sightings_apart(conditions text[], role text, claims text)
returns table (seen integer[], errors text[])
language plpgsql
volatile
as $$
declare
  answer boolean;
begin
  seen := '{}';
  errors := '{}';
  for n in 1 .. cardinality(conditions) loop
    begin
      perform set_config('role', sightings_apart.role, true);
      perform set_config('request.jwt.claims', coalesce(sightings_apart.claims, ''), true);
      execute 'select ' || conditions[n] into answer;
      if answer then
        seen := seen || n;
      end if;
      errors := errors || null::text;
    exception
      when others then
        errors := errors || sqlerrm;
    end;
  end loop;
  return next;
end
$$;

revoke execute on function
  realtime.sightings(realtime.question, text, text[]),
  realtime.sightings_apart(text[], text, text)
  from public;
grant execute on function
  realtime.sightings(realtime.question, text, text[]),
  realtime.sightings_apart(text[], text, text)
  to supabase_realtime_admin;
