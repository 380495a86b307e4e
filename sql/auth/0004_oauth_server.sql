-- Clients of the OAuth 2.1 server and what their users agreed to. Before sessions, which name the
-- client they were opened for.

create table if not exists auth.oauth_clients (
  id uuid not null,
  client_secret_hash text,
  registration_type auth.oauth_registration_type not null,
  redirect_uris text not null,
  grant_types text not null,
  client_name text,
  client_uri text,
  logo_uri text,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  deleted_at timestamptz,
  client_type auth.oauth_client_type not null default 'confidential',
  token_endpoint_auth_method text not null,
  constraint oauth_clients_pkey primary key (id),
  constraint oauth_clients_client_name_length check (char_length(client_name) <= 1024),
  constraint oauth_clients_client_uri_length check (char_length(client_uri) <= 2048),
  constraint oauth_clients_logo_uri_length check (char_length(logo_uri) <= 2048),
  constraint oauth_clients_token_endpoint_auth_method_check check (
    token_endpoint_auth_method in ('client_secret_basic', 'client_secret_post', 'none')
  )
);

create index if not exists oauth_clients_deleted_at_idx on auth.oauth_clients (deleted_at);

comment on table auth.oauth_clients is 'Applications that may ask users for access.';

create table if not exists auth.oauth_authorizations (
  id uuid not null,
  authorization_id text not null,
  client_id uuid not null,
  user_id uuid,
  redirect_uri text not null,
  scope text not null,
  state text,
  resource text,
  code_challenge text,
  code_challenge_method auth.code_challenge_method,
  response_type auth.oauth_response_type not null default 'code',
  status auth.oauth_authorization_status not null default 'pending',
  authorization_code text,
  created_at timestamptz not null default now(),
  expires_at timestamptz not null default (now() + interval '3 minutes'),
  approved_at timestamptz,
  nonce text,
  constraint oauth_authorizations_pkey primary key (id),
  constraint oauth_authorizations_authorization_id_key unique (authorization_id),
  constraint oauth_authorizations_authorization_code_key unique (authorization_code),
  constraint oauth_authorizations_client_id_fkey foreign key (client_id)
    references auth.oauth_clients (id) on delete cascade,
  constraint oauth_authorizations_user_id_fkey foreign key (user_id)
    references auth.users (id) on delete cascade,
  constraint oauth_authorizations_redirect_uri_length check (char_length(redirect_uri) <= 2048),
  constraint oauth_authorizations_scope_length check (char_length(scope) <= 4096),
  constraint oauth_authorizations_state_length check (char_length(state) <= 4096),
  constraint oauth_authorizations_resource_length check (char_length(resource) <= 2048),
  constraint oauth_authorizations_code_challenge_length
    check (char_length(code_challenge) <= 128),
  constraint oauth_authorizations_authorization_code_length
    check (char_length(authorization_code) <= 255),
  constraint oauth_authorizations_expires_at_future check (expires_at > created_at),
  constraint oauth_authorizations_nonce_length check (char_length(nonce) <= 255)
);

create index if not exists oauth_auth_pending_exp_idx
  on auth.oauth_authorizations (expires_at) where status = 'pending';

comment on table auth.oauth_authorizations is 'Requests of clients for access, with their state.';

create table if not exists auth.oauth_consents (
  id uuid not null,
  user_id uuid not null,
  client_id uuid not null,
  scopes text not null,
  granted_at timestamptz not null default now(),
  revoked_at timestamptz,
  constraint oauth_consents_pkey primary key (id),
  constraint oauth_consents_user_client_unique unique (user_id, client_id),
  constraint oauth_consents_user_id_fkey foreign key (user_id)
    references auth.users (id) on delete cascade,
  constraint oauth_consents_client_id_fkey foreign key (client_id)
    references auth.oauth_clients (id) on delete cascade,
  constraint oauth_consents_scopes_length check (char_length(scopes) <= 2048),
  constraint oauth_consents_scopes_not_empty check (char_length(trim(scopes)) > 0),
  constraint oauth_consents_revoked_after_granted
    check (revoked_at is null or revoked_at >= granted_at)
);

create index if not exists oauth_consents_active_user_client_idx
  on auth.oauth_consents (user_id, client_id) where revoked_at is null;
create index if not exists oauth_consents_active_client_idx
  on auth.oauth_consents (client_id) where revoked_at is null;
create index if not exists oauth_consents_user_order_idx
  on auth.oauth_consents (user_id, granted_at desc);

comment on table auth.oauth_consents is 'What each user lets each client do.';
