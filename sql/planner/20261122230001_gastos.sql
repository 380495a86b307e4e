-- What accepted plans really cost, who paid it, and the months that a couple has settled. Budgets and
-- their sum stay what they are.

create table public.pagos (
  id uuid not null,
  actividad_id uuid not null,
  pagado_por uuid not null,
  importe numeric(12, 2) not null,
  parte smallint not null default 50,
  anotado_por uuid,
  creado_en timestamptz not null default now(),
  constraint pagos_pkey primary key (id),
  constraint pagos_actividad_id_fkey foreign key (actividad_id)
    references public.actividades (id) on delete cascade,
  constraint pagos_pagado_por_fkey foreign key (pagado_por)
    references auth.users (id) on delete cascade,
  constraint pagos_anotado_por_fkey foreign key (anotado_por)
    references auth.users (id) on delete set null,
  constraint pagos_importe_check check (importe > 0 and importe <> 'NaN'),
  constraint pagos_parte_check check (parte between 0 and 100)
);

create table public.liquidaciones (
  id uuid not null,
  pareja_id uuid not null,
  mes text not null,
  de uuid not null,
  a uuid not null,
  importe numeric(14, 2) not null,
  creado_en timestamptz not null default now(),
  anulada_en timestamptz,
  constraint liquidaciones_pkey primary key (id),
  constraint liquidaciones_pareja_id_fkey foreign key (pareja_id)
    references public.parejas (id) on delete cascade,
  constraint liquidaciones_de_fkey foreign key (de)
    references auth.users (id) on delete cascade,
  constraint liquidaciones_a_fkey foreign key (a)
    references auth.users (id) on delete cascade,
  constraint liquidaciones_mes_check check (mes ~ '^\d{4}-(0[1-9]|1[0-2])$'),
  constraint liquidaciones_importe_check check (importe > 0 and importe <> 'NaN')
);

create index pagos_actividad_id_idx on public.pagos (actividad_id, creado_en);
create index pagos_pagado_por_idx on public.pagos (pagado_por);
create index pagos_anotado_por_idx on public.pagos (anotado_por);
create index liquidaciones_pareja_id_idx on public.liquidaciones (pareja_id, mes);
create unique index liquidaciones_una_por_mes on public.liquidaciones (pareja_id, mes)
  where anulada_en is null;
create index liquidaciones_de_idx on public.liquidaciones (de);
create index liquidaciones_a_idx on public.liquidaciones (a);

comment on table public.pagos is
  'What was paid for an accepted plan, 20 a plan. Their ids are given by who writes them.';
comment on column public.pagos.importe is 'Euros.';
comment on column public.pagos.parte is 'The payer''s own share of it, in hundredths; the rest is the partner''s.';
comment on column public.pagos.anotado_por is 'Who wrote it down last.';
comment on table public.liquidaciones is
  'A month whose accounts a couple has settled. While it is not annulled, the month''s payments stay as they are.';
comment on column public.liquidaciones.mes is 'As 2026-11.';
comment on column public.liquidaciones.de is 'Who owed.';
comment on column public.liquidaciones.a is 'To whom.';
comment on column public.liquidaciones.importe is 'Euros.';

-- Nothing of a couple can be read out of an estimate (20261121000012).
alter table public.pagos
  alter column id set statistics 0,
  alter column actividad_id set statistics 0,
  alter column pagado_por set statistics 0,
  alter column importe set statistics 0,
  alter column parte set statistics 0,
  alter column anotado_por set statistics 0,
  alter column creado_en set statistics 0;
alter table public.liquidaciones
  alter column id set statistics 0,
  alter column pareja_id set statistics 0,
  alter column mes set statistics 0,
  alter column de set statistics 0,
  alter column a set statistics 0,
  alter column importe set statistics 0,
  alter column creado_en set statistics 0,
  alter column anulada_en set statistics 0;

alter table public.pagos enable row level security;
alter table public.liquidaciones enable row level security;
revoke all on public.pagos, public.liquidaciones from public, anon, authenticated;

create policy pagos_select on public.pagos
  for select to authenticated
  using (exists (select from public.actividades a where a.id = actividad_id));
create policy liquidaciones_select on public.liquidaciones
  for select to authenticated
  using (pareja_id = (select planes.mi_pareja()));

grant select on public.pagos, public.liquidaciones to authenticated;
grant all on public.pagos, public.liquidaciones to service_role;

alter table public.pagos replica identity full;
alter table public.liquidaciones replica identity full;
alter publication supabase_realtime add table public.pagos, public.liquidaciones;

do $guard$
begin
  if to_regprocedure('realtime.guard_deletes(regclass)') is not null then
    perform realtime.guard_deletes('public.pagos');
    perform realtime.guard_deletes('public.liquidaciones');
  end if;
end
$guard$;
