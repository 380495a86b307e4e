-- The vault's functions of databases made before call pgcrypto by the name of its schema, which the
-- project's owner may rename: they are bound to the functions themselves, as the extension's are now.
do $vault$
declare
  place text := (
    select n.nspname from pg_catalog.pg_extension as e
    join pg_catalog.pg_namespace as n on n.oid = e.extnamespace where e.extname = 'pgcrypto'
  );
begin
  if place is null or not exists (
    select from pg_catalog.pg_depend as d
    join pg_catalog.pg_extension as e on e.oid = d.refobjid and e.extname = 'supabase_vault'
    where d.deptype = 'e' and d.refclassid = 'pg_catalog.pg_extension'::regclass
      and d.classid = 'pg_catalog.pg_proc'::regclass
      and d.objid = to_regprocedure('vault._encrypt(text)')
  ) then
    return;
  end if;
  execute format($body$
    create or replace function vault._encrypt(secret text) returns text
    language sql volatile strict security definer set search_path = ''
    return 'compat-vault-1:' || translate(encode(%I.pgp_sym_encrypt(
      secret, vault._key(), 'cipher-algo=aes256, s2k-count=1024'
    ), 'base64'), E'\n', '')
  $body$, place);
  execute format($body$
    create or replace function vault._decrypt(secret text) returns text
    language sql stable strict security definer set search_path = ''
    return case when secret like 'compat-vault-1:%%' then %I.pgp_sym_decrypt(
      decode(substr(secret, 16), 'base64'), vault._key()
    ) end
  $body$, place);
end
$vault$;
