-- A channel's subscriptions in one call: a join waits for this, and each trip to the database counts.

-- Write the entries of a channel in place of those it had. `entries` is an array of objects: tables
-- (their oids), filters (column, op, value, negate), event, and select (null for all columns). The
-- answer is where the log stood afterwards, or which entry was refused with what; none is written then.
create or replace function realtime.subscribe(subscription uuid, entries jsonb, claims jsonb)
returns table (lsn bigint, refused integer, state text, message text)
language plpgsql
volatile
as $$
declare
  entry jsonb;
begin
  delete from realtime.subscription s where s.subscription_id = subscribe.subscription;
  begin
    refused := 0;
    for entry in select e.value from jsonb_array_elements(entries) as e loop
      refused := refused + 1;
      insert into realtime.subscription
        (subscription_id, entity, filters, claims, action_filter, selected_columns)
      select
        subscribe.subscription,
        wanted.oid::bigint::oid::regclass,
        array(
          select row(f.value ->> 0, (f.value ->> 1)::realtime.equality_op, f.value ->> 2,
            (f.value ->> 3)::boolean)::realtime.user_defined_filter
          from jsonb_array_elements(entry -> 'filters') as f
        ),
        subscribe.claims,
        entry ->> 'event',
        case
          when jsonb_typeof(entry -> 'select') = 'array'
            then array(select jsonb_array_elements_text(entry -> 'select'))
        end
      from jsonb_array_elements_text(entry -> 'tables') as wanted (oid)
      on conflict do nothing;
    end loop;
    refused := null;
    lsn := (pg_current_wal_insert_lsn() - '0/0'::pg_lsn)::bigint;
  exception
    when others then
      get stacked diagnostics state = returned_sqlstate, message = message_text;
  end;
  return next;
end
$$;

comment on function realtime.subscribe(uuid, jsonb, jsonb) is
  'Writes a channel''s entries, all or none; where the log stands then, or the refused entry''s number from 1.';

alter function realtime.subscribe(uuid, jsonb, jsonb) owner to supabase_realtime_admin;
revoke execute on function realtime.subscribe(uuid, jsonb, jsonb) from public;
grant execute on function realtime.subscribe(uuid, jsonb, jsonb) to supabase_realtime_admin;
