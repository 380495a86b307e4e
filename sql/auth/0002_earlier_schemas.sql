-- A database whose auth schema an earlier release of the original made: the columns that came with
-- its migrations since 2024. On a new database, and on one of the present release, nothing happens.
-- Before the tables' own files, because these also index the newer columns.

set local client_min_messages = warning;  -- no line for every table that is not there yet

do $too_old$
begin
  if to_regclass('auth.identities') is not null and not exists (
    select
    from pg_catalog.pg_attribute
    where attrelid = to_regclass('auth.identities')
      and attname = 'provider_id' and not attisdropped
  ) then
    raise exception using
      message = 'the auth schema was made by a GoTrue of 2023 or earlier',
      hint = 'start a current release of the original once, so that it migrates its schema';
  end if;
end
$too_old$;

alter table if exists auth.users
  add column if not exists is_anonymous boolean not null default false;

alter table if exists auth.flow_state
  add column if not exists auth_code_issued_at timestamptz,
  add column if not exists invite_token text,
  add column if not exists referrer text,
  add column if not exists oauth_client_state_id uuid,
  add column if not exists linking_target_id uuid,
  add column if not exists email_optional boolean not null default false,
  alter column code_challenge drop not null,
  alter column code_challenge_method drop not null,
  alter column auth_code drop not null;

alter table if exists auth.saml_providers
  add column if not exists name_id_format text;

alter table if exists auth.saml_relay_states
  drop column if exists from_ip_address;

alter table if exists auth.sso_providers
  add column if not exists disabled boolean;

alter table if exists auth.mfa_factors
  add column if not exists phone text,
  add column if not exists last_challenged_at timestamptz
    constraint mfa_factors_last_challenged_at_key unique,
  add column if not exists web_authn_credential jsonb,
  add column if not exists web_authn_aaguid uuid,
  add column if not exists last_webauthn_challenge_data jsonb;

alter table if exists auth.mfa_challenges
  add column if not exists otp_code text,
  add column if not exists web_authn_session_data jsonb;

-- A client's own id became its primary key within the same releases.
alter table if exists auth.oauth_clients
  drop column if exists client_id,
  add column if not exists client_type auth.oauth_client_type not null default 'confidential',
  add column if not exists token_endpoint_auth_method text
    constraint oauth_clients_token_endpoint_auth_method_check check (
      token_endpoint_auth_method in ('client_secret_basic', 'client_secret_post', 'none')
    ),
  alter column client_secret_hash drop not null;

do $auth_methods$
begin
  if to_regclass('auth.oauth_clients') is not null then
    update auth.oauth_clients
    set token_endpoint_auth_method =
      case client_type when 'public' then 'none' else 'client_secret_basic' end
    where token_endpoint_auth_method is null;
    alter table auth.oauth_clients alter column token_endpoint_auth_method set not null;
  end if;
end
$auth_methods$;

alter table if exists auth.oauth_authorizations
  add column if not exists nonce text
    constraint oauth_authorizations_nonce_length check (char_length(nonce) <= 255);

-- The reference to oauth_clients follows in a later file: that table may not be there yet.
alter table if exists auth.sessions
  add column if not exists oauth_client_id uuid,
  add column if not exists refresh_token_hmac_key text,
  add column if not exists refresh_token_counter bigint,
  add column if not exists scopes text
    constraint sessions_scopes_length check (char_length(scopes) <= 4096);

alter table if exists auth.custom_oauth_providers
  add column if not exists custom_claims_allowlist text[] not null default '{}';
