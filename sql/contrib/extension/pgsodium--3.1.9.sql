-- pgsodium by name only, so that migrations that create it go on, and dumps of its table of keys: its
-- functions are not here; the vault and pgcrypto encrypt.
create type pgsodium.key_status as enum ('default', 'valid', 'invalid', 'expired');
create type pgsodium.key_type as enum (
  'aead-ietf', 'aead-det', 'hmacsha512', 'hmacsha256', 'auth', 'shorthash', 'generichash', 'kdf',
  'secretbox', 'secretstream', 'stream_xchacha20'
);

create sequence pgsodium.key_key_id_seq;
create table pgsodium.key (
  id uuid not null default gen_random_uuid(),
  status pgsodium.key_status default 'valid',
  created timestamptz not null default now(),
  expires timestamptz,
  key_type pgsodium.key_type,
  key_id bigint default nextval('pgsodium.key_key_id_seq'),
  key_context bytea default 'pgsodium',
  name text,
  associated_data text default 'associated',
  raw_key bytea,
  raw_key_nonce bytea,
  parent_key uuid,
  comment text,
  user_data text,
  constraint key_pkey primary key (id),
  constraint pgsodium_key_unique_name unique (name)
);
alter sequence pgsodium.key_key_id_seq owned by pgsodium.key.key_id;

create view pgsodium.valid_key as
  select id, name, status, key_type, key_id, key_context, created, expires, associated_data
  from pgsodium.key
  where status in ('valid', 'default') and coalesce(expires > now(), true);

grant usage on schema pgsodium to postgres;
grant all on all tables in schema pgsodium to postgres;
grant all on all sequences in schema pgsodium to postgres;
