-- Functions that are due again and again, and when anything is due.

create table recados.tareas (
  nombre text not null,
  funcion regprocedure not null,
  cada interval not null,
  ultima timestamptz,
  fallo text,
  constraint tareas_pkey primary key (nombre),
  constraint tareas_cada_check check (cada >= interval '1 second')
);

comment on table recados.tareas is 'Functions without arguments that the job service calls in turn.';
comment on column recados.tareas.ultima is 'When it was called last.';
comment on column recados.tareas.fallo is 'What the last call raised; null where it ended well.';

create trigger tareas_despertar after insert or update of cada on recados.tareas
  for each statement execute function recados.despertar();

-- Two services do not call one function at once; what it raises is kept and stops no other.
create function recados.correr_tareas()
returns void
language plpgsql
volatile
set search_path = ''
as $$
declare
  tarea recados.tareas;
begin
  for tarea in
    select t.* from recados.tareas t
    where t.ultima is null or t.ultima + t.cada <= now()
    order by t.nombre for update skip locked
  loop
    begin
      execute format('select %s()', tarea.funcion::regproc);
      update recados.tareas t set ultima = now(), fallo = null where t.nombre = tarea.nombre;
    exception when others then
      update recados.tareas t set ultima = now(), fallo = sqlerrm where t.nombre = tarea.nombre;
    end;
  end loop;
end
$$;

create function recados.siguiente()
returns double precision
language sql
volatile
set search_path = ''
as $$
  select extract(epoch from min(m.en) - clock_timestamp())::double precision
  from (
    select min(c.no_antes_de) as en from recados.cola c
    where c.estado = 'espera' and c.tomado_en is null
    union all
    select min(c.tomado_en) + interval '5 minutes' from recados.cola c
    where c.estado = 'espera' and c.tomado_en is not null
    union all
    select min(coalesce(t.ultima + t.cada, now())) from recados.tareas t
  ) as m
$$;

create function recados.limpiar()
returns void
language sql
volatile
set search_path = ''
as $$
  delete from recados.cola c
  where c.estado <> 'espera' and c.creado_en < now() - interval '7 days'
$$;

comment on function recados.correr_tareas() is 'Calls the functions that are due.';
comment on function recados.siguiente() is 'Seconds until anything is due; null where nothing is.';
comment on function recados.limpiar() is 'Forgets messages of a week ago.';

revoke execute on function
  recados.correr_tareas(), recados.siguiente(), recados.limpiar()
  from public;

insert into recados.tareas (nombre, funcion, cada)
values ('limpiar', 'recados.limpiar()', interval '1 day');
