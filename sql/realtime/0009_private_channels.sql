-- Who may read from and write to a private channel: the policies of realtime.messages are asked in
-- a subtransaction that is always rolled back, in one round trip.
--
-- Both are security invoker: PostgreSQL forbids a change of role inside a definer function. The
-- session's user must be able to become the role of the claims. `settings` holds what policies may
-- read: request.jwt.claims, request.jwt.claim.sub, request.jwt.claim.role, request.headers, and
-- the role itself under `role`.

-- The extensions (broadcast, presence) of a topic that the role may select.
create or replace function realtime.readable_extensions(
  topic text, extensions text[], settings jsonb
)
returns text[]
language plpgsql
volatile
as $$
declare
  asked uuid[] := array(select gen_random_uuid() from unnest(extensions));
  readable text[];
begin
  begin
    insert into realtime.messages (id, topic, extension)
    select * from unnest(asked, array_fill(readable_extensions.topic, array[cardinality(asked)]),
      readable_extensions.extensions);
    perform realtime.become(readable_extensions.topic, settings);
    select coalesce(array_agg(m.extension), '{}') into readable
    from realtime.messages m
    where m.id = any (asked);
    raise exception using errcode = 'RTROL';
  exception
    when sqlstate 'RTROL' then null;
  end;
  return readable;
end
$$;

-- Whether the role may insert a message of an extension into a topic.
create or replace function realtime.is_writable(topic text, extension text, settings jsonb)
returns boolean
language plpgsql
volatile
as $$
begin
  begin
    perform realtime.become(is_writable.topic, settings);
    insert into realtime.messages (topic, extension)
    values (is_writable.topic, is_writable.extension);
    raise exception using errcode = 'RTROL';
  exception
    when sqlstate 'RTROL' then return true;
    when insufficient_privilege then return false;
  end;
end
$$;

-- Take on a caller's role and settings until the subtransaction ends.
create or replace function realtime.become(topic text, settings jsonb)
returns void
language plpgsql
volatile
as $$
begin
  perform set_config('realtime.topic', become.topic, true);
  perform set_config(s.key, s.value, true)
  from jsonb_each_text(settings) as s
  where s.key <> 'role';
  perform set_config('role', settings ->> 'role', true);
end
$$;

revoke execute on function realtime.readable_extensions(text, text[], jsonb),
  realtime.is_writable(text, text, jsonb), realtime.become(text, jsonb) from public;

alter function realtime.readable_extensions(text, text[], jsonb) owner to supabase_realtime_admin;
alter function realtime.is_writable(text, text, jsonb) owner to supabase_realtime_admin;
alter function realtime.become(text, jsonb) owner to supabase_realtime_admin;
