-- Orphans are looked for by one process of all nodes: whoever finds that it is time says so here.

create table if not exists storage_compat.sweeps (
  is_one boolean not null default true constraint sweeps_pkey primary key,
  began timestamptz not null,
  constraint sweeps_one_check check (is_one)
);
insert into storage_compat.sweeps (began) values ('-infinity') on conflict do nothing;
comment on table storage_compat.sweeps is 'When orphans of the store were looked for last.';
alter table storage_compat.sweeps owner to supabase_storage_admin;
