-- Who may do what. These policies are the guard; the client's buttons only mirror them. Whoever is
-- not signed in gets no privilege at all, and a column that nobody may write is in no grant.

-- The caller's couple, past the policies of profiles (which ask for it themselves). In plpgsql
-- because its plan then outlives the statement: realtime asks this for every listener.
create function planes.mi_pareja()
returns uuid
language plpgsql
stable
security definer
set search_path = ''
as $$
begin
  return (select pareja_id from public.profiles where id = auth.uid());
end
$$;

revoke execute on all functions in schema planes from public;
grant usage on schema planes to authenticated, service_role;
grant execute on function planes.mi_pareja(), planes.recortado(text) to authenticated, service_role;

alter table public.parejas enable row level security;
alter table public.profiles enable row level security;
alter table public.actividades enable row level security;

revoke all on public.parejas, public.profiles, public.actividades from public, anon, authenticated;
grant all on public.parejas, public.profiles, public.actividades to service_role;

create policy profiles_select on public.profiles
  for select to authenticated
  using (id = (select auth.uid()) or pareja_id = (select planes.mi_pareja()));

create policy profiles_update on public.profiles
  for update to authenticated
  using (id = (select auth.uid()))
  with check (id = (select auth.uid()));

create policy actividades_select on public.actividades
  for select to authenticated
  using (creador_id = (select auth.uid()) or pareja_id = (select planes.mi_pareja()));

create policy actividades_insert on public.actividades
  for insert to authenticated
  with check (
    creador_id = (select auth.uid())
    and estado = 'pendiente'
    and aceptado_por is null
    and (pareja_id = (select auth.uid()) or pareja_id = (select planes.mi_pareja()))
  );

-- The answer: by the partner, from pending, to one of the two ends.
create policy actividades_update on public.actividades
  for update to authenticated
  using (
    estado = 'pendiente'
    and creador_id <> (select auth.uid())
    and pareja_id = (select planes.mi_pareja())
  )
  with check (
    (estado = 'aceptado' and aceptado_por = (select auth.uid()))
    or (estado = 'rechazado' and aceptado_por is null)
  );

create policy actividades_delete on public.actividades
  for delete to authenticated
  using (creador_id = (select auth.uid()));

grant select on public.profiles to authenticated;
grant update (nombre) on public.profiles to authenticated;

-- Without `id`: an insert with a foreign row's id would tell by its conflict that the row exists.
grant select, delete on public.actividades to authenticated;
grant insert (titulo, descripcion, fecha, presupuesto, estado, creador_id, pareja_id, aceptado_por)
  on public.actividades to authenticated;
grant update (estado, aceptado_por) on public.actividades to authenticated;
