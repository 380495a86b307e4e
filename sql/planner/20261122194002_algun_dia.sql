-- Who may do what with an idea, and how it becomes a plan.

-- An idea that is common to the caller and their partner, held; else the refusal. Foreign and missing
-- ideas are told alike.
create function planes.idea_comun(idea uuid)
returns public.ideas
language plpgsql
volatile
security definer
set search_path = ''
as $$
declare
  yo constant uuid := planes.yo_retenido();
  fila public.ideas;
begin
  select * into fila from public.ideas i where i.id = idea for update;
  if not found or fila.pareja_id <> coalesce(planes.mi_pareja_ahora(), yo) then
    raise exception 'Esa idea no existe o no la compartes.';
  end if;
  return fila;
end
$$;

create function public.guardar_idea(
  id uuid, titulo text, nota text default null, presupuesto numeric default null
)
returns void
language plpgsql
volatile
security definer
set search_path = ''
as $$
declare
  yo constant uuid := planes.yo_retenido();
  mia constant uuid := coalesce(planes.mi_pareja_ahora(), yo);
begin
  update public.ideas i
  set titulo = guardar_idea.titulo, nota = guardar_idea.nota, presupuesto = guardar_idea.presupuesto
  where i.id = guardar_idea.id and i.creador_id = yo and i.pareja_id = mia;
  if found then
    return;
  end if;
  -- One after the other, so that the limit holds for two at once.
  perform pg_advisory_xact_lock(hashtextextended('ideas ' || mia, 0));
  if (select count(*) from public.ideas i where i.pareja_id = mia) >= 500 then
    raise exception 'Ya no caben más ideas. Borrad alguna.';
  end if;
  -- Somebody else's id changes nothing, and says nothing of it.
  insert into public.ideas (id, pareja_id, creador_id, titulo, nota, presupuesto)
  values (
    guardar_idea.id, mia, yo, guardar_idea.titulo, guardar_idea.nota, guardar_idea.presupuesto
  )
  on conflict on constraint ideas_pkey do nothing;
end
$$;

create function public.borrar_idea(id uuid)
returns void
language plpgsql
volatile
security definer
set search_path = ''
as $$
declare
  yo constant uuid := planes.yo_retenido();
begin
  delete from public.ideas i where i.id = borrar_idea.id and i.creador_id = yo;
  if not found then
    raise exception 'Esa idea no existe o no es tuya.';
  end if;
end
$$;

create function public.me_apetece(idea uuid, si boolean)
returns void
language plpgsql
volatile
security definer
set search_path = ''
as $$
declare
  fila constant public.ideas := planes.idea_comun(me_apetece.idea);
begin
  if si then
    insert into public.apetencias (idea_id, persona_id) values (fila.id, auth.uid())
    on conflict on constraint apetencias_pkey do nothing;
  else
    delete from public.apetencias a where a.idea_id = fila.id and a.persona_id = auth.uid();
  end if;
end
$$;

-- No foreign key: whether somebody else's idea exists must not show in a refusal.
alter table public.actividades add column idea_id uuid;
comment on column public.actividades.idea_id is 'The idea that was given this date, if any.';
alter table public.actividades alter column idea_id set statistics 0;
grant insert (idea_id) on public.actividades to authenticated;

create function planes.realizar_idea()
returns trigger
language plpgsql
volatile
security definer
set search_path = ''
as $$
begin
  update public.ideas i set actividad_id = new.id
  where i.id = new.idea_id and i.pareja_id = new.pareja_id and i.actividad_id is null;
  return null;
end
$$;

create trigger actividades_realizar_idea
  after insert on public.actividades
  for each row when (new.idea_id is not null)
  execute function planes.realizar_idea();

-- As the plans that somebody made without a partner, the ideas are the couple's from the pairing on.
create function planes.llevar_ideas()
returns trigger
language plpgsql
volatile
security definer
set search_path = ''
as $$
begin
  update public.ideas i set pareja_id = new.pareja_id
  where i.creador_id = new.id and i.pareja_id = new.id;
  return null;
end
$$;

create trigger profiles_llevar_ideas
  after update of pareja_id on public.profiles
  for each row when (new.pareja_id is not null and old.pareja_id is null)
  execute function planes.llevar_ideas();

comment on function public.guardar_idea(uuid, text, text, numeric) is
  'Adds an idea, or changes one''s own with that id; 500 a couple.';
comment on function public.borrar_idea(uuid) is 'Deletes an idea of one''s own.';
comment on function public.me_apetece(uuid, boolean) is
  'Whether the caller would like to do it.';

revoke execute on function
  public.guardar_idea(uuid, text, text, numeric), public.borrar_idea(uuid),
  public.me_apetece(uuid, boolean)
  from public, anon;
grant execute on function
  public.guardar_idea(uuid, text, text, numeric), public.borrar_idea(uuid),
  public.me_apetece(uuid, boolean)
  to authenticated, service_role;
revoke execute on function
  planes.idea_comun(uuid), planes.realizar_idea(), planes.llevar_ideas()
  from public;
