-- Sessions, their refresh tokens, and how the holder proved who they are.

create table if not exists auth.sessions (
  id uuid not null,
  user_id uuid not null,
  created_at timestamptz,
  updated_at timestamptz,
  factor_id uuid,
  aal auth.aal_level,
  not_after timestamptz,
  refreshed_at timestamp without time zone,
  user_agent text,
  ip inet,
  tag text,
  oauth_client_id uuid,
  refresh_token_hmac_key text,
  refresh_token_counter bigint,
  scopes text,
  constraint sessions_pkey primary key (id),
  constraint sessions_user_id_fkey foreign key (user_id)
    references auth.users (id) on delete cascade,
  constraint sessions_oauth_client_id_fkey foreign key (oauth_client_id)
    references auth.oauth_clients (id) on delete cascade,
  constraint sessions_scopes_length check (char_length(scopes) <= 4096)
);

create index if not exists sessions_user_id_idx on auth.sessions (user_id);
create index if not exists user_id_created_at_idx on auth.sessions (user_id, created_at);
create index if not exists sessions_not_after_idx on auth.sessions (not_after desc);
create index if not exists sessions_oauth_client_id_idx on auth.sessions (oauth_client_id);

do $later_reference$
begin
  if not exists (
    select from pg_catalog.pg_constraint
    where conrelid = 'auth.sessions'::regclass and conname = 'sessions_oauth_client_id_fkey'
  ) then
    alter table auth.sessions
      add constraint sessions_oauth_client_id_fkey foreign key (oauth_client_id)
      references auth.oauth_clients (id) on delete cascade;
  end if;
end
$later_reference$;

comment on table auth.sessions is 'One row per sign-in that has not ended.';
comment on column auth.sessions.not_after is 'From this moment on the session counts as expired.';
comment on column auth.sessions.refreshed_at is 'UTC, although the type carries no zone.';
comment on column auth.sessions.refresh_token_hmac_key is
  'Key that signs the refresh tokens (version 2) of this session.';
comment on column auth.sessions.refresh_token_counter is
  'Number of the refresh token (version 2) that was issued last.';

create table if not exists auth.refresh_tokens (
  instance_id uuid,
  id bigserial not null,
  token varchar(255),
  user_id varchar(255),
  revoked boolean,
  created_at timestamptz,
  updated_at timestamptz,
  parent varchar(255),
  session_id uuid,
  constraint refresh_tokens_pkey primary key (id),
  constraint refresh_tokens_token_unique unique (token),
  constraint refresh_tokens_session_id_fkey foreign key (session_id)
    references auth.sessions (id) on delete cascade
);

create index if not exists refresh_tokens_instance_id_idx on auth.refresh_tokens (instance_id);
create index if not exists refresh_tokens_instance_id_user_id_idx
  on auth.refresh_tokens (instance_id, user_id);
create index if not exists refresh_tokens_parent_idx on auth.refresh_tokens (parent);
create index if not exists refresh_tokens_session_id_revoked_idx
  on auth.refresh_tokens (session_id, revoked);
create index if not exists refresh_tokens_updated_at_idx
  on auth.refresh_tokens (updated_at desc);

comment on table auth.refresh_tokens is 'Refresh tokens (version 1), a chain per session.';

create table if not exists auth.mfa_amr_claims (
  session_id uuid not null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  authentication_method text not null,
  id uuid not null,
  constraint amr_id_pk primary key (id),
  constraint mfa_amr_claims_session_id_authentication_method_pkey
    unique (session_id, authentication_method),
  constraint mfa_amr_claims_session_id_fkey foreign key (session_id)
    references auth.sessions (id) on delete cascade
);

comment on table auth.mfa_amr_claims is 'The methods that opened or strengthened each session.';
