-- Messages sent from the database, and the table whose policies authorise private channels.
-- Partitioned by UTC day, so that forgetting after three days is a drop and not a delete.
-- The time stamps carry no zone; they are UTC whatever the session's time zone is.

create table if not exists realtime.messages (
  topic text not null,
  extension text not null,
  payload jsonb,
  event text,
  private boolean default false,
  updated_at timestamp without time zone not null default timezone('utc', now()),
  inserted_at timestamp without time zone not null default timezone('utc', now()),
  id uuid not null default gen_random_uuid(),
  binary_payload bytea,
  constraint messages_pkey primary key (id, inserted_at),
  constraint messages_payload_exclusive check (payload is null or binary_payload is null)
) partition by range (inserted_at);

create index if not exists messages_inserted_at_topic_index
  on realtime.messages (inserted_at desc, topic) where extension = 'broadcast' and private is true;

alter table realtime.messages owner to supabase_realtime_admin;
alter table realtime.messages enable row level security;
grant select, insert, update on realtime.messages to anon, authenticated, service_role;

comment on table realtime.messages is
  'Broadcasts from the database, kept for 72 hours. Policies here decide who may read (select) and '
  'write (insert) a private channel; realtime.topic() is the channel asked about.';

-- Run by the service at its start and then once an hour at least. Two at once do no harm.
create or replace function realtime.maintain_messages(
  keep interval default '72 hours', days_ahead integer default 3
)
returns void
language plpgsql
volatile
as $$
declare
  today date := timezone('utc', now())::date;
  day date;
  partition text;
  outlived regclass;
begin
  perform pg_advisory_xact_lock(hashtext('realtime.maintain_messages'));
  for day in
    select d::date from generate_series(today - 1, today + days_ahead, interval '1 day') as d
  loop
    partition := format('messages_%s', to_char(day, 'YYYY_MM_DD'));
    continue when to_regclass(format('realtime.%I', partition)) is not null;
    execute format(
      'create table realtime.%I partition of realtime.messages for values from (%L) to (%L)',
      partition, day, day + 1
    );
    execute format('alter table realtime.%I owner to supabase_realtime_admin', partition);
  end loop;
  for outlived in
    select i.inhrelid::regclass
    from pg_catalog.pg_inherits i
    join pg_catalog.pg_class c on c.oid = i.inhrelid
    where i.inhparent = 'realtime.messages'::regclass
      and c.relname ~ '^messages_\d{4}_\d{2}_\d{2}$'
      -- a day is over at its end, so it is kept for `keep` from then on
      and to_date(substr(c.relname, 10), 'YYYY_MM_DD') + 1 + keep <= timezone('utc', now())
  loop
    execute format('drop table %s', outlived);
  end loop;
end
$$;

alter function realtime.maintain_messages(interval, integer) owner to supabase_realtime_admin;
revoke execute on function realtime.maintain_messages(interval, integer) from public;

comment on function realtime.maintain_messages(interval, integer) is
  'Makes the partitions of yesterday to days_ahead days from now, drops those past keep.';

select realtime.maintain_messages();

-- Inserts only, under the parent's name: the service need not know the partitions.
do $publication$
begin
  if not exists (
    select from pg_catalog.pg_publication where pubname = 'supabase_realtime_messages_publication'
  ) then
    create publication supabase_realtime_messages_publication
      for table realtime.messages
      with (publish = 'insert', publish_via_partition_root = true);
  end if;
end
$publication$;
