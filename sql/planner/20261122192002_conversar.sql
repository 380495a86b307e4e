-- Who may say what about a plan, and what each is told of it.

-- A plan that is common to the caller and their partner, held; else the refusal. Foreign and missing
-- plans are told alike.
create function planes.plan_comun(plan uuid)
returns public.actividades
language plpgsql
volatile
security definer
set search_path = ''
as $$
declare
  yo constant uuid := planes.yo_retenido();
  mia constant uuid := planes.mi_pareja_ahora();
  fila public.actividades;
begin
  select * into fila from public.actividades a where a.id = plan for key share;
  if not found or fila.pareja_id <> coalesce(mia, yo) and fila.creador_id <> yo then
    raise exception 'Ese plan no existe o no lo compartes.';
  elsif fila.pareja_id <> coalesce(mia, yo) then
    raise exception 'Ese plan es de antes y ya no se puede cambiar.';
  end if;
  return fila;
end
$$;

create function planes.leer(plan uuid, persona uuid)
returns void
language sql
volatile
security definer
set search_path = ''
as $$
  insert into public.lecturas (actividad_id, persona_id, visto_en) values (plan, persona, now())
  on conflict on constraint lecturas_pkey do update set visto_en = excluded.visto_en
$$;

create function public.comentar(plan uuid, id uuid, texto text, motivo boolean default false)
returns void
language plpgsql
volatile
security definer
set search_path = ''
as $$
declare
  fila constant public.actividades := planes.plan_comun(comentar.plan);
  yo constant uuid := auth.uid();
begin
  if motivo and (fila.estado <> 'rechazado' or fila.creador_id = yo) then
    raise exception 'Solo quien rechazó el plan puede decir por qué.';
  end if;
  -- One after the other, so that the limits hold for two at once.
  perform pg_advisory_xact_lock(hashtextextended('comentar ' || yo, 0));
  if exists (
    select from public.comentarios c where c.id = comentar.id and c.autor_id = yo
  ) then
    return;  -- sent twice
  end if;
  if (
    select count(*) from public.comentarios c
    where c.autor_id = yo and c.creado_en > now() - interval '1 minute'
  ) >= 30 then
    raise exception 'Vas muy deprisa. Espera un momento.';
  elsif (select count(*) from public.comentarios c where c.actividad_id = fila.id) >= 500 then
    raise exception 'En este plan ya no caben más comentarios.';
  end if;
  insert into public.comentarios (id, actividad_id, autor_id, texto, motivo)
  values (comentar.id, fila.id, yo, comentar.texto, comentar.motivo)
  on conflict on constraint comentarios_pkey do nothing;
  perform planes.leer(fila.id, yo);
end
$$;

create function public.borrar_comentario(id uuid)
returns void
language plpgsql
volatile
security definer
set search_path = ''
as $$
declare
  yo constant uuid := planes.yo_retenido();
begin
  delete from public.comentarios c where c.id = borrar_comentario.id and c.autor_id = yo;
  if not found then
    raise exception 'Ese comentario no existe o no es tuyo.';
  end if;
end
$$;

create function public.reaccionar(plan uuid, cual text)
returns void
language plpgsql
volatile
security definer
set search_path = ''
as $$
declare
  fila constant public.actividades := planes.plan_comun(reaccionar.plan);
  yo constant uuid := auth.uid();
begin
  delete from public.reacciones r
  where r.actividad_id = fila.id and r.persona_id = yo and r.cual = reaccionar.cual;
  if found then
    return;
  end if;
  insert into public.reacciones (actividad_id, persona_id, cual)
  values (fila.id, yo, reaccionar.cual)
  on conflict on constraint reacciones_pkey do update set cual = excluded.cual;
end
$$;

create function public.marcar_leido(plan uuid)
returns void
language plpgsql
volatile
security definer
set search_path = ''
as $$
declare
  fila constant public.actividades := planes.plan_comun(marcar_leido.plan);
begin
  perform planes.leer(fila.id, auth.uid());
end
$$;

-- By the caller's own rights.
create function public.resumen_conversacion()
returns jsonb
language sql
stable
set search_path = ''
as $$
  select coalesce(jsonb_object_agg(s.actividad_id, jsonb_build_object(
    'total', s.total, 'sin_leer', s.sin_leer, 'motivo', s.motivo
  )), '{}')
  from (
    select c.actividad_id, count(*) as total,
      count(*) filter (
        where c.autor_id <> auth.uid() and c.creado_en > coalesce(l.visto_en, '-infinity')
      ) as sin_leer,
      (array_agg(
        jsonb_build_object('autor_id', c.autor_id, 'texto', c.texto) order by c.creado_en desc
      ) filter (where c.motivo))[1] as motivo
    from public.comentarios c
    left join public.lecturas l
      on l.actividad_id = c.actividad_id and l.persona_id = auth.uid()
    group by c.actividad_id
  ) as s
$$;

comment on function public.comentar(uuid, uuid, text, boolean) is
  'Says something about a common plan; the same id again is the same comment. 500 a plan, 30 a minute.';
comment on function public.borrar_comentario(uuid) is 'Deletes a comment of one''s own.';
comment on function public.reaccionar(uuid, text) is
  'Sets one''s reaction to a common plan; the same again takes it back.';
comment on function public.marcar_leido(uuid) is 'The caller has read what is said about a plan.';
comment on function public.resumen_conversacion() is
  'By plan with comments: {total, sin_leer, motivo: {autor_id, texto} or null}.';

revoke execute on function
  public.comentar(uuid, uuid, text, boolean), public.borrar_comentario(uuid),
  public.reaccionar(uuid, text), public.marcar_leido(uuid), public.resumen_conversacion()
  from public, anon;
grant execute on function
  public.comentar(uuid, uuid, text, boolean), public.borrar_comentario(uuid),
  public.reaccionar(uuid, text), public.marcar_leido(uuid), public.resumen_conversacion()
  to authenticated, service_role;
revoke execute on function planes.plan_comun(uuid), planes.leer(uuid, uuid) from public;
