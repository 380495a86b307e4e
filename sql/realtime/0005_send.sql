-- What users' SQL calls: the channel of the question, and sending to a channel. A failed send is a
-- warning and nothing more, so that no statement of an application fails because nobody could be
-- told of it.

create or replace function realtime.topic()
returns text
language sql
stable
as $$ select nullif(current_setting('realtime.topic', true), '') $$;

create or replace function realtime.send(
  payload jsonb, event text, topic text, private boolean default true
)
returns void
language plpgsql
volatile
as $$
declare
  message_id uuid := gen_random_uuid();
begin
  perform set_config('realtime.topic', send.topic, true);
  insert into realtime.messages (id, payload, event, topic, private, extension)
  values (
    message_id,
    case
      when send.payload ? 'id' then send.payload
      else jsonb_set(send.payload, '{id}', to_jsonb(message_id))
    end,
    send.event, send.topic, send.private, 'broadcast'
  );
exception
  when others then
    raise warning 'WarnSendingBroadcastMessage: %', sqlerrm;
end
$$;

create or replace function realtime.send_binary(
  payload bytea, event text, topic text, private boolean default true
)
returns void
language plpgsql
volatile
as $$
begin
  perform set_config('realtime.topic', send_binary.topic, true);
  insert into realtime.messages (binary_payload, event, topic, private, extension)
  values (
    send_binary.payload, send_binary.event, send_binary.topic, send_binary.private, 'broadcast'
  );
exception
  when others then
    raise warning 'WarnSendingBroadcastMessage: %', sqlerrm;
end
$$;

create or replace function realtime.broadcast_changes(
  topic_name text,
  event_name text,
  operation text,
  table_name text,
  table_schema text,
  new record,
  old record,
  level text default 'ROW'
)
returns void
language plpgsql
volatile
as $$
begin
  if level = 'STATEMENT' then
    raise exception
      'Failed to process the row: function can only be triggered for each row, not for each statement';
  elsif operation is null or operation not in ('INSERT', 'UPDATE', 'DELETE') then
    raise exception 'Failed to process the row: Unexpected operation type: %', operation;
  end if;
  perform realtime.send(
    jsonb_build_object(
      'record', new, 'old_record', old,
      'operation', operation, 'table', table_name, 'schema', table_schema
    ),
    event_name,
    topic_name
  );
end
$$;

comment on function realtime.topic() is
  'The channel that a policy on realtime.messages is asked about.';
comment on function realtime.send(jsonb, text, text, boolean) is
  'Sends a broadcast to a channel, private unless told otherwise.';
comment on function realtime.send_binary(bytea, text, text, boolean) is
  'Sends a binary broadcast to a channel; only clients of protocol 2.0.0 receive it.';
comment on function
  realtime.broadcast_changes(text, text, text, text, text, record, record, text) is
  'For row triggers: sends the change of a row to a private channel.';

alter function realtime.topic() owner to supabase_realtime_admin;
alter function realtime.send(jsonb, text, text, boolean) owner to supabase_realtime_admin;
alter function realtime.send_binary(bytea, text, text, boolean) owner to supabase_realtime_admin;
alter function realtime.broadcast_changes(text, text, text, text, text, record, record, text)
  owner to supabase_realtime_admin;
