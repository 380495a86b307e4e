-- pgsodium by name only, so that migrations that create it go on: its functions are not here; the vault and pgcrypto encrypt.
grant usage on schema pgsodium to postgres;
