-- Short-lived state of sign-ins that leave the page: PKCE, external providers, SAML; and the
-- single sign-on providers themselves.

create table if not exists auth.flow_state (
  id uuid not null,
  user_id uuid,
  auth_code text,
  code_challenge_method auth.code_challenge_method,
  code_challenge text,
  provider_type text not null,
  provider_access_token text,
  provider_refresh_token text,
  created_at timestamptz,
  updated_at timestamptz,
  authentication_method text not null,
  auth_code_issued_at timestamptz,
  invite_token text,
  referrer text,
  oauth_client_state_id uuid,
  linking_target_id uuid,
  email_optional boolean not null default false,
  constraint flow_state_pkey primary key (id)
);

create index if not exists idx_auth_code on auth.flow_state (auth_code);
create index if not exists idx_user_id_auth_method
  on auth.flow_state (user_id, authentication_method);
create index if not exists flow_state_created_at_idx on auth.flow_state (created_at desc);

comment on table auth.flow_state is 'State of sign-ins that end at a redirect.';

create table if not exists auth.oauth_client_states (
  id uuid not null,
  provider_type text not null,
  code_verifier text,
  created_at timestamptz not null,
  constraint oauth_client_states_pkey primary key (id)
);

create index if not exists idx_oauth_client_states_created_at
  on auth.oauth_client_states (created_at);

comment on table auth.oauth_client_states is 'State of sign-ins at an external provider.';

create table if not exists auth.sso_providers (
  id uuid not null,
  resource_id text,
  created_at timestamptz,
  updated_at timestamptz,
  disabled boolean,
  constraint sso_providers_pkey primary key (id),
  constraint "resource_id not empty" check (resource_id = null or char_length(resource_id) > 0)
);

create unique index if not exists sso_providers_resource_id_idx
  on auth.sso_providers (lower(resource_id));
create index if not exists sso_providers_resource_id_pattern_idx
  on auth.sso_providers (resource_id text_pattern_ops);

comment on table auth.sso_providers is 'Single sign-on providers; saml_providers has the details.';
comment on column auth.sso_providers.resource_id is
  'A name that an operator chose, unique whatever its letters'' case.';

create table if not exists auth.sso_domains (
  id uuid not null,
  sso_provider_id uuid not null,
  domain text not null,
  created_at timestamptz,
  updated_at timestamptz,
  constraint sso_domains_pkey primary key (id),
  constraint sso_domains_sso_provider_id_fkey foreign key (sso_provider_id)
    references auth.sso_providers (id) on delete cascade,
  constraint "domain not empty" check (char_length(domain) > 0)
);

create unique index if not exists sso_domains_domain_idx on auth.sso_domains (lower(domain));
create index if not exists sso_domains_sso_provider_id_idx on auth.sso_domains (sso_provider_id);

comment on table auth.sso_domains is 'Which e-mail domains belong to which provider.';

create table if not exists auth.saml_providers (
  id uuid not null,
  sso_provider_id uuid not null,
  entity_id text not null,
  metadata_xml text not null,
  metadata_url text,
  attribute_mapping jsonb,
  created_at timestamptz,
  updated_at timestamptz,
  name_id_format text,
  constraint saml_providers_pkey primary key (id),
  constraint saml_providers_entity_id_key unique (entity_id),
  constraint saml_providers_sso_provider_id_fkey foreign key (sso_provider_id)
    references auth.sso_providers (id) on delete cascade,
  constraint "metadata_xml not empty" check (char_length(metadata_xml) > 0),
  constraint "metadata_url not empty" check (metadata_url = null or char_length(metadata_url) > 0),
  constraint "entity_id not empty" check (char_length(entity_id) > 0)
);

create index if not exists saml_providers_sso_provider_id_idx
  on auth.saml_providers (sso_provider_id);

comment on table auth.saml_providers is 'SAML 2.0 identity providers.';

create table if not exists auth.saml_relay_states (
  id uuid not null,
  sso_provider_id uuid not null,
  request_id text not null,
  for_email text,
  redirect_to text,
  created_at timestamptz,
  updated_at timestamptz,
  flow_state_id uuid,
  constraint saml_relay_states_pkey primary key (id),
  constraint saml_relay_states_sso_provider_id_fkey foreign key (sso_provider_id)
    references auth.sso_providers (id) on delete cascade,
  constraint saml_relay_states_flow_state_id_fkey foreign key (flow_state_id)
    references auth.flow_state (id) on delete cascade,
  constraint "request_id not empty" check (char_length(request_id) > 0)
);

create index if not exists saml_relay_states_sso_provider_id_idx
  on auth.saml_relay_states (sso_provider_id);
create index if not exists saml_relay_states_for_email_idx on auth.saml_relay_states (for_email);
create index if not exists saml_relay_states_created_at_idx
  on auth.saml_relay_states (created_at desc);

comment on table auth.saml_relay_states is 'SAML sign-ins that have been started.';
