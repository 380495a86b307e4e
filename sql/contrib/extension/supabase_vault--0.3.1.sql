-- The vault without its library: secrets are encrypted by pgcrypto (OpenPGP, AES-256) under a key
-- that lies beside the cluster, not in it, and that only the administrator's functions read. Names
-- and arguments as the original's. Whoever may select decrypted_secrets sees them, as there.

create table vault.secrets (
  id uuid not null default gen_random_uuid(),
  name text,
  description text not null default '',
  secret text not null,
  key_id uuid,
  nonce bytea,
  created_at timestamptz not null default current_timestamp,
  updated_at timestamptz not null default current_timestamp,
  constraint secrets_pkey primary key (id)
);
create unique index secrets_name_idx on vault.secrets (name) where name is not null;
comment on table vault.secrets is 'Secrets, encrypted; vault.decrypted_secrets shows them.';

create function vault._key() returns text
language plpgsql stable security definer set search_path = ''
as $$
declare
  key text := trim(pg_catalog.pg_read_file('../vault.key', true));
begin
  if coalesce(length(key), 0) < 64 then
    raise exception 'the vault has no key: DATA_DIR lacks vault.key' using errcode = '58P01';
  end if;
  return key;
end
$$;

-- Bound to pgcrypto's functions when they are made, not by name: the project's owner may rename the
-- schema `extensions` and put functions of its own in its place, which would run as superuser.
create function vault._encrypt(secret text) returns text
language sql volatile strict security definer set search_path = ''
return 'compat-vault-1:' || translate(encode(@extschema:pgcrypto@.pgp_sym_encrypt(
  secret, vault._key(), 'cipher-algo=aes256, s2k-count=1024'
), 'base64'), E'\n', '');

create function vault._decrypt(secret text) returns text
language sql stable strict security definer set search_path = ''
return case when secret like 'compat-vault-1:%' then @extschema:pgcrypto@.pgp_sym_decrypt(
  decode(substr(secret, 16), 'base64'), vault._key()
) end;

-- What comes in plain, by an insert of the user's own, is encrypted too; what a backup brings back
-- is as it was.
create function vault._keep_encrypted() returns trigger
language plpgsql security definer set search_path = ''
as $$
begin
  if new.secret not like 'compat-vault-1:%' then
    new.secret := vault._encrypt(new.secret);
  end if;
  return new;
end
$$;

create trigger secrets_encrypt before insert or update of secret on vault.secrets
for each row execute function vault._keep_encrypted();

create view vault.decrypted_secrets as
select
  id, name, description, secret, vault._decrypt(secret) as decrypted_secret, key_id, nonce,
  created_at, updated_at
from vault.secrets;

create function vault.create_secret(
  new_secret text, new_name text default null, new_description text default '',
  new_key_id uuid default null
) returns uuid
language sql volatile security definer set search_path = ''
as $$
  insert into vault.secrets (secret, name, description, key_id)
  values (vault._encrypt(new_secret), new_name, coalesce(new_description, ''), new_key_id)
  returning id
$$;

create function vault.update_secret(
  secret_id uuid, new_secret text default null, new_name text default null,
  new_description text default null, new_key_id uuid default null
) returns void
language sql volatile security definer set search_path = ''
as $$
  update vault.secrets
  set
    secret = coalesce(vault._encrypt(new_secret), secret),
    name = coalesce(new_name, name),
    description = coalesce(new_description, description),
    key_id = coalesce(new_key_id, key_id),
    updated_at = now()
  where id = secret_id
$$;

revoke all on all tables in schema vault from public;
revoke all on all functions in schema vault from public;
grant usage on schema vault to postgres, service_role;
grant select, insert, update, delete, truncate, references on vault.secrets to postgres;
grant select, delete on vault.secrets to service_role;
grant select on vault.decrypted_secrets to postgres, service_role;
grant execute on function
  vault.create_secret(text, text, text, uuid),
  vault.update_secret(uuid, text, text, text, uuid),
  vault._decrypt(text)
  to postgres, service_role;

select pg_catalog.pg_extension_config_dump('vault.secrets', '');
