-- pg_cron without its library: jobs are rows, which the stack's worker runs as whoever made them, in
-- UTC. Names, arguments and columns as the original's.

-- It runs as superuser: a function of whoever creates it, in the schema that they name, is not found.
set local search_path to pg_catalog, pg_temp;

do $schema$
begin
  if to_regnamespace('cron') is null then  -- one that a backup brought stays
    create schema cron;
  end if;
end
$schema$;

create sequence cron.jobid_seq;
create sequence cron.runid_seq;

create table cron.job (
  jobid bigint not null default nextval('cron.jobid_seq'),
  schedule text not null,
  command text not null,
  nodename text not null default 'localhost',
  nodeport integer not null default 5432,
  database text not null default current_database(),
  username text not null default current_user,
  active boolean not null default true,
  jobname text,
  constraint job_pkey primary key (jobid),
  constraint jobname_username_uniq unique (jobname, username)
);
alter sequence cron.jobid_seq owned by cron.job.jobid;
comment on table cron.job is 'Jobs: when, what, and as whom.';

create table cron.job_run_details (
  jobid bigint,
  runid bigint not null default nextval('cron.runid_seq'),
  job_pid integer,
  database text,
  username text,
  command text,
  status text,
  return_message text,
  start_time timestamptz,
  end_time timestamptz,
  constraint job_run_details_pkey primary key (runid)
);
alter sequence cron.runid_seq owned by cron.job_run_details.runid;
create index job_run_details_start_time_idx on cron.job_run_details (start_time);
comment on table cron.job_run_details is 'Runs of the jobs, kept for seven days.';

-- The last moment that each job was begun for: no two workers begin it twice.
create table cron._last_tick (
  jobid bigint not null,
  tick timestamptz not null,
  constraint _last_tick_pkey primary key (jobid),
  constraint _last_tick_jobid_fkey foreign key (jobid) references cron.job (jobid) on delete cascade
);
comment on table cron._last_tick is 'For which moment each job was last begun.';

alter table cron.job enable row level security;
alter table cron.job_run_details enable row level security;
create policy cron_job_policy on cron.job using (username = current_user);
create policy cron_job_run_details_policy on cron.job_run_details
  using (username = current_user);

create function cron._number(word text, low integer, high integer, names text[]) returns integer
language sql immutable set search_path = ''
as $$
  select found from (
    select coalesce(
      array_position(names, word) - 1 + low,
      case when word ~ '^[0-9]{1,9}$' then word::integer end
    )
  ) as named (found)
  where found between low and high
$$;

-- What follows the list of ranges in a word is passed over, as in the original.
create function cron._is_field(field text, lowest integer, highest integer, names text[])
returns boolean
language plpgsql immutable set search_path = ''
as $$
declare
  rest text := ',' || field;
  part text[];
  low integer;
  high integer;
begin
  while rest like ',%' loop
    part := regexp_match(rest,
      '^,(?:(?:\*|([a-z0-9]+)-([a-z0-9]+))(?:/([a-z0-9]+))?|([a-z0-9]+))(.*)$');
    if part is null or part[5] like '/%' or part[4] is not null and part[5] like '-%'
      or part[3] is not null and cron._number(part[3], 1, 999999999, '{}') is null
    then
      return false;
    end if;
    low := cron._number(coalesce(part[4], part[1], lowest::text), lowest, highest, names);
    high := cron._number(coalesce(part[4], part[2], highest::text), lowest, highest, names);
    if low is null or high is null then
      return false;
    end if;
    rest := part[5];
  end loop;
  return true;
end
$$;

create function cron._is_schedule(schedule text) returns boolean
language plpgsql immutable set search_path = ''
as $$
declare
  words text[] := regexp_split_to_array(trim(lower(schedule)), '\s+');
begin
  if words[1] like '@%' then
    return words[1] in (
      '@yearly', '@annually', '@monthly', '@weekly', '@daily', '@midnight', '@hourly', '@reboot'
    );
  end if;
  if lower(schedule) ~ '^\s*[0-9]+\s*seconds?\s*$' then
    return cron._number(substring(schedule from '[0-9]+'), 1, 59, '{}') is not null;
  end if;
  return coalesce(
    cardinality(words) >= 5
    and cron._is_field(words[1], 0, 59, '{}')
    and cron._is_field(words[2], 0, 23, '{}')
    and (words[3] = '$' or cron._is_field(words[3], 1, 31, '{}'))
    and cron._is_field(words[4], 1, 12,
      '{jan,feb,mar,apr,may,jun,jul,aug,sep,oct,nov,dec}')
    and cron._is_field(words[5], 0, 7, '{sun,mon,tue,wed,thu,fri,sat}'),
    false
  );
end
$$;

create function cron._check() returns trigger
language plpgsql set search_path = ''
as $$
begin
  if not cron._is_schedule(new.schedule) then
    raise exception 'invalid schedule: %', new.schedule
      using errcode = '22023',
        hint = 'Use cron format (e.g. 5 4 * * *), or interval format ''[1-59] seconds''';
  end if;
  if length(new.command) > 1048576 then
    raise exception 'a command has up to 1048576 characters' using errcode = '54000';
  end if;
  if new.username <> current_user and not pg_has_role(current_user, new.username, 'member') then
    raise exception 'must be superuser to create a job for another role' using errcode = '42501';
  end if;
  perform pg_notify('compat_cron', '');
  return new;
end
$$;

create trigger job_check before insert or update on cron.job
for each row execute function cron._check();
-- Also where session_replication_role turns other triggers off, which the project's owner may do: who
-- could name another role would run commands as that one.
alter table cron.job enable always trigger job_check;

create function cron._told() returns trigger
language plpgsql set search_path = ''
as $$
begin
  perform pg_notify('compat_cron', '');
  return null;
end
$$;

create trigger job_told after delete on cron.job
for each statement execute function cron._told();

create function cron.schedule(schedule text, command text) returns bigint
language sql volatile set search_path = ''
as $$
  insert into cron.job (schedule, command) values (schedule, command) returning jobid
$$;

create function cron.schedule(job_name text, schedule text, command text) returns bigint
language plpgsql volatile set search_path = ''
as $$
declare
  made bigint;
begin
  if job_name is null then
    raise exception 'job_name can not be NULL' using errcode = '22004';
  end if;
  insert into cron.job as j (jobname, schedule, command)
  values (job_name, schedule.schedule, schedule.command)
  on conflict on constraint jobname_username_uniq do update
    set schedule = excluded.schedule, command = excluded.command, active = true
  returning j.jobid into made;
  return made;
end
$$;

create function cron.schedule_in_database(
  job_name text, schedule text, command text, database text, username text default null,
  active boolean default true
) returns bigint
language plpgsql volatile set search_path = ''
as $$
declare
  made bigint;
begin
  if database <> current_database() then
    raise exception 'jobs run in the database that they are scheduled in' using errcode = '0A000';
  end if;
  insert into cron.job as j (jobname, schedule, command, username, active)
  values (
    job_name, schedule_in_database.schedule, schedule_in_database.command,
    coalesce(schedule_in_database.username, current_user), schedule_in_database.active
  )
  on conflict on constraint jobname_username_uniq do update
    set schedule = excluded.schedule, command = excluded.command, active = excluded.active
  returning j.jobid into made;
  return made;
end
$$;

create function cron.alter_job(
  job_id bigint, schedule text default null, command text default null,
  database text default null, username text default null, active boolean default null
) returns void
language plpgsql volatile set search_path = ''
as $$
begin
  if database <> current_database() then
    raise exception 'jobs run in the database that they are scheduled in' using errcode = '0A000';
  end if;
  update cron.job as j set
    schedule = coalesce(alter_job.schedule, j.schedule),
    command = coalesce(alter_job.command, j.command),
    username = coalesce(alter_job.username, j.username),
    active = coalesce(alter_job.active, j.active)
  where j.jobid = job_id;
  if not found then
    raise exception 'Job % does not exist or you don''t own it', job_id using errcode = '42704';
  end if;
end
$$;

create function cron.unschedule(job_id bigint) returns boolean
language plpgsql volatile set search_path = ''
as $$
begin
  delete from cron.job where jobid = job_id;
  if not found then
    raise exception 'could not find valid entry for job %', job_id using errcode = 'XX000';
  end if;
  return true;
end
$$;

create function cron.unschedule(job_name text) returns boolean
language plpgsql volatile set search_path = ''
as $$
begin
  delete from cron.job where jobname = job_name and username = current_user;
  if not found then
    raise exception 'could not find valid entry for job ''%''', job_name using errcode = 'XX000';
  end if;
  return true;
end
$$;

revoke all on all tables in schema cron from public;
revoke all on all functions in schema cron from public;
-- Everybody sees the own jobs and runs, by the policies.
grant select on cron.job to public;
grant select, delete on cron.job_run_details to public;
grant usage on schema cron to postgres with grant option;
grant select, insert, update, delete on cron.job to postgres;
grant select, delete on cron.job_run_details to postgres;
grant usage on sequence cron.jobid_seq, cron.runid_seq to postgres;
grant execute on all functions in schema cron to postgres;

-- Its own objects alone: a dump leaves out what an extension's script grants, on anything.
do $background$
begin
  if exists (select from pg_catalog.pg_roles where rolname = 'compat_background') then
    grant usage on schema cron to compat_background;
    grant select on cron.job to compat_background;
    grant select, insert, update, delete on cron.job_run_details to compat_background;
    grant select, insert, update on cron._last_tick to compat_background;
    grant usage on sequence cron.runid_seq to compat_background;
    create policy compat_background_policy on cron.job to compat_background using (true);
    create policy compat_background_policy on cron.job_run_details to compat_background
      using (true);
  end if;
end
$background$;

select pg_catalog.pg_extension_config_dump('cron.job', '');
select pg_catalog.pg_extension_config_dump('cron.jobid_seq', '');
select pg_catalog.pg_extension_config_dump('cron.job_run_details', '');
select pg_catalog.pg_extension_config_dump('cron.runid_seq', '');
select pg_catalog.pg_extension_config_dump('cron._last_tick', '');
