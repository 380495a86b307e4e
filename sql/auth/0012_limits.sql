-- What the service counts beside the original's tables; the original overlooks both.

-- Rate limits that nodes share. Unlogged: after a crash everybody begins anew.
create unlogged table if not exists auth.rate_limits (
  key uuid not null,
  full_at timestamptz not null,
  constraint rate_limits_pkey primary key (key)
);

create index if not exists rate_limits_full_at_idx on auth.rate_limits (full_at);

comment on table auth.rate_limits is
  'Token buckets: key is a hash of the limit and whom it limits, full_at when it holds its burst again.';

-- Tries of one-time codes since the newest was sent. Logged: no restart gives tries back.
create table if not exists auth.code_tries (
  subject uuid not null,
  tries integer not null,
  last_at timestamptz not null default now(),
  constraint code_tries_pkey primary key (subject)
);

create index if not exists code_tries_last_at_idx on auth.code_tries (last_at);

comment on table auth.code_tries is
  'Tries of one-time codes: subject is a hash of the kind of code and whom it was sent to.';

alter table auth.rate_limits owner to supabase_auth_admin;
alter table auth.code_tries owner to supabase_auth_admin;
alter table auth.rate_limits enable row level security;
alter table auth.code_tries enable row level security;
