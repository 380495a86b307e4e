-- What is to be told outside of the database: a queue, written in the transaction of what it tells of,
-- and functions that are due again and again. The stack's job service delivers the one and calls the
-- others (compat_stack.background); where none runs, nothing is delivered and nothing breaks.

create schema recados;
revoke all on schema recados from public;
comment on schema recados is 'Messages to deliver and functions to call, for the job service.';

create table recados.cola (
  id bigint generated always as identity,
  canal text not null,
  destino jsonb not null,
  carga jsonb not null,
  clave text,
  no_antes_de timestamptz not null default now(),
  caduca_en timestamptz not null default now() + interval '24 hours',
  intentos smallint not null default 0,
  estado text not null default 'espera',
  tomado_en timestamptz,
  fallo text,
  creado_en timestamptz not null default now(),
  constraint cola_pkey primary key (id),
  constraint cola_clave_key unique (clave),
  constraint cola_canal_check check (canal in ('push')),
  constraint cola_estado_check check (estado in ('espera', 'hecho', 'fallido')),
  constraint cola_intentos_check check (intentos >= 0)
);

create index cola_espera_idx on recados.cola (no_antes_de, id)
  where estado = 'espera' and tomado_en is null;
create index cola_tomado_idx on recados.cola (tomado_en)
  where estado = 'espera' and tomado_en is not null;
create index cola_creado_en_idx on recados.cola (creado_en);

comment on table recados.cola is 'Messages to deliver. Reached by functions and the job service alone.';
comment on column recados.cola.canal is 'push: a message of the Push API (RFC 8030).';
comment on column recados.cola.destino is
  'push: {endpoint, p256dh, auth} of the subscription, and the {topic} that a later one replaces.';
comment on column recados.cola.carga is 'push: what the service worker is given, at most 3 KB.';
comment on column recados.cola.clave is 'Two messages with one key are one.';
comment on column recados.cola.tomado_en is
  'Since when a service delivers it. It is taken before it is sent, so that nothing is sent twice.';
comment on column recados.cola.fallo is 'Why it was not delivered: a status, or a word.';

create function recados.despertar()
returns trigger
language plpgsql
volatile
set search_path = ''
as $$
begin
  perform pg_notify('recados', '');
  return null;
end
$$;

create trigger cola_despertar after insert on recados.cola
  for each statement execute function recados.despertar();
-- Messages for one service alone, at most so many, the longest due first.
create function recados.tomar(cuantos integer)
returns setof recados.cola
language plpgsql
volatile
set search_path = ''
as $$
begin
  update recados.cola c set estado = 'fallido', tomado_en = null, fallo = 'interrupted'
  where c.estado = 'espera' and c.tomado_en < now() - interval '5 minutes';
  update recados.cola c set estado = 'fallido', fallo = 'expired'
  where c.estado = 'espera' and c.tomado_en is null and c.no_antes_de <= now()
    and c.caduca_en <= now();
  return query
  update recados.cola c set tomado_en = now(), intentos = c.intentos + 1
  from (
    select q.id from recados.cola q
    where q.estado = 'espera' and q.tomado_en is null and q.no_antes_de <= now()
    order by q.no_antes_de, q.id limit cuantos for update skip locked
  ) as siguiente
  where c.id = siguiente.id
  returning c.*;
end
$$;

create function recados.entregado(id bigint)
returns void
language sql
volatile
set search_path = ''
as $$
  update recados.cola c set estado = 'hecho', tomado_en = null, fallo = null
  where c.id = entregado.id and c.estado = 'espera'
$$;

create function recados.fallido(id bigint, fallo text)
returns void
language sql
volatile
set search_path = ''
as $$
  update recados.cola c set estado = 'fallido', tomado_en = null, fallo = fallido.fallo
  where c.id = fallido.id and c.estado = 'espera'
$$;

create function recados.aplazado(id bigint, segundos double precision, fallo text)
returns void
language sql
volatile
set search_path = ''
as $$
  update recados.cola c
  set tomado_en = null, fallo = aplazado.fallo,
    no_antes_de = now() + make_interval(secs => segundos)
  where c.id = aplazado.id and c.estado = 'espera'
$$;

comment on function recados.tomar(integer) is
  'Takes messages that are due; what expired, or was taken five minutes ago, has failed.';
comment on function recados.entregado(bigint) is 'A message that was taken is delivered.';
comment on function recados.fallido(bigint, text) is 'A message that was taken will not be delivered.';
comment on function recados.aplazado(bigint, double precision, text) is
  'A message that was taken is due again in so many seconds.';
revoke execute on all functions in schema recados from public;
