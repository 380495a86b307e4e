-- A calendar that phones and computers subscribe to: one address per couple, which works without
-- signing in for whoever knows its secret, until either partner revokes it or the couple parts.

create table public.calendarios (
  pareja_id uuid not null,
  secreto text not null,
  huella bytea not null generated always as (sha256(decode(secreto, 'hex'))) stored,
  creado_en timestamptz not null default now(),
  constraint calendarios_pkey primary key (pareja_id),
  constraint calendarios_pareja_id_fkey foreign key (pareja_id)
    references public.parejas (id) on delete cascade,
  constraint calendarios_secreto_check check (secreto ~ '^[0-9a-f]{64}$'),
  constraint calendarios_huella_key unique (huella)
);

comment on table public.calendarios is 'Secret calendar addresses. Reached through functions only.';
comment on column public.calendarios.huella is
  'SHA-256 of the secret, by which it is looked up: the time a look-up takes tells nothing of it.';

alter table public.calendarios enable row level security;
revoke all on public.calendarios from public, anon, authenticated;
grant all on public.calendarios to service_role;

create function public.crear_calendario()
returns jsonb
language plpgsql
volatile
security definer
set search_path = ''
as $$
declare
  mia constant uuid := planes.mi_pareja();
begin
  perform planes.yo();
  if mia is null then
    raise exception 'Vincula a tu pareja para tener un calendario de los dos.';
  end if;
  insert into public.calendarios (pareja_id, secreto)
  values (mia, replace(gen_random_uuid()::text || gen_random_uuid()::text, '-', ''))
  on conflict on constraint calendarios_pkey do nothing;
  return (
    select jsonb_build_object('secreto', c.secreto)
    from public.calendarios c
    where c.pareja_id = mia
  );
end
$$;

create function public.revocar_calendario()
returns void
language plpgsql
volatile
security definer
set search_path = ''
as $$
begin
  perform planes.yo();
  delete from public.calendarios c where c.pareja_id = planes.mi_pareja();
end
$$;

comment on function public.crear_calendario() is
  'The couple''s calendar secret, {secreto}: made if there is none, the same for both partners.';
comment on function public.revocar_calendario() is
  'Ends the couple''s calendar address at once; crear_calendario then makes another.';

revoke execute on function public.crear_calendario(), public.revocar_calendario()
  from public, anon;
grant execute on function public.crear_calendario(), public.revocar_calendario()
  to authenticated, service_role;
