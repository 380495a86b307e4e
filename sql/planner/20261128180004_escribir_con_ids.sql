-- What is written with an id of the writer's own, now that the key is theirs (20261128180003).

create or replace function public.guardar_fecha_especial(
  id uuid, titulo text, fecha date, cada_ano boolean default true
)
returns void
language plpgsql
volatile
security definer
set search_path = ''
as $$
declare
  mia constant uuid := planes.pareja_retenida();
begin
  update public.fechas_especiales f
  set titulo = guardar_fecha_especial.titulo, fecha = guardar_fecha_especial.fecha,
    cada_ano = guardar_fecha_especial.cada_ano
  where f.id = guardar_fecha_especial.id and f.pareja_id = mia;
  if found then
    return;
  elsif (select count(*) from public.fechas_especiales f where f.pareja_id = mia) >= 20 then
    raise exception 'Como mucho 20 fechas especiales.';
  end if;
  insert into public.fechas_especiales (id, pareja_id, titulo, fecha, cada_ano)
  values (
    guardar_fecha_especial.id, mia, guardar_fecha_especial.titulo, guardar_fecha_especial.fecha,
    guardar_fecha_especial.cada_ano
  );
end
$$;

create or replace function public.anotar_pago(
  id uuid, plan uuid, importe numeric, pagado_por uuid, parte smallint default 50
)
returns void
language plpgsql
volatile
security definer
set search_path = ''
as $$
declare
  pareja constant public.parejas := planes.pareja_de_cuentas();
  fila constant public.actividades := planes.plan_con_gastos(pareja, anotar_pago.plan);
begin
  if anotar_pago.pagado_por not in (pareja.persona_a, pareja.persona_b) then
    raise exception 'Paga uno de los dos.';
  end if;
  update public.pagos p
  set importe = anotar_pago.importe, pagado_por = anotar_pago.pagado_por,
    parte = anotar_pago.parte, anotado_por = auth.uid()
  where p.id = anotar_pago.id and p.actividad_id = fila.id;
  if found then
    return;
  elsif (select count(*) from public.pagos p where p.actividad_id = fila.id) >= 20 then
    raise exception 'En este plan ya no caben más gastos.';
  end if;
  insert into public.pagos (id, actividad_id, pagado_por, importe, parte, anotado_por)
  values (
    anotar_pago.id, fila.id, anotar_pago.pagado_por, anotar_pago.importe, anotar_pago.parte,
    auth.uid()
  );
end
$$;

create or replace function public.borrar_pago(id uuid)
returns void
language plpgsql
volatile
security definer
set search_path = ''
as $$
declare
  pareja constant public.parejas := planes.pareja_de_cuentas();
  del_plan constant uuid := (
    select p.actividad_id from public.pagos p
    join public.actividades a on a.id = p.actividad_id
    where p.id = borrar_pago.id and (a.pareja_id = pareja.id or a.creador_id = auth.uid())
    order by a.pareja_id = pareja.id desc limit 1
  );
begin
  perform planes.plan_con_gastos(pareja, del_plan);
  delete from public.pagos p where p.id = borrar_pago.id and p.actividad_id = del_plan;
end
$$;

create or replace function public.comentar(
  plan uuid, id uuid, texto text, motivo boolean default false
)
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
    union all
    select from public.comentarios c where c.id = comentar.id and c.actividad_id = fila.id
  ) then
    return;  -- sent twice, or the partner's
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
  values (comentar.id, fila.id, yo, comentar.texto, comentar.motivo);
  perform planes.leer(fila.id, yo);
end
$$;

create or replace function public.borrar_comentario(id uuid)
returns void
language plpgsql
volatile
security definer
set search_path = ''
as $$
declare
  yo constant uuid := planes.yo_retenido();
  fila public.comentarios;
begin
  select * into fila from public.comentarios c
  where c.id = borrar_comentario.id and c.autor_id = yo;
  if not found then
    raise exception 'Ese comentario no existe o no es tuyo.';
  end if;
  perform planes.plan_comun(fila.actividad_id);
  delete from planes.comentarios_borrados b
  where b.autor_id = yo and (b.borrado_en < now() - interval '1 hour' or b.id = fila.id);
  insert into planes.comentarios_borrados (id, actividad_id, autor_id, comentario)
  values (fila.id, fila.actividad_id, yo, to_jsonb(fila));
  delete from public.comentarios c where c.id = fila.id and c.autor_id = yo;
end
$$;

create or replace function public.recuperar_comentario(id uuid)
returns void
language plpgsql
volatile
security definer
set search_path = ''
as $$
declare
  yo constant uuid := planes.yo_retenido();
  guardado planes.comentarios_borrados;
begin
  delete from planes.comentarios_borrados b
  where b.id = recuperar_comentario.id and b.autor_id = yo
    and b.borrado_en >= now() - interval '1 hour'
  returning * into guardado;
  if not found then
    raise exception 'Ese comentario ya no se puede recuperar.';
  end if;
  perform planes.plan_comun(guardado.actividad_id);
  -- Whoever was told of it once is not told again.
  perform set_config('planes.recuperando', '1', true);
  insert into public.comentarios
  select c.* from jsonb_populate_record(null::public.comentarios, guardado.comentario) as c
  on conflict on constraint comentarios_pkey do nothing;
  perform set_config('planes.recuperando', '', true);
end
$$;
