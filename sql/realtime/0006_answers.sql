-- Asking something of the database in the name of many callers, one after the other.
--
-- The function becomes each caller's role and sets request.jwt.claims, so PostgreSQL itself applies
-- the policies. The question is prepared once per role and its plan reused for every claims text. (A
-- plan made under row-level security belongs to a role: PostgreSQL plans anew when the role changes.)
--
-- Security invoker of necessity: PostgreSQL forbids a change of role inside a definer function. The
-- session's user must be able to become every role named.

-- A question about some rows: a query that answers it for all of them with one array, and the same
-- as one condition per row, for when a policy raises.
do $type$
begin
  if to_regtype('realtime.question') is null then
    create type realtime.question as (query text, conditions text[]);
    alter type realtime.question owner to supabase_realtime_admin;
  end if;
end
$type$;

-- The answers to a question, per claims text of one role. Each caller has a subtransaction: an error
-- is that caller's own. After one, the conditions are asked one by one, so that only the row whose
-- policy raised is lost.
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
  is_prepared boolean := false;
begin
  if exists (select from pg_catalog.pg_prepared_statements where name = 'realtime_question') then
    deallocate realtime_question;  -- left over by a call that was cancelled
  end if;
  for n in select generate_subscripts(answers.claims, 1) loop
    begin
      perform set_config('role', answers.role, true);
      perform set_config('request.jwt.claims', coalesce(answers.claims[n], ''), true);
      if not is_prepared then
        execute 'prepare realtime_question as ' || question.query;
        is_prepared := true;
      end if;
      execute 'execute realtime_question' into visible;
      errors := null;
    exception
      when others then
        perform set_config('role', own_role, true);
        select a.visible, a.errors into visible, errors
        from realtime.answers_apart(question.conditions, answers.role, answers.claims[n]) as a;
    end;
    return next;
  end loop;
  perform set_config('role', own_role, true);
  perform set_config('request.jwt.claims', own_claims, true);
  if is_prepared then
    deallocate realtime_question;
  end if;
end
$$;

-- The answers of one caller, each in its own subtransaction: false with the error's text where
-- asking raised. Leaves role and claims as it set them; its caller puts them back.
create or replace function realtime.answers_apart(conditions text[], role text, claims text)
returns table (visible boolean[], errors text[])
language plpgsql
volatile
as $$
declare
  condition text;
  answer boolean;
begin
  visible := '{}';
  errors := '{}';
  foreach condition in array conditions loop
    begin
      perform set_config('role', answers_apart.role, true);
      perform set_config('request.jwt.claims', coalesce(answers_apart.claims, ''), true);
      execute 'select ' || condition into answer;
      visible := visible || coalesce(answer, false);
      errors := errors || null::text;
    exception
      when others then
        visible := visible || false;
        errors := errors || sqlerrm;
    end;
  end loop;
  return next;
end
$$;

revoke execute on function
  realtime.answers(realtime.question, text, text[]),
  realtime.answers_apart(text[], text, text)
  from public;
grant execute on function
  realtime.answers(realtime.question, text, text[]),
  realtime.answers_apart(text[], text, text)
  to supabase_realtime_admin;
