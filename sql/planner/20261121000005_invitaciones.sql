-- Invitations, reached through functions only: no policy, no privilege.

create table public.invitaciones (
  codigo text not null,
  creador_id uuid not null,
  caduca_en timestamptz not null default now() + interval '7 days',
  usada_por uuid,
  constraint invitaciones_pkey primary key (codigo),
  constraint invitaciones_codigo_check check (codigo ~ '^[A-HJ-NP-Z2-9]{8}$'),
  constraint invitaciones_creador_id_fkey foreign key (creador_id)
    references auth.users (id) on delete cascade,
  -- With the account that used it the invitation goes: emptied, it would live again.
  constraint invitaciones_usada_por_fkey foreign key (usada_por)
    references auth.users (id) on delete cascade,
  constraint invitaciones_usada_por_check check (usada_por <> creador_id)
);

create unique index invitaciones_una_viva_key
  on public.invitaciones (creador_id) where usada_por is null;
create index invitaciones_creador_id_idx on public.invitaciones (creador_id);
create index invitaciones_usada_por_idx on public.invitaciones (usada_por);

comment on table public.invitaciones is
  'Invitations to become a couple: one unused per person, valid for 7 days, single use.';
comment on column public.invitaciones.codigo is
  'Eight symbols of 32 without look-alikes (no I, O, 0, 1); shown as XXXX-XXXX.';

alter table public.invitaciones enable row level security;
revoke all on public.invitaciones from public, anon, authenticated;
grant all on public.invitaciones to service_role;

-- Eight symbols of five random bits each. gen_random_uuid is PostgreSQL's own strong source; the
-- low bits of bytes 8 to 15 of a version 4 uuid are all random.
create function planes.codigo_nuevo()
returns text
language sql
volatile
set search_path = ''
as $$
  select string_agg(
    substr('ABCDEFGHJKLMNPQRSTUVWXYZ23456789', (get_byte(bytes, n) & 31) + 1, 1), ''
  )
  from uuid_send(gen_random_uuid()) as bytes, generate_series(8, 15) as n
$$;

-- A code as people type it: any case, with or without dash and blanks.
create function planes.codigo_limpio(texto text)
returns text
language sql
immutable
as $$ select upper(regexp_replace(left(texto, 100), '[^A-Za-z0-9]', '', 'g')) $$;

revoke execute on function planes.codigo_nuevo(), planes.codigo_limpio(text) from public;
