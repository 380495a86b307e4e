-- What the migrations make together on PostgreSQL 18. Written by `make snapshot`: do not edit.
-- Left out: the runner's ledgers, the daily partitions of realtime.messages, and the 256
-- sequences planes.codigo_erroneo_<n> and codigo_erroneo_en_<n>.

create role anon nologin;
create role authenticated nologin;
create role authenticator login noinherit;
create role compat_background login noinherit;
create role dashboard_user nologin replication;
create role pgbouncer login;
create role postgres login bypassrls replication;
create role service_role nologin bypassrls;
create role supabase_admin login bypassrls replication;
create role supabase_auth_admin login noinherit;
create role supabase_etl_admin login replication;
create role supabase_functions_admin login noinherit;
create role supabase_read_only_user login bypassrls;
create role supabase_realtime_admin login noinherit replication;
create role supabase_replication_admin login replication;
create role supabase_storage_admin login noinherit;
alter role anon set statement_timeout=3s;
alter role authenticated set statement_timeout=8s;
alter role authenticator set lock_timeout=8s;
alter role authenticator set statement_timeout=8s;
alter role postgres set search_path="$user", public, extensions;
alter role supabase_auth_admin set idle_in_transaction_session_timeout=60s;
alter role supabase_auth_admin set search_path=auth;
alter role supabase_functions_admin set search_path=supabase_functions;
alter role supabase_storage_admin set search_path=storage;
grant anon to authenticator;
grant anon to postgres;
grant anon to supabase_realtime_admin;
grant anon to supabase_storage_admin;
grant authenticated to authenticator;
grant authenticated to postgres;
grant authenticated to supabase_realtime_admin;
grant authenticated to supabase_storage_admin;
grant authenticator to postgres;
grant dashboard_user to postgres;
grant service_role to authenticator;
grant service_role to postgres;
grant service_role to supabase_realtime_admin;
grant service_role to supabase_storage_admin;
grant supabase_auth_admin to postgres;
grant supabase_functions_admin to postgres;
grant supabase_realtime_admin to postgres;
grant supabase_storage_admin to postgres;

CREATE SCHEMA auth;

ALTER SCHEMA auth OWNER TO supabase_admin;

CREATE SCHEMA extensions;

ALTER SCHEMA extensions OWNER TO postgres;

CREATE SCHEMA graphql_public;

ALTER SCHEMA graphql_public OWNER TO supabase_admin;

CREATE EXTENSION IF NOT EXISTS pg_graphql WITH SCHEMA graphql_public;

COMMENT ON EXTENSION pg_graphql IS 'GraphQL, which is not served (compat)';

CREATE SCHEMA net;

ALTER SCHEMA net OWNER TO supabase_admin;

CREATE SCHEMA planes;

ALTER SCHEMA planes OWNER TO postgres;

COMMENT ON SCHEMA planes IS 'Internals of the planner; not exposed to clients.';

CREATE SCHEMA realtime;

ALTER SCHEMA realtime OWNER TO supabase_admin;

CREATE SCHEMA recados;

ALTER SCHEMA recados OWNER TO postgres;

COMMENT ON SCHEMA recados IS 'Messages to deliver and functions to call, for the job service.';

CREATE SCHEMA storage;

ALTER SCHEMA storage OWNER TO supabase_admin;

CREATE SCHEMA storage_compat;

ALTER SCHEMA storage_compat OWNER TO supabase_admin;

CREATE SCHEMA supabase_functions;

ALTER SCHEMA supabase_functions OWNER TO supabase_admin;

CREATE SCHEMA vault;

ALTER SCHEMA vault OWNER TO supabase_admin;

CREATE EXTENSION IF NOT EXISTS pg_net WITH SCHEMA extensions;

COMMENT ON EXTENSION pg_net IS 'HTTP requests that are sent after the transaction (compat)';

CREATE EXTENSION IF NOT EXISTS pg_stat_statements WITH SCHEMA extensions;

COMMENT ON EXTENSION pg_stat_statements IS 'track planning and execution statistics of all SQL statements executed';

CREATE EXTENSION IF NOT EXISTS supabase_vault WITH SCHEMA vault;

COMMENT ON EXTENSION supabase_vault IS 'Secrets encrypted at rest (compat)';

CREATE EXTENSION IF NOT EXISTS "uuid-ossp" WITH SCHEMA extensions;

COMMENT ON EXTENSION "uuid-ossp" IS 'generate universally unique identifiers (UUIDs)';

CREATE TYPE auth.aal_level AS ENUM (
    'aal1',
    'aal2',
    'aal3'
);

ALTER TYPE auth.aal_level OWNER TO supabase_auth_admin;

CREATE TYPE auth.code_challenge_method AS ENUM (
    's256',
    'plain'
);

ALTER TYPE auth.code_challenge_method OWNER TO supabase_auth_admin;

CREATE TYPE auth.factor_status AS ENUM (
    'unverified',
    'verified'
);

ALTER TYPE auth.factor_status OWNER TO supabase_auth_admin;

CREATE TYPE auth.factor_type AS ENUM (
    'totp',
    'webauthn',
    'phone'
);

ALTER TYPE auth.factor_type OWNER TO supabase_auth_admin;

CREATE TYPE auth.oauth_authorization_status AS ENUM (
    'pending',
    'approved',
    'denied',
    'expired'
);

ALTER TYPE auth.oauth_authorization_status OWNER TO supabase_auth_admin;

CREATE TYPE auth.oauth_client_type AS ENUM (
    'public',
    'confidential'
);

ALTER TYPE auth.oauth_client_type OWNER TO supabase_auth_admin;

CREATE TYPE auth.oauth_registration_type AS ENUM (
    'dynamic',
    'manual'
);

ALTER TYPE auth.oauth_registration_type OWNER TO supabase_auth_admin;

CREATE TYPE auth.oauth_response_type AS ENUM (
    'code'
);

ALTER TYPE auth.oauth_response_type OWNER TO supabase_auth_admin;

CREATE TYPE auth.one_time_token_type AS ENUM (
    'confirmation_token',
    'reauthentication_token',
    'recovery_token',
    'email_change_token_new',
    'email_change_token_current',
    'phone_change_token'
);

ALTER TYPE auth.one_time_token_type OWNER TO supabase_auth_admin;

CREATE DOMAIN planes."*/*" AS text;

ALTER DOMAIN planes."*/*" OWNER TO postgres;

CREATE TYPE realtime.action AS ENUM (
    'INSERT',
    'UPDATE',
    'DELETE',
    'TRUNCATE',
    'ERROR'
);

ALTER TYPE realtime.action OWNER TO supabase_realtime_admin;

CREATE TYPE realtime.equality_op AS ENUM (
    'eq',
    'neq',
    'lt',
    'lte',
    'gt',
    'gte',
    'in',
    'like',
    'ilike',
    'is',
    'match',
    'imatch',
    'isdistinct'
);

ALTER TYPE realtime.equality_op OWNER TO supabase_realtime_admin;

CREATE TYPE realtime.user_defined_filter AS (
	column_name text,
	op realtime.equality_op,
	value text,
	negate boolean
);

ALTER TYPE realtime.user_defined_filter OWNER TO supabase_realtime_admin;

CREATE TYPE realtime.wal_column AS (
	name text,
	type_name text,
	type_oid oid,
	value jsonb,
	is_pkey boolean,
	is_selectable boolean
);

ALTER TYPE realtime.wal_column OWNER TO supabase_realtime_admin;

CREATE TYPE realtime.wal_rls AS (
	wal jsonb,
	is_rls_enabled boolean,
	subscription_ids uuid[],
	errors text[]
);

ALTER TYPE realtime.wal_rls OWNER TO supabase_realtime_admin;

CREATE TYPE storage.buckettype AS ENUM (
    'STANDARD',
    'ANALYTICS',
    'VECTOR'
);

ALTER TYPE storage.buckettype OWNER TO supabase_storage_admin;

CREATE FUNCTION auth.email() RETURNS text
    LANGUAGE sql STABLE
    AS $$
  select coalesce(
    nullif(current_setting('request.jwt.claim.email', true), ''),
    nullif(current_setting('request.jwt.claims', true), '')::jsonb ->> 'email'
  )
$$;

ALTER FUNCTION auth.email() OWNER TO supabase_auth_admin;

COMMENT ON FUNCTION auth.email() IS 'The token''s email claim.';

CREATE FUNCTION auth.jwt() RETURNS jsonb
    LANGUAGE sql STABLE
    AS $$
  select coalesce(
    nullif(current_setting('request.jwt.claim', true), ''),
    nullif(current_setting('request.jwt.claims', true), '')
  )::jsonb
$$;

ALTER FUNCTION auth.jwt() OWNER TO supabase_auth_admin;

COMMENT ON FUNCTION auth.jwt() IS 'All claims of the token.';

CREATE FUNCTION auth.role() RETURNS text
    LANGUAGE sql STABLE
    AS $$
  select coalesce(
    nullif(current_setting('request.jwt.claim.role', true), ''),
    nullif(current_setting('request.jwt.claims', true), '')::jsonb ->> 'role'
  )
$$;

ALTER FUNCTION auth.role() OWNER TO supabase_auth_admin;

COMMENT ON FUNCTION auth.role() IS 'The token''s role claim.';

CREATE FUNCTION auth.uid() RETURNS uuid
    LANGUAGE sql STABLE
    AS $$
  select coalesce(
    nullif(current_setting('request.jwt.claim.sub', true), ''),
    nullif(current_setting('request.jwt.claims', true), '')::jsonb ->> 'sub'
  )::uuid
$$;

ALTER FUNCTION auth.uid() OWNER TO supabase_auth_admin;

COMMENT ON FUNCTION auth.uid() IS 'Id of the signed-in user (claim sub), null for anybody else.';

CREATE FUNCTION extensions.pgrst_ddl_watch() RETURNS event_trigger
    LANGUAGE plpgsql
    SET search_path TO ''
    AS $$
begin
  if exists (
    select
    from pg_catalog.pg_event_trigger_ddl_commands() as command
    where command.schema_name is distinct from 'pg_temp'
      and command.command_tag in (
        'CREATE SCHEMA', 'ALTER SCHEMA',
        'CREATE TABLE', 'CREATE TABLE AS', 'SELECT INTO', 'ALTER TABLE',
        'CREATE FOREIGN TABLE', 'ALTER FOREIGN TABLE',
        'CREATE VIEW', 'ALTER VIEW',
        'CREATE MATERIALIZED VIEW', 'ALTER MATERIALIZED VIEW',
        'CREATE FUNCTION', 'ALTER FUNCTION', 'CREATE PROCEDURE', 'ALTER PROCEDURE',
        'CREATE AGGREGATE', 'ALTER AGGREGATE', 'CREATE CAST',
        'CREATE TRIGGER', 'CREATE RULE', 'CREATE TYPE', 'ALTER TYPE',
        'CREATE DOMAIN', 'ALTER DOMAIN', 'COMMENT'
      )
  ) then
    notify pgrst, 'reload schema';
  end if;
end
$$;

ALTER FUNCTION extensions.pgrst_ddl_watch() OWNER TO supabase_admin;

CREATE FUNCTION extensions.pgrst_drop_watch() RETURNS event_trigger
    LANGUAGE plpgsql
    SET search_path TO ''
    AS $$
begin
  if exists (
    select
    from pg_catalog.pg_event_trigger_dropped_objects() as dropped
    where not dropped.is_temporary
      and dropped.object_type in (
        'schema', 'table', 'foreign table', 'view', 'materialized view', 'table column',
        'table constraint', 'function', 'procedure', 'aggregate', 'cast', 'trigger', 'type',
        'domain', 'rule'
      )
  ) then
    notify pgrst, 'reload schema';
  end if;
end
$$;

ALTER FUNCTION extensions.pgrst_drop_watch() OWNER TO supabase_admin;

CREATE FUNCTION planes.a_quien_avisar() RETURNS uuid
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO ''
    AS $$
  select otra.id
  from public.profiles yo
  join public.profiles otra on otra.pareja_id = yo.pareja_id and otra.id <> yo.id
  where yo.id = auth.uid()
$$;

ALTER FUNCTION planes.a_quien_avisar() OWNER TO postgres;

CREATE FUNCTION planes.anotar_codigo_erroneo(usuario uuid) RETURNS void
    LANGUAGE plpgsql
    SET search_path TO ''
    AS $$
declare
  ahora constant bigint := floor(extract(epoch from clock_timestamp()));
  quien constant bigint := planes.codigo_erroneo_marca(usuario);
  cuantos constant bigint := least(planes.codigos_erroneos(usuario) + 1, 7);
  destino regclass;
begin
  select registro into destino
  from planes.codigo_erroneo_registros(usuario)
  order by marca = quien desc, segundos <= ahora - 15 * 60 desc, fallos, segundos
  limit 1;
  perform setval(destino, (cuantos << 60) | (ahora << 28) | quien);
end
$$;

ALTER FUNCTION planes.anotar_codigo_erroneo(usuario uuid) OWNER TO postgres;

CREATE FUNCTION planes.anotar_codigo_erroneo_en(direccion text) RETURNS void
    LANGUAGE plpgsql
    SET search_path TO ''
    AS $$
declare
  ahora constant bigint := floor(extract(epoch from clock_timestamp()));
  quien constant bigint := planes.codigo_erroneo_en_marca(direccion);
  cuantos constant bigint := least(planes.codigos_erroneos_en(direccion) + 1, 31);
  destino regclass;
begin
  if direccion is null then
    return;
  end if;
  select registro into destino
  from planes.codigo_erroneo_en_registros(direccion)
  order by marca = quien desc, segundos <= ahora - 15 * 60 desc, fallos, segundos
  limit 1;
  perform setval(destino, (cuantos << 58) | (ahora << 26) | quien);
end
$$;

ALTER FUNCTION planes.anotar_codigo_erroneo_en(direccion text) OWNER TO postgres;

CREATE FUNCTION planes.anotar_entrega() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO ''
    AS $$
declare
  cual constant uuid := (new.destino ->> 'dispositivo')::uuid;
begin
  if new.estado = 'hecho' then
    update planes.dispositivos d set fallos = 0 where d.id = cual and d.fallos > 0;
  elsif new.fallo in ('404', '410') then
    delete from planes.dispositivos d where d.id = cual;
  elsif new.fallo not in ('expired', 'interrupted') then
    update planes.dispositivos d set fallos = d.fallos + 1 where d.id = cual;
    delete from planes.dispositivos d where d.id = cual and d.fallos >= 5;
  end if;
  return null;
end
$$;

ALTER FUNCTION planes.anotar_entrega() OWNER TO postgres;

CREATE FUNCTION planes.anotar_historial() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO ''
    AS $$
declare
  cambiado jsonb;
begin
  delete from public.historial h
  where h.actividad_id = new.id and h.en < now() - interval '12 months';
  if tg_op = 'UPDATE' and new.revision <> old.revision then
    select jsonb_object_agg(n.key, jsonb_build_array(o.value, n.value)) into cambiado
    from jsonb_each(to_jsonb(new)) as n
    join jsonb_each(to_jsonb(old)) as o on o.key = n.key
    where n.key = any (planes.campos_del_plan()) and n.value is distinct from o.value;
  end if;
  insert into public.historial (actividad_id, persona_id, que, cambios)
  values (
    new.id, (select u.id from auth.users u where u.id = auth.uid()),
    case
      when tg_op = 'INSERT' then 'propuesto'
      when new.revision <> old.revision then 'editado'
      else new.estado
    end,
    cambiado
  );
  return null;
end
$$;

ALTER FUNCTION planes.anotar_historial() OWNER TO postgres;

CREATE FUNCTION planes.avisar(persona uuid, evento text, titulo text, cuerpo text, plan uuid, oculto text DEFAULT NULL::text) RETURNS void
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO ''
    AS $$
declare
  aparato planes.dispositivos;
  listo timestamptz;
  carga jsonb;
  lema text;
begin
  for aparato in
    select d.* from planes.dispositivos d
    where d.persona_id = persona and (evento is null or evento = any (d.eventos))
    order by d.id
  loop
    listo := planes.fin_del_silencio(
      aparato.silencio_desde, aparato.silencio_hasta, aparato.zona, now()
    );
    lema := case when aparato.ver_titulo then cuerpo else 'Ábrelo para verlo' end;
    carga := jsonb_build_object(
      'titulo', case when aparato.ver_titulo then titulo else coalesce(oculto, titulo) end,
      'cuerpo', left(lema, 500),
      'url', case when plan is null then '/dashboard' else '/dashboard?plan=' || plan end,
      'evento', evento
    );
    if listo <= now() then
      perform planes.recado_para(
        aparato, carga, coalesce(plan::text, 'planes'), null, now(), now() + interval '24 hours'
      );
    else
      perform planes.guardar_para_luego(aparato, carga, listo);
    end if;
  end loop;
end
$$;

ALTER FUNCTION planes.avisar(persona uuid, evento text, titulo text, cuerpo text, plan uuid, oculto text) OWNER TO postgres;

CREATE FUNCTION planes.avisar_borrado() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO ''
    AS $$
begin
  -- What goes with an account is told by the account's going.
  if not planes.sin_contar_cada_una(old.serie_id)
    and exists (select from auth.users u where u.id = old.creador_id)
  then
    perform planes.avisar(
      planes.a_quien_avisar(), 'eliminados',
      planes.mi_nombre() || ' ha eliminado un plan aceptado', planes.plan_en_breve(old), null
    );
  end if;
  return null;
end
$$;

ALTER FUNCTION planes.avisar_borrado() OWNER TO postgres;

CREATE FUNCTION planes.avisar_cambio() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO ''
    AS $$
declare
  otra constant uuid := planes.a_quien_avisar();
  yo constant text := planes.mi_nombre();
begin
  if otra is null or planes.sin_contar_cada_una(new.serie_id) then
    return null;
  elsif new.revision <> old.revision and new.creador_id <> otra then
    perform planes.avisar(
      otra, 'respuestas', yo || ' ha cambiado su propuesta', planes.plan_en_breve(new), new.id
    );
  elsif old.estado = 'pendiente' and new.estado <> 'pendiente' and new.creador_id = otra
    -- Another date is told by itself.
    and not exists (
      select from public.actividades a where a.origen_id = new.id and a.creado_en = now()
    )
  then
    perform planes.avisar(
      otra, 'respuestas',
      yo || case new.estado when 'aceptado' then ' ha aceptado' else ' ha rechazado' end,
      planes.plan_en_breve(new), new.id
    );
  end if;
  return null;
end
$$;

ALTER FUNCTION planes.avisar_cambio() OWNER TO postgres;

CREATE FUNCTION planes.avisar_comentario() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO ''
    AS $$
begin
  perform planes.avisar(
    planes.a_quien_avisar(), 'comentarios',
    planes.mi_nombre() || ' comenta: ' || left(a.titulo, 120), left(new.texto, 120), a.id,
    planes.mi_nombre() || ' comenta'
  )
  from public.actividades a where a.id = new.actividad_id and new.autor_id = auth.uid();
  return null;
end
$$;

ALTER FUNCTION planes.avisar_comentario() OWNER TO postgres;

CREATE FUNCTION planes.avisar_pareja() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO ''
    AS $$
begin
  if new.id <> auth.uid() and planes.mi_nombre() is not null then
    perform planes.avisar(
      new.id, null,
      case when new.pareja_id is null then planes.mi_nombre() || ' ha dejado de compartir el calendario'
        else 'Ya planeas con ' || planes.mi_nombre() end,
      'Ábrelo para verlo', null
    );
  end if;
  return null;
end
$$;

ALTER FUNCTION planes.avisar_pareja() OWNER TO postgres;

CREATE FUNCTION planes.avisar_propuestas() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO ''
    AS $$
declare
  otra constant uuid := planes.a_quien_avisar();
  yo constant text := planes.mi_nombre();
  cuantas constant bigint := (select count(*) from nuevas);
  fila public.actividades;
  antes public.actividades;
begin
  if otra is null or coalesce(current_setting('planes.recuperando', true), '') = '1' then
    return null;
  end if;
  select * into fila from nuevas order by fecha limit 1;
  if fila.creador_id is distinct from auth.uid() then
    return null;
  elsif fila.serie_id is not null then
    perform planes.avisar(
      otra, 'propuestas', yo || ' propone un plan que se repite',
      planes.serie_en_breve(fila.titulo, cuantas, fila.fecha), fila.id
    );
    return null;
  elsif cuantas > 1 then
    perform planes.avisar(
      otra, 'propuestas', yo || ' propone ' || cuantas || ' planes',
      (select string_agg(t.titulo, ' · ') from (
        select n.titulo from nuevas n order by n.fecha, n.hora, n.titulo limit 3
      ) as t),
      null
    );
    return null;
  end if;
  select * into antes from public.actividades a where a.id = fila.origen_id;
  if found and antes.fecha = fila.fecha then
    perform planes.avisar(
      otra, 'propuestas', yo || ' propone otra hora',
      fila.titulo || ' · ' || planes.fecha_corta(fila.fecha) || ' · '
        || coalesce(to_char(fila.hora, 'HH24:MI'), 'sin hora'),
      fila.id
    );
  elsif found then
    perform planes.avisar(
      otra, 'propuestas', yo || ' propone otra fecha',
      fila.titulo || ': del ' || planes.fecha_corta(antes.fecha) || ' al '
        || planes.fecha_corta(fila.fecha),
      fila.id
    );
  elsif fila.id is not null then
    perform planes.avisar(
      otra, 'propuestas', yo || ' propone un plan', planes.plan_en_breve(fila), fila.id
    );
  end if;
  return null;
end
$$;

ALTER FUNCTION planes.avisar_propuestas() OWNER TO postgres;

CREATE FUNCTION planes.barrer_recuerdos() RETURNS void
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO ''
    AS $$
begin
  delete from planes.recuerdos_borrados b
  where not b.con_plan and b.borrado_en < now() - interval '10 minutes';
  delete from planes.papelera p where p.borrado_en < now() - interval '30 days';
  delete from public.recuerdos r
  where r.subido_en is null and r.creado_en < now() - interval '1 day';
  if to_regclass('storage.objects') is null then
    return;
  end if;
  perform planes.quitar_ficheros(array(
    select o.name from storage.objects o
    where o.bucket_id = 'recuerdos' and o.created_at < now() - interval '1 day'
      and not exists (select from public.recuerdos r where r.ruta = o.name)
      and not exists (select from public.recuerdos r where r.miniatura = o.name)
      and not exists (
        select from planes.recuerdos_borrados b
        where o.name in (b.fila ->> 'ruta', b.fila ->> 'miniatura')
      )
  ));
end
$$;

ALTER FUNCTION planes.barrer_recuerdos() OWNER TO postgres;

CREATE FUNCTION planes.bytes_subidos(nombres text[]) RETURNS bigint
    LANGUAGE plpgsql STABLE SECURITY DEFINER
    SET search_path TO ''
    AS $$
begin
  return (
    select case when count(*) = 2 then sum((o.metadata ->> 'size')::bigint) end
    from storage.objects o where o.bucket_id = 'recuerdos' and o.name = any (nombres)
  );
end
$$;

ALTER FUNCTION planes.bytes_subidos(nombres text[]) OWNER TO postgres;

CREATE FUNCTION planes.campos_del_plan() RETURNS text[]
    LANGUAGE sql IMMUTABLE
    SET search_path TO ''
    AS $$
  select array[
    'titulo', 'descripcion', 'fecha', 'presupuesto', 'hora', 'hora_fin', 'fecha_fin', 'lugar'
  ]
$$;

ALTER FUNCTION planes.campos_del_plan() OWNER TO postgres;

CREATE FUNCTION planes.codigo_erroneo_conjunto(usuario uuid) RETURNS integer
    LANGUAGE sql IMMUTABLE
    SET search_path TO ''
    AS $$ select (pg_catalog.hashtextextended(usuario::text, 0) & 15)::integer $$;

ALTER FUNCTION planes.codigo_erroneo_conjunto(usuario uuid) OWNER TO postgres;

CREATE FUNCTION planes.codigo_erroneo_en_conjunto(direccion text) RETURNS integer
    LANGUAGE sql IMMUTABLE
    SET search_path TO ''
    AS $$ select (pg_catalog.hashtextextended(direccion, 0) & 15)::integer $$;

ALTER FUNCTION planes.codigo_erroneo_en_conjunto(direccion text) OWNER TO postgres;

CREATE FUNCTION planes.codigo_erroneo_en_marca(direccion text) RETURNS bigint
    LANGUAGE sql IMMUTABLE
    SET search_path TO ''
    AS $$ select pg_catalog.hashtextextended(direccion, 1) & ((1 << 26) - 1) $$;

ALTER FUNCTION planes.codigo_erroneo_en_marca(direccion text) OWNER TO postgres;

CREATE FUNCTION planes.codigo_erroneo_en_registros(direccion text) RETURNS TABLE(registro regclass, marca bigint, segundos bigint, fallos integer)
    LANGUAGE sql
    SET search_path TO ''
    AS $$
  select r.registro, v.valor & ((1 << 26) - 1), (v.valor >> 26) & ((1::bigint << 32) - 1),
    (v.valor >> 58)::integer
  from (
    select format(
      'planes.codigo_erroneo_en_%s', planes.codigo_erroneo_en_conjunto(direccion) * 8 + n
    )::regclass as registro
    from generate_series(0, 7) as n
  ) as r
  cross join lateral (
    select coalesce(pg_catalog.pg_sequence_last_value(r.registro), 0) as valor
  ) as v
$$;

ALTER FUNCTION planes.codigo_erroneo_en_registros(direccion text) OWNER TO postgres;

CREATE FUNCTION planes.codigo_erroneo_marca(usuario uuid) RETURNS bigint
    LANGUAGE sql IMMUTABLE
    SET search_path TO ''
    AS $$ select pg_catalog.hashtextextended(usuario::text, 1) & ((1 << 28) - 1) $$;

ALTER FUNCTION planes.codigo_erroneo_marca(usuario uuid) OWNER TO postgres;

CREATE FUNCTION planes.codigo_erroneo_registros(usuario uuid) RETURNS TABLE(registro regclass, marca bigint, segundos bigint, fallos integer)
    LANGUAGE sql
    SET search_path TO ''
    AS $$
  select r.registro, v.valor & ((1 << 28) - 1), (v.valor >> 28) & ((1::bigint << 32) - 1),
    (v.valor >> 60)::integer
  from (
    select format('planes.codigo_erroneo_%s', planes.codigo_erroneo_conjunto(usuario) * 8 + n)
      ::regclass as registro
    from generate_series(0, 7) as n
  ) as r
  cross join lateral (
    select coalesce(pg_catalog.pg_sequence_last_value(r.registro), 0) as valor
  ) as v
$$;

ALTER FUNCTION planes.codigo_erroneo_registros(usuario uuid) OWNER TO postgres;

CREATE FUNCTION planes.codigo_limpio(texto text) RETURNS text
    LANGUAGE sql IMMUTABLE
    SET search_path TO ''
    AS $$ select upper(regexp_replace(left(texto, 100), '[^A-Za-z0-9]', '', 'g')) $$;

ALTER FUNCTION planes.codigo_limpio(texto text) OWNER TO postgres;

CREATE FUNCTION planes.codigo_nuevo() RETURNS text
    LANGUAGE sql
    SET search_path TO ''
    AS $$
  select string_agg(
    substr('ABCDEFGHJKLMNPQRSTUVWXYZ23456789', (get_byte(bytes, n) & 31) + 1, 1), ''
  )
  from uuid_send(gen_random_uuid()) as bytes, generate_series(8, 15) as n
$$;

ALTER FUNCTION planes.codigo_nuevo() OWNER TO postgres;

CREATE FUNCTION planes.codigos_erroneos(usuario uuid) RETURNS integer
    LANGUAGE plpgsql
    SET search_path TO ''
    AS $$
begin
  perform pg_advisory_xact_lock(
    hashtext('planes.codigos_erroneos'), planes.codigo_erroneo_conjunto(usuario)
  );
  return coalesce((
    select max(fallos)
    from planes.codigo_erroneo_registros(usuario)
    where marca = planes.codigo_erroneo_marca(usuario)
      and segundos > extract(epoch from clock_timestamp()) - 15 * 60
  ), 0);
end
$$;

ALTER FUNCTION planes.codigos_erroneos(usuario uuid) OWNER TO postgres;

CREATE FUNCTION planes.codigos_erroneos_en(direccion text) RETURNS integer
    LANGUAGE plpgsql
    SET search_path TO ''
    AS $$
begin
  if direccion is null then
    return 0;
  end if;
  perform pg_advisory_xact_lock(
    hashtext('planes.codigos_erroneos_en'), planes.codigo_erroneo_en_conjunto(direccion)
  );
  return coalesce((
    select max(fallos)
    from planes.codigo_erroneo_en_registros(direccion)
    where marca = planes.codigo_erroneo_en_marca(direccion)
      and segundos > extract(epoch from clock_timestamp()) - 15 * 60
  ), 0);
end
$$;

ALTER FUNCTION planes.codigos_erroneos_en(direccion text) OWNER TO postgres;

CREATE FUNCTION planes.comprobar_pareja() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO ''
    AS $$
begin
  if not exists (
    select from public.parejas c
    where c.id = new.pareja_id and new.id in (c.persona_a, c.persona_b)
  ) then
    raise check_violation using
      message = 'the couple does not name this person', table = 'profiles', schema = 'public',
      constraint = 'profiles_pareja_id_check';
  end if;
  return new;
end
$$;

ALTER FUNCTION planes.comprobar_pareja() OWNER TO postgres;

CREATE FUNCTION planes.contar_personas() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO ''
    AS $$
begin
  if tg_op <> 'INSERT' and old.pareja_id is not null then
    update public.parejas set personas = personas - 1 where id = old.pareja_id;
  end if;
  if tg_op <> 'DELETE' and new.pareja_id is not null then
    update public.parejas set personas = personas + 1 where id = new.pareja_id;
  end if;
  return null;
end
$$;

ALTER FUNCTION planes.contar_personas() OWNER TO postgres;

CREATE FUNCTION planes.correo_de(persona uuid, ahora timestamp with time zone) RETURNS TABLE(direccion text, ficha text)
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO ''
    AS $$
  select u.email, j.ficha
  from planes.ajustes j
  join auth.users u on u.id = j.persona_id
  left join lateral (
    select d.silencio_desde, d.silencio_hasta from planes.dispositivos d
    where d.persona_id = j.persona_id order by d.visto_en desc, d.id limit 1
  ) as ultimo on true
  where j.persona_id = persona and j.correo and u.email_confirmed_at is not null
    and coalesce(u.email, '') <> '' and (u.banned_until is null or u.banned_until < ahora)
    and planes.fin_del_silencio(
      case when exists (select from planes.dispositivos d where d.persona_id = persona)
        then ultimo.silencio_desde else '22:30' end,
      case when exists (select from planes.dispositivos d where d.persona_id = persona)
        then ultimo.silencio_hasta else '08:30' end,
      j.zona, ahora
    ) = ahora
$$;

ALTER FUNCTION planes.correo_de(persona uuid, ahora timestamp with time zone) OWNER TO postgres;

CREATE FUNCTION planes.crear_perfil() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO ''
    AS $$
begin
  insert into public.profiles (id, nombre)
  values (new.id, planes.nombre_inicial(new.raw_user_meta_data, new.email))
  on conflict (id) do nothing;
  return null;
end
$$;

ALTER FUNCTION planes.crear_perfil() OWNER TO postgres;

CREATE TABLE public.parejas (
    id uuid DEFAULT gen_random_uuid() NOT NULL,
    creada_en timestamp with time zone DEFAULT now() NOT NULL,
    personas smallint DEFAULT 0 NOT NULL,
    persona_a uuid NOT NULL,
    persona_b uuid NOT NULL,
    terminada_en timestamp with time zone,
    CONSTRAINT parejas_orden_check CHECK ((persona_a < persona_b)),
    CONSTRAINT parejas_personas_check CHECK (((personas >= 0) AND (personas <= 2))),
    CONSTRAINT parejas_terminada_en_check CHECK (((terminada_en IS NULL) OR (personas = 0)))
);

ALTER TABLE public.parejas OWNER TO postgres;

COMMENT ON TABLE public.parejas IS 'Couples: two people, present or former. Accessible through functions only.';

COMMENT ON COLUMN public.parejas.personas IS 'How many profiles have this id: two at most.';

COMMENT ON COLUMN public.parejas.persona_a IS 'The smaller of the two user ids.';

COMMENT ON COLUMN public.parejas.terminada_en IS 'When the pairing ended; null while it lasts.';

CREATE FUNCTION planes.cuentas_del_mes(pareja public.parejas, mes text, OUT gastado bigint, OUT saldo bigint) RETURNS record
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO ''
    AS $$
  select coalesce(sum(p.importe * 100), 0)::bigint,
    coalesce(sum(
      case when p.pagado_por = pareja.persona_a then 1 else -1 end * planes.deuda(p.importe, p.parte)
    ), 0)::bigint
  from public.actividades a
  join public.pagos p on p.actividad_id = a.id
  where a.pareja_id = pareja.id and a.estado = 'aceptado'
    and a.fecha >= (mes || '-01')::date
    and a.fecha < (mes || '-01')::date + interval '1 month'
$$;

ALTER FUNCTION planes.cuentas_del_mes(pareja public.parejas, mes text, OUT gastado bigint, OUT saldo bigint) OWNER TO postgres;

CREATE FUNCTION planes.dar_a_la_pareja() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO ''
    AS $$
declare
  suya uuid;
begin
  perform planes.retener(array[new.creador_id]);
  select p.pareja_id into suya from public.profiles p where p.id = new.creador_id for key share;
  new.pareja_id := coalesce(suya, new.pareja_id);
  return new;
end
$$;

ALTER FUNCTION planes.dar_a_la_pareja() OWNER TO postgres;

CREATE FUNCTION planes.deuda(importe numeric, parte smallint) RETURNS bigint
    LANGUAGE sql IMMUTABLE
    SET search_path TO ''
    AS $$
  select floor(importe * (100 - parte))::bigint
$$;

ALTER FUNCTION planes.deuda(importe numeric, parte smallint) OWNER TO postgres;

CREATE TABLE planes.recuerdos_borrados (
    id uuid NOT NULL,
    actividad_id uuid NOT NULL,
    pareja_id uuid NOT NULL,
    autor_id uuid NOT NULL,
    bytes integer NOT NULL,
    fila jsonb NOT NULL,
    con_plan boolean NOT NULL,
    borrado_en timestamp with time zone DEFAULT now() NOT NULL
);

ALTER TABLE planes.recuerdos_borrados OWNER TO postgres;

COMMENT ON TABLE planes.recuerdos_borrados IS 'Deleted photos whose files still exist: for ten minutes, or while their plan is in the trash.';

COMMENT ON COLUMN planes.recuerdos_borrados.con_plan IS 'Whether it was deleted with its plan, and is restored with it.';

CREATE FUNCTION planes.devolver_recuerdo(guardado planes.recuerdos_borrados) RETURNS void
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO ''
    AS $$
declare
  fila constant public.recuerdos := jsonb_populate_record(null::public.recuerdos, guardado.fila);
begin
  insert into public.recuerdos
    (id, actividad_id, pareja_id, autor_id, ancho, alto, bytes, texto, subido_en, creado_en)
  values (
    fila.id, fila.actividad_id, fila.pareja_id, fila.autor_id, fila.ancho, fila.alto, fila.bytes,
    fila.texto, fila.subido_en, fila.creado_en
  )
  on conflict do nothing;
  delete from planes.recuerdos_borrados b
  where b.id = guardado.id and b.autor_id = guardado.autor_id;
end
$$;

ALTER FUNCTION planes.devolver_recuerdo(guardado planes.recuerdos_borrados) OWNER TO postgres;

CREATE FUNCTION planes.devolver_recuerdos() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO ''
    AS $$
begin
  perform planes.devolver_recuerdo(b)
  from planes.recuerdos_borrados b where b.actividad_id = new.id and b.con_plan;
  return null;
end
$$;

ALTER FUNCTION planes.devolver_recuerdos() OWNER TO postgres;

CREATE FUNCTION planes.direccion() RETURNS text
    LANGUAGE plpgsql STABLE
    SET search_path TO ''
    AS $$
declare
  dicha constant text := nullif(current_setting('request.headers', true), '')::json
    ->> 'x-forwarded-for';
begin
  if family(dicha::inet) = 6 then
    return network(set_masklen(dicha::inet, 64))::text;
  end if;
  return dicha;
exception when invalid_text_representation then
  return left(dicha, 100);
end
$$;

ALTER FUNCTION planes.direccion() OWNER TO postgres;

CREATE FUNCTION planes.disolver(pareja uuid) RETURNS void
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO ''
    AS $$
begin
  perform from public.profiles where pareja_id = pareja order by id for update;
  update public.profiles set pareja_id = null where pareja_id = pareja;
  update public.parejas set terminada_en = now() where id = pareja and personas = 0;
  delete from public.calendarios where pareja_id = pareja;
end
$$;

ALTER FUNCTION planes.disolver(pareja uuid) OWNER TO postgres;

CREATE FUNCTION planes.disolver_al_borrar() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO ''
    AS $$
begin
  perform planes.disolver(old.pareja_id);
  return null;
end
$$;

ALTER FUNCTION planes.disolver_al_borrar() OWNER TO postgres;

CREATE FUNCTION planes.en_comun(uno uuid, otro uuid) RETURNS bigint
    LANGUAGE sql SECURITY DEFINER
    SET search_path TO ''
    AS $$
  select count(*)
  from public.parejas c
  join public.actividades a on a.pareja_id = c.id
  where c.persona_a = least(uno, otro) and c.persona_b = greatest(uno, otro)
$$;

ALTER FUNCTION planes.en_comun(uno uuid, otro uuid) OWNER TO postgres;

CREATE FUNCTION planes.espacio_de(pareja uuid) RETURNS bigint
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO ''
    AS $$
  select coalesce(sum(f.bytes), 0)::bigint from (
    select r.bytes from public.recuerdos r where r.pareja_id = pareja
    union all
    select b.bytes from planes.recuerdos_borrados b where b.pareja_id = pareja
  ) as f
$$;

ALTER FUNCTION planes.espacio_de(pareja uuid) OWNER TO postgres;

CREATE FUNCTION planes.euros(importe numeric) RETURNS text
    LANGUAGE sql IMMUTABLE STRICT
    SET search_path TO ''
    AS $$
  select translate(to_char(importe, 'FM9,999,999,990.00'), ',.', '.,') || U&'\00A0€'
$$;

ALTER FUNCTION planes.euros(importe numeric) OWNER TO postgres;

CREATE FUNCTION planes.fecha_corta(dia date) RETURNS text
    LANGUAGE sql IMMUTABLE STRICT
    SET search_path TO ''
    AS $$
  select (array['dom', 'lun', 'mar', 'mié', 'jue', 'vie', 'sáb'])[extract(dow from dia)::integer + 1]
    || ' ' || extract(day from dia) || ' ' || (array[
      'ene', 'feb', 'mar', 'abr', 'may', 'jun', 'jul', 'ago', 'sept', 'oct', 'nov', 'dic'
    ])[extract(month from dia)::integer]
$$;

ALTER FUNCTION planes.fecha_corta(dia date) OWNER TO postgres;

CREATE FUNCTION planes.fechas_de_serie(primera date, regla text, hasta date) RETURNS SETOF date
    LANGUAGE sql IMMUTABLE
    SET search_path TO ''
    AS $$
  select t.dia
  from (
    select (primera + n * case regla
      when 'semanal' then interval '7 days'
      when 'quincenal' then interval '14 days'
      when 'mensual' then interval '1 month'
      when 'anual' then interval '1 year'
    end)::date as dia
    from generate_series(0, 52) as n
  ) as t
  where t.dia <= hasta
$$;

ALTER FUNCTION planes.fechas_de_serie(primera date, regla text, hasta date) OWNER TO postgres;

CREATE FUNCTION planes.fin_del_silencio(desde time without time zone, hasta time without time zone, zona text, ahora timestamp with time zone) RETURNS timestamp with time zone
    LANGUAGE plpgsql STABLE
    SET search_path TO ''
    AS $$
declare
  aqui constant timestamp := ahora at time zone zona;
  dia constant date := aqui::date;
begin
  if desde is null or hasta is null or desde = hasta then
    return ahora;
  elsif desde < hasta then
    return case
      when aqui::time >= desde and aqui::time < hasta then (dia + hasta) at time zone zona
      else ahora
    end;
  end if;
  return case
    when aqui::time >= desde then (dia + 1 + hasta) at time zone zona
    when aqui::time < hasta then (dia + hasta) at time zone zona
    else ahora
  end;
end
$$;

ALTER FUNCTION planes.fin_del_silencio(desde time without time zone, hasta time without time zone, zona text, ahora timestamp with time zone) OWNER TO postgres;

CREATE FUNCTION planes.guardar_borrado() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO ''
    AS $$
begin
  if pg_trigger_depth() > 1 then  -- it goes with its creator's account
    return old;
  end if;
  delete from planes.papelera p
  where p.creador_id = old.creador_id and p.borrado_en < now() - interval '30 days';
  insert into planes.papelera (
    actividad_id, creador_id, plan, historial, comentarios, reacciones, pagos
  )
  values (old.id, old.creador_id, to_jsonb(old), coalesce((
    select jsonb_agg(to_jsonb(h) order by h.id) from public.historial h where h.actividad_id = old.id
  ), '[]'), coalesce((
    select jsonb_agg(to_jsonb(c) order by c.creado_en, c.id)
    from public.comentarios c where c.actividad_id = old.id
  ), '[]'), coalesce((
    select jsonb_agg(to_jsonb(r)) from public.reacciones r where r.actividad_id = old.id
  ), '[]'), coalesce((
    select jsonb_agg(to_jsonb(p) order by p.creado_en, p.id)
    from public.pagos p where p.actividad_id = old.id
  ), '[]'));
  return old;
end
$$;

ALTER FUNCTION planes.guardar_borrado() OWNER TO postgres;

CREATE FUNCTION planes.legible(texto text, con_renglones boolean DEFAULT false) RETURNS text
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    SET search_path TO ''
    AS $$
  select case
    when con_renglones then regexp_replace(
      texto, U&'[\0001-\0009\000B\000C\000E-\001F\007F-\009F\202A-\202E\2066-\2069]', ' ', 'g'
    )
    else regexp_replace(texto, U&'[\0001-\001F\007F-\009F\2028-\202E\2066-\2069]', ' ', 'g')
  end
$$;

ALTER FUNCTION planes.legible(texto text, con_renglones boolean) OWNER TO postgres;

CREATE FUNCTION planes.recortado(texto text) RETURNS text
    LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
    SET search_path TO ''
    AS $$
  select btrim(texto, E' \t\n\r\v\f' || U&'\0085\00A0\1680\2000\2001\2002\2003\2004\2005\2006\2007'
    || U&'\2008\2009\200A\200B\200C\200D\2028\2029\202F\205F\2060\3000\FEFF')
$$;

ALTER FUNCTION planes.recortado(texto text) OWNER TO postgres;

CREATE FUNCTION planes.se_ve(texto text) RETURNS boolean
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    SET search_path TO ''
    AS $$
  select texto ~ (U&'[^\0001-\0020\007F-\00A0\00AD\034F\061C\115F\1160\1680\17B4\17B5\180B-\180F\2000-\200F'
    || U&'\2028-\202F\205F-\206F\2800\3000\3164\FE00-\FE0F\FEFF\FFA0\FFF0-\FFFB\+0E0000-\+0E0FFF]')
$$;

ALTER FUNCTION planes.se_ve(texto text) OWNER TO postgres;

CREATE TABLE planes.dispositivos (
    id uuid DEFAULT gen_random_uuid() NOT NULL,
    persona_id uuid NOT NULL,
    endpoint text NOT NULL,
    p256dh text NOT NULL,
    auth text NOT NULL,
    nombre text NOT NULL,
    zona text DEFAULT 'Europe/Madrid'::text NOT NULL,
    silencio_desde time(0) without time zone DEFAULT '22:30:00'::time without time zone,
    silencio_hasta time(0) without time zone DEFAULT '08:30:00'::time without time zone,
    eventos text[] DEFAULT ARRAY['propuestas'::text, 'respuestas'::text, 'eliminados'::text, 'comentarios'::text, 'recordatorios'::text] NOT NULL,
    ver_titulo boolean DEFAULT true NOT NULL,
    visto_en timestamp with time zone DEFAULT now() NOT NULL,
    fallos smallint DEFAULT 0 NOT NULL,
    CONSTRAINT dispositivos_auth_check CHECK ((auth ~ '^[A-Za-z0-9_-]{22}(==)?$'::text)),
    CONSTRAINT dispositivos_endpoint_check CHECK (((endpoint ~ '^https://[!-~]+$'::text) AND (char_length(endpoint) <= 1000))),
    CONSTRAINT dispositivos_eventos_check CHECK (((eventos <@ ARRAY['propuestas'::text, 'respuestas'::text, 'eliminados'::text, 'comentarios'::text, 'recordatorios'::text]) AND (cardinality(eventos) <= 5))),
    CONSTRAINT dispositivos_nombre_check CHECK ((((char_length(planes.recortado(nombre)) >= 1) AND (char_length(planes.recortado(nombre)) <= 60)) AND (char_length(nombre) <= 240) AND (nombre = planes.legible(nombre)) AND planes.se_ve(nombre))),
    CONSTRAINT dispositivos_p256dh_check CHECK ((p256dh ~ '^[A-Za-z0-9_-]{87}=?$'::text)),
    CONSTRAINT dispositivos_silencio_check CHECK (((silencio_desde IS NULL) = (silencio_hasta IS NULL)))
);

ALTER TABLE planes.dispositivos OWNER TO postgres;

COMMENT ON TABLE planes.dispositivos IS 'Devices that get push messages, ten a person.';

COMMENT ON COLUMN planes.dispositivos.endpoint IS 'The URL of the Push API; whoever knows it can send there.';

COMMENT ON COLUMN planes.dispositivos.silencio_desde IS 'When the quiet hours begin, in the zone; null for none.';

COMMENT ON COLUMN planes.dispositivos.ver_titulo IS 'Whether a message names its plan.';

COMMENT ON COLUMN planes.dispositivos.fallos IS 'Messages in a row that did not arrive; 5 end it.';

CREATE FUNCTION planes.guardar_para_luego(aparato planes.dispositivos, carga jsonb, listo timestamp with time zone) RETURNS void
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO ''
    AS $$
declare
  suya constant text := 'silencio:' || aparato.id || ':' || extract(epoch from listo);
  lema constant text := split_part(carga ->> 'cuerpo', ' · ', 1);
begin
  -- One after the other: the next statement sees what the one before wrote.
  perform pg_advisory_xact_lock(hashtextextended(suya, 0));
  update recados.cola c
  set carga = c.carga || jsonb_build_object(
    'titulo', ((c.carga ->> 'cuantas')::integer + 1) || ' novedades'
      || coalesce(' de ' || planes.mi_nombre(), ''),
    'cuerpo', case
      when not aparato.ver_titulo then 'Ábrelo para verlo'
      when (c.carga ->> 'cuantas')::integer = 1 then split_part(c.carga ->> 'cuerpo', ' · ', 1)
        || ' · ' || lema
      when (c.carga ->> 'cuantas')::integer = 2 then (c.carga ->> 'cuerpo') || ' · ' || lema
      else c.carga ->> 'cuerpo'
    end,
    'url', '/dashboard', 'cuantas', (c.carga ->> 'cuantas')::integer + 1
  )
  where c.clave = suya and c.estado = 'espera' and c.tomado_en is null;
  if not found then
    perform planes.recado_para(
      aparato, carga || '{"cuantas": 1}', 'silencio', suya, listo, listo + interval '24 hours'
    );
  end if;
end
$$;

ALTER FUNCTION planes.guardar_para_luego(aparato planes.dispositivos, carga jsonb, listo timestamp with time zone) OWNER TO postgres;

CREATE TABLE public.actividades (
    id uuid DEFAULT gen_random_uuid() NOT NULL,
    titulo text NOT NULL,
    descripcion text,
    fecha date NOT NULL,
    presupuesto numeric(12,2),
    estado text DEFAULT 'pendiente'::text NOT NULL,
    creador_id uuid NOT NULL,
    pareja_id uuid NOT NULL,
    aceptado_por uuid,
    creado_en timestamp with time zone DEFAULT now() NOT NULL,
    revision integer DEFAULT 1 NOT NULL,
    editado_en timestamp with time zone,
    origen_id uuid,
    hora time(0) without time zone,
    hora_fin time(0) without time zone,
    fecha_fin date,
    lugar text,
    idea_id uuid,
    serie_id uuid,
    regla text,
    CONSTRAINT actividades_aceptado_check CHECK (((estado = 'aceptado'::text) = (aceptado_por IS NOT NULL))),
    CONSTRAINT actividades_aceptado_por_check CHECK ((aceptado_por <> creador_id)),
    CONSTRAINT actividades_descripcion_check CHECK (((char_length(descripcion) <= 2000) AND (descripcion = planes.legible(descripcion, true)))),
    CONSTRAINT actividades_estado_check CHECK ((estado = ANY (ARRAY['pendiente'::text, 'aceptado'::text, 'rechazado'::text]))),
    CONSTRAINT actividades_fecha_check CHECK (((fecha >= '0001-01-01'::date) AND (fecha <= '9999-12-31'::date))),
    CONSTRAINT actividades_fecha_fin_check CHECK (((fecha_fin > fecha) AND (fecha_fin <= (fecha + 60)) AND (fecha_fin <= '9999-12-31'::date))),
    CONSTRAINT actividades_hora_check CHECK ((hora < '24:00:00'::time without time zone)),
    CONSTRAINT actividades_hora_fin_check CHECK (((hora_fin IS NULL) OR ((hora_fin < '24:00:00'::time without time zone) AND (hora IS NOT NULL) AND ((fecha_fin IS NOT NULL) OR (hora_fin > hora))))),
    CONSTRAINT actividades_lugar_check CHECK ((((char_length(planes.recortado(lugar)) >= 1) AND (char_length(planes.recortado(lugar)) <= 120)) AND (char_length(lugar) <= 500) AND (lugar = planes.legible(lugar)) AND planes.se_ve(lugar))),
    CONSTRAINT actividades_origen_id_check CHECK ((origen_id <> id)),
    CONSTRAINT actividades_presupuesto_check CHECK (((presupuesto >= (0)::numeric) AND (presupuesto <> 'NaN'::numeric))),
    CONSTRAINT actividades_regla_check CHECK ((regla = ANY (ARRAY['semanal'::text, 'quincenal'::text, 'mensual'::text, 'anual'::text]))),
    CONSTRAINT actividades_revision_check CHECK ((revision >= 1)),
    CONSTRAINT actividades_serie_id_check CHECK (((serie_id IS NULL) = (regla IS NULL))),
    CONSTRAINT actividades_titulo_check CHECK ((((char_length(planes.recortado(titulo)) >= 1) AND (char_length(planes.recortado(titulo)) <= 120)) AND (char_length(titulo) <= 500) AND (planes.recortado(titulo) = planes.legible(planes.recortado(titulo))) AND planes.se_ve(titulo)))
);
ALTER TABLE ONLY public.actividades ALTER COLUMN id SET STATISTICS 0;
ALTER TABLE ONLY public.actividades ALTER COLUMN titulo SET STATISTICS 0;
ALTER TABLE ONLY public.actividades ALTER COLUMN descripcion SET STATISTICS 0;
ALTER TABLE ONLY public.actividades ALTER COLUMN fecha SET STATISTICS 0;
ALTER TABLE ONLY public.actividades ALTER COLUMN presupuesto SET STATISTICS 0;
ALTER TABLE ONLY public.actividades ALTER COLUMN estado SET STATISTICS 0;
ALTER TABLE ONLY public.actividades ALTER COLUMN creador_id SET STATISTICS 0;
ALTER TABLE ONLY public.actividades ALTER COLUMN pareja_id SET STATISTICS 0;
ALTER TABLE ONLY public.actividades ALTER COLUMN aceptado_por SET STATISTICS 0;
ALTER TABLE ONLY public.actividades ALTER COLUMN creado_en SET STATISTICS 0;
ALTER TABLE ONLY public.actividades ALTER COLUMN revision SET STATISTICS 0;
ALTER TABLE ONLY public.actividades ALTER COLUMN editado_en SET STATISTICS 0;
ALTER TABLE ONLY public.actividades ALTER COLUMN origen_id SET STATISTICS 0;
ALTER TABLE ONLY public.actividades ALTER COLUMN hora SET STATISTICS 0;
ALTER TABLE ONLY public.actividades ALTER COLUMN hora_fin SET STATISTICS 0;
ALTER TABLE ONLY public.actividades ALTER COLUMN fecha_fin SET STATISTICS 0;
ALTER TABLE ONLY public.actividades ALTER COLUMN lugar SET STATISTICS 0;
ALTER TABLE ONLY public.actividades ALTER COLUMN idea_id SET STATISTICS 0;
ALTER TABLE ONLY public.actividades ALTER COLUMN serie_id SET STATISTICS 0;
ALTER TABLE ONLY public.actividades ALTER COLUMN regla SET STATISTICS 0;

ALTER TABLE ONLY public.actividades REPLICA IDENTITY FULL;

ALTER TABLE public.actividades OWNER TO postgres;

COMMENT ON TABLE public.actividades IS 'Activities that one partner proposes and the other answers.';

COMMENT ON COLUMN public.actividades.titulo IS '1 to 120 characters, blanks around it not counted, no control characters.';

COMMENT ON COLUMN public.actividades.descripcion IS 'At most 2000 characters, line breaks and no other control characters.';

COMMENT ON COLUMN public.actividades.fecha IS 'A calendar day, without time zone.';

COMMENT ON COLUMN public.actividades.presupuesto IS 'Euros, two decimals, not negative.';

COMMENT ON COLUMN public.actividades.estado IS 'pendiente, then finally aceptado or rechazado.';

COMMENT ON COLUMN public.actividades.pareja_id IS 'The couple at creation, or the creator''s own id while unpaired.';

COMMENT ON COLUMN public.actividades.aceptado_por IS 'Who accepted; null unless accepted.';

COMMENT ON COLUMN public.actividades.revision IS 'Counts the edits of a pending proposal, from 1.';

COMMENT ON COLUMN public.actividades.editado_en IS 'When it was last edited; null if never.';

COMMENT ON COLUMN public.actividades.origen_id IS 'The proposal that this one replaces, with another date.';

COMMENT ON COLUMN public.actividades.hora IS 'When it begins; null for the whole day.';

COMMENT ON COLUMN public.actividades.hora_fin IS 'When it ends, on its last day; after hora where that is the first.';

COMMENT ON COLUMN public.actividades.fecha_fin IS 'The last of several days, at most 60 after fecha; null for one day.';

COMMENT ON COLUMN public.actividades.lugar IS '1 to 120 characters, blanks around it not counted, no control characters.';

COMMENT ON COLUMN public.actividades.idea_id IS 'The idea that was given this date, if any.';

COMMENT ON COLUMN public.actividades.serie_id IS 'The series: plans that were proposed together, one for each date. The id is chosen by the client.';

COMMENT ON COLUMN public.actividades.regla IS 'How a series repeats: semanal, quincenal, mensual, anual; null for one plan.';

CREATE FUNCTION planes.hora_fin_movida(fila public.actividades, hora time without time zone) RETURNS time without time zone
    LANGUAGE sql IMMUTABLE
    SET search_path TO ''
    AS $$
  select case
    when hora is null or fila.hora_fin is null then null
    when fila.fecha_fin is not null then fila.hora_fin
    when hora + (fila.hora_fin - fila.hora) > hora then hora + (fila.hora_fin - fila.hora)
  end
$$;

ALTER FUNCTION planes.hora_fin_movida(fila public.actividades, hora time without time zone) OWNER TO postgres;

CREATE FUNCTION planes.ics_evento(a public.actividades) RETURNS text
    LANGUAGE sql STABLE
    SET search_path TO ''
    AS $$
  select string_agg(
    case when octet_length(linea) <= 75 then linea || E'\r\n' else planes.ics_linea(linea) end,
    '' order by n
  )
  from unnest(array[
    'BEGIN:VEVENT',
    'UID:' || a.id || '@planes-en-pareja',
    'DTSTAMP:' || to_char(a.creado_en at time zone 'utc', 'YYYYMMDD"T"HH24MISS"Z"'),
    case
      when a.hora is null then 'DTSTART;VALUE=DATE:' || to_char(a.fecha, 'YYYYMMDD')
      else 'DTSTART:' || planes.ics_momento(a.fecha, a.hora)
    end,
    case
      when a.hora_fin is not null
        then 'DTEND:' || planes.ics_momento(coalesce(a.fecha_fin, a.fecha), a.hora_fin)
      when a.hora is not null and a.fecha_fin is null then null
      when coalesce(a.fecha_fin, a.fecha) >= '9999-12-31' then null  -- it has no day after
      when a.hora is not null then 'DTEND:' || planes.ics_momento(a.fecha_fin + 1, '00:00')
      else 'DTEND;VALUE=DATE:' || to_char(coalesce(a.fecha_fin, a.fecha) + 1, 'YYYYMMDD')
    end,
    'SUMMARY:' || planes.ics_texto(a.titulo),
    'LOCATION:' || planes.ics_texto(a.lugar),
    'DESCRIPTION:' || nullif(planes.ics_texto(concat_ws(
      E'\n',
      a.descripcion,
      -- As Spanish writes it: four digits are not grouped.
      'Presupuesto: ' || translate(
        to_char(
          a.presupuesto,
          case when a.presupuesto < 10000 then 'FM9990.00' else 'FM9,999,999,990.00' end
        ),
        ',.', '.,'
      ) || U&'\00A0€'
    )), ''),
    'STATUS:' || case a.estado
      when 'aceptado' then 'CONFIRMED' when 'rechazado' then 'CANCELLED' else 'TENTATIVE'
    end,
    'TRANSP:TRANSPARENT',
    'BEGIN:VALARM',
    'ACTION:DISPLAY',
    'DESCRIPTION:' || planes.ics_texto('Mañana: ' || a.titulo),
    'TRIGGER:-P1D',
    'END:VALARM',
    'END:VEVENT'
  ]) with ordinality as l (linea, n)
  where linea is not null
$$;

ALTER FUNCTION planes.ics_evento(a public.actividades) OWNER TO postgres;

CREATE FUNCTION planes.ics_linea(linea text) RETURNS text
    LANGUAGE plpgsql IMMUTABLE
    SET search_path TO ''
    AS $$
declare
  plegada text := '';
  resto text := linea;
  cabe integer := 75;
  trozo text;
begin
  while octet_length(resto) > cabe loop
    trozo := left(resto, cabe);
    while octet_length(trozo) > cabe loop  -- a character has four octets at most
      trozo := left(trozo, -((octet_length(trozo) - cabe + 3) / 4));
    end loop;
    plegada := plegada || trozo || E'\r\n ';
    resto := substr(resto, char_length(trozo) + 1);
    cabe := 74;
  end loop;
  return plegada || resto || E'\r\n';
end
$$;

ALTER FUNCTION planes.ics_linea(linea text) OWNER TO postgres;

CREATE FUNCTION planes.ics_momento(dia date, hora time without time zone) RETURNS text
    LANGUAGE sql IMMUTABLE
    SET search_path TO ''
    AS $$
  select to_char(dia + hora, 'YYYYMMDD"T"HH24MISS')
$$;

ALTER FUNCTION planes.ics_momento(dia date, hora time without time zone) OWNER TO postgres;

CREATE FUNCTION planes.ics_texto(texto text) RETURNS text
    LANGUAGE sql IMMUTABLE
    SET search_path TO ''
    AS $$
  select replace(
    translate(
      replace(replace(
        replace(replace(replace(texto, '\', '\\'), ';', '\;'), ',', '\,'),
        E'\r\n', E'\n'), E'\r', E'\n'
      ),
      E'\x01\x02\x03\x04\x05\x06\x07\x08\x0b\x0c\x0e\x0f\x10\x11\x12\x13\x14\x15\x16\x17\x18\x19'
      '\x1a\x1b\x1c\x1d\x1e\x1f\x7f', ''
    ),
    E'\n', '\n'
  )
$$;

ALTER FUNCTION planes.ics_texto(texto text) OWNER TO postgres;

CREATE TABLE public.ideas (
    id uuid NOT NULL,
    pareja_id uuid NOT NULL,
    creador_id uuid NOT NULL,
    titulo text NOT NULL,
    nota text,
    presupuesto numeric(12,2),
    actividad_id uuid,
    creado_en timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT ideas_nota_check CHECK (((char_length(nota) <= 500) AND (nota = planes.legible(nota, true)))),
    CONSTRAINT ideas_presupuesto_check CHECK (((presupuesto >= (0)::numeric) AND (presupuesto <> 'NaN'::numeric))),
    CONSTRAINT ideas_titulo_check CHECK ((((char_length(planes.recortado(titulo)) >= 1) AND (char_length(planes.recortado(titulo)) <= 120)) AND (char_length(titulo) <= 500) AND (titulo = planes.legible(titulo)) AND planes.se_ve(titulo)))
);
ALTER TABLE ONLY public.ideas ALTER COLUMN id SET STATISTICS 0;
ALTER TABLE ONLY public.ideas ALTER COLUMN pareja_id SET STATISTICS 0;
ALTER TABLE ONLY public.ideas ALTER COLUMN creador_id SET STATISTICS 0;
ALTER TABLE ONLY public.ideas ALTER COLUMN titulo SET STATISTICS 0;
ALTER TABLE ONLY public.ideas ALTER COLUMN nota SET STATISTICS 0;
ALTER TABLE ONLY public.ideas ALTER COLUMN presupuesto SET STATISTICS 0;
ALTER TABLE ONLY public.ideas ALTER COLUMN actividad_id SET STATISTICS 0;
ALTER TABLE ONLY public.ideas ALTER COLUMN creado_en SET STATISTICS 0;

ALTER TABLE ONLY public.ideas REPLICA IDENTITY FULL;

ALTER TABLE public.ideas OWNER TO postgres;

COMMENT ON TABLE public.ideas IS 'Proposals without a date, 500 a couple. Their ids are chosen by the client.';

COMMENT ON COLUMN public.ideas.pareja_id IS 'The couple at creation, or the creator''s own id while unpaired; pairing changes it.';

COMMENT ON COLUMN public.ideas.nota IS 'At most 500 characters.';

COMMENT ON COLUMN public.ideas.actividad_id IS 'The plan that it became.';

CREATE FUNCTION planes.idea_comun(idea uuid) RETURNS public.ideas
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO ''
    AS $$
declare
  yo constant uuid := planes.yo_retenido();
  fila public.ideas;
begin
  select * into fila from public.ideas i
  where i.id = idea and i.pareja_id = coalesce(planes.mi_pareja_ahora(), yo)
  order by i.creado_en limit 1 for update;
  if not found then
    raise exception 'Esa idea no existe o no la compartes.';
  end if;
  return fila;
end
$$;

ALTER FUNCTION planes.idea_comun(idea uuid) OWNER TO postgres;

CREATE TABLE public.invitaciones (
    codigo text NOT NULL,
    creador_id uuid NOT NULL,
    caduca_en timestamp with time zone DEFAULT (now() + '7 days'::interval) NOT NULL,
    usada_por uuid,
    CONSTRAINT invitaciones_codigo_check CHECK ((codigo ~ '^[A-HJ-NP-Z2-9]{8}$'::text)),
    CONSTRAINT invitaciones_usada_por_check CHECK ((usada_por <> creador_id))
);

ALTER TABLE public.invitaciones OWNER TO postgres;

COMMENT ON TABLE public.invitaciones IS 'Invitations to become a couple: one unused per person, valid for 7 days, single use.';

COMMENT ON COLUMN public.invitaciones.codigo IS 'Eight symbols of 32 without look-alikes (no I, O, 0, 1); shown as XXXX-XXXX.';

CREATE FUNCTION planes.invitacion_valida(codigo text) RETURNS public.invitaciones
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO ''
    AS $$
declare
  yo uuid := planes.yo();
  direccion constant text := planes.direccion();
  limpio constant text := planes.codigo_limpio(invitacion_valida.codigo);
  invitacion public.invitaciones;
begin
  if planes.codigos_erroneos(yo) >= 5 or planes.codigos_erroneos_en(direccion) >= 20 then
    raise exception
      'Has probado demasiados códigos incorrectos. Espera 15 minutos e inténtalo de nuevo.';
  end if;
  select * into invitacion from public.invitaciones i where i.codigo = limpio;
  if found then
    yo := planes.yo_retenido(con => invitacion.creador_id);
    perform from public.profiles p where p.id in (yo, invitacion.creador_id) order by p.id for update;
    select * into invitacion from public.invitaciones i where i.codigo = limpio for update;
  end if;
  if not found then
    perform planes.anotar_codigo_erroneo(yo);
    perform planes.anotar_codigo_erroneo_en(direccion);
    raise exception 'No hay ninguna invitación con ese código. Revísalo e inténtalo de nuevo.';
  elsif invitacion.creador_id = yo then
    raise exception 'Esta invitación es tuya: compártela con tu pareja.';
  elsif invitacion.usada_por is not null then
    raise exception 'Esta invitación ya se ha usado. Pide a tu pareja un código nuevo.';
  elsif invitacion.caduca_en <= now() then
    raise exception 'Esta invitación ha caducado. Pide a tu pareja un código nuevo.';
  elsif (select p.pareja_id from public.profiles p where p.id = yo) is not null then
    raise exception 'Ya tienes pareja. Desvincúlate antes de aceptar otra invitación.';
  elsif (
    select p.pareja_id from public.profiles p where p.id = invitacion.creador_id
  ) is not null then
    raise exception 'Quien te invitó ya tiene pareja.';
  end if;
  return invitacion;
end
$$;

ALTER FUNCTION planes.invitacion_valida(codigo text) OWNER TO postgres;

CREATE FUNCTION planes.leer(plan uuid, persona uuid) RETURNS void
    LANGUAGE sql SECURITY DEFINER
    SET search_path TO ''
    AS $$
  insert into public.lecturas (actividad_id, persona_id, visto_en) values (plan, persona, now())
  on conflict on constraint lecturas_pkey do update set visto_en = excluded.visto_en
$$;

ALTER FUNCTION planes.leer(plan uuid, persona uuid) OWNER TO postgres;

CREATE FUNCTION planes.llevar_ideas() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO ''
    AS $$
begin
  update public.ideas i set pareja_id = new.pareja_id
  where i.creador_id = new.id and i.pareja_id = new.id;
  return null;
end
$$;

ALTER FUNCTION planes.llevar_ideas() OWNER TO postgres;

CREATE FUNCTION planes.mi_dispositivo(id uuid) RETURNS planes.dispositivos
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO ''
    AS $$
declare
  yo constant uuid := planes.yo_retenido();
  fila planes.dispositivos;
begin
  select * into fila from planes.dispositivos d
  where d.id = mi_dispositivo.id and d.persona_id = yo for update;
  if not found then
    raise exception 'Ese dispositivo ya no recibe avisos.';
  end if;
  return fila;
end
$$;

ALTER FUNCTION planes.mi_dispositivo(id uuid) OWNER TO postgres;

CREATE FUNCTION planes.mi_nombre() RETURNS text
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO ''
    AS $$
  select p.nombre from public.profiles p where p.id = auth.uid()
$$;

ALTER FUNCTION planes.mi_nombre() OWNER TO postgres;

CREATE FUNCTION planes.mi_pareja() RETURNS uuid
    LANGUAGE plpgsql STABLE SECURITY DEFINER
    SET search_path TO ''
    AS $$
begin
  return (select pareja_id from public.profiles where id = auth.uid());
end
$$;

ALTER FUNCTION planes.mi_pareja() OWNER TO postgres;

CREATE FUNCTION planes.mi_pareja_ahora() RETURNS uuid
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO ''
    AS $$
begin
  return (select pareja_id from public.profiles where id = auth.uid());
end
$$;

ALTER FUNCTION planes.mi_pareja_ahora() OWNER TO postgres;

CREATE FUNCTION planes.nombre_inicial(datos jsonb, correo text) RETURNS text
    LANGUAGE sql IMMUTABLE
    SET search_path TO ''
    AS $$
  select left(candidato, 60)
  from (
    select planes.recortado(left(planes.recortado(
      regexp_replace(crudo, U&'[\0001-\001F\007F-\009F\2028-\202E\2066-\2069]+', ' ', 'g')
    ), 60)) as candidato
    from unnest(array[
      case when jsonb_typeof(datos -> 'nombre') = 'string' then datos ->> 'nombre' end,
      split_part(correo, '@', 1),
      'Sin nombre'
    ]) with ordinality as c (crudo, n)
    order by n
  ) as limpios
  where planes.se_ve(candidato)
  limit 1
$$;

ALTER FUNCTION planes.nombre_inicial(datos jsonb, correo text) OWNER TO postgres;

CREATE FUNCTION planes.olvidar_comentarios() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO ''
    AS $$
begin
  update planes.papelera p
  set comentarios = coalesce((
    select jsonb_agg(c.value) from jsonb_array_elements(p.comentarios) as c
    where c.value ->> 'autor_id' <> old.id::text
  ), '[]')
  where p.comentarios @> jsonb_build_array(jsonb_build_object('autor_id', old.id));
  return null;
end
$$;

ALTER FUNCTION planes.olvidar_comentarios() OWNER TO postgres;

CREATE FUNCTION planes.olvidar_correos() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO ''
    AS $$
begin
  delete from recados.cola c
  where c.canal = 'correo' and c.estado = 'espera' and c.destino ->> 'persona' = old.persona_id::text;
  return null;
end
$$;

ALTER FUNCTION planes.olvidar_correos() OWNER TO postgres;

CREATE FUNCTION planes.olvidar_pagos() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO ''
    AS $$
begin
  update planes.papelera p
  set pagos = coalesce((
    select jsonb_agg(g.value) from jsonb_array_elements(p.pagos) as g
    where g.value ->> 'pagado_por' <> old.id::text
  ), '[]')
  where p.pagos @> jsonb_build_array(jsonb_build_object('pagado_por', old.id));
  return null;
end
$$;

ALTER FUNCTION planes.olvidar_pagos() OWNER TO postgres;

CREATE FUNCTION planes.olvidar_recados() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO ''
    AS $$
begin
  delete from recados.cola c where c.destino ->> 'dispositivo' = old.id::text;
  return null;
end
$$;

ALTER FUNCTION planes.olvidar_recados() OWNER TO postgres;

CREATE FUNCTION planes.olvidar_recuerdos() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO ''
    AS $$
begin
  delete from planes.recuerdos_borrados b
  where b.actividad_id = old.actividad_id and b.con_plan
    and not exists (select from planes.papelera p where p.actividad_id = old.actividad_id);
  return null;
end
$$;

ALTER FUNCTION planes.olvidar_recuerdos() OWNER TO postgres;

CREATE FUNCTION planes.pareja_de_cuentas() RETURNS public.parejas
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO ''
    AS $$
declare
  mia constant uuid := planes.mi_pareja_ahora();
  fila public.parejas;
begin
  select * into fila from public.parejas c where c.id = mia;
  perform planes.retener(array[auth.uid(), fila.persona_a, fila.persona_b]);
  perform planes.yo();
  select * into fila from public.parejas c where c.id = mia for update;
  if planes.mi_pareja_ahora() is distinct from mia then
    return null;
  end if;
  return fila;
end
$$;

ALTER FUNCTION planes.pareja_de_cuentas() OWNER TO postgres;

CREATE FUNCTION planes.pareja_retenida() RETURNS uuid
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO ''
    AS $$
declare
  mia uuid;
begin
  perform planes.yo_retenido();
  mia := planes.mi_pareja_ahora();
  perform from public.parejas c where c.id = mia for update;
  if mia is null or mia is distinct from planes.mi_pareja_ahora() then
    raise exception 'Vincula a tu pareja para tener fechas especiales.';
  end if;
  return mia;
end
$$;

ALTER FUNCTION planes.pareja_retenida() OWNER TO postgres;

CREATE FUNCTION planes.plan_comun(plan uuid) RETURNS public.actividades
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO ''
    AS $$
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

ALTER FUNCTION planes.plan_comun(plan uuid) OWNER TO postgres;

CREATE FUNCTION planes.plan_con_gastos(pareja public.parejas, plan uuid) RETURNS public.actividades
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO ''
    AS $$
declare
  fila constant public.actividades := planes.plan_comun(plan_con_gastos.plan);
begin
  if fila.estado <> 'aceptado' or pareja.id is null then
    raise exception 'Solo un plan aceptado tiene gastos.';
  elsif exists (
    select from public.liquidaciones l
    where l.pareja_id = pareja.id and l.mes = to_char(fila.fecha, 'YYYY-MM')
      and l.anulada_en is null
  ) then
    raise exception 'Las cuentas de ese mes ya están saldadas. Anuladlo para cambiarlas.';
  end if;
  return fila;
end
$$;

ALTER FUNCTION planes.plan_con_gastos(pareja public.parejas, plan uuid) OWNER TO postgres;

CREATE FUNCTION planes.plan_en_breve(a public.actividades) RETURNS text
    LANGUAGE sql IMMUTABLE
    SET search_path TO ''
    AS $$
  select concat_ws(
    ' · ', a.titulo, planes.fecha_corta(a.fecha), to_char(a.hora, 'HH24:MI'),
    planes.euros(a.presupuesto)
  )
$$;

ALTER FUNCTION planes.plan_en_breve(a public.actividades) OWNER TO postgres;

CREATE FUNCTION planes.plan_pendiente(plan uuid) RETURNS public.actividades
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO ''
    AS $$
declare
  yo constant uuid := planes.yo_retenido();
  mia constant uuid := planes.mi_pareja_ahora();
  fila public.actividades;
begin
  select * into fila from public.actividades a where a.id = plan for update;
  if not found or fila.pareja_id <> coalesce(mia, yo) and fila.creador_id <> yo then
    raise exception 'Ese plan no existe o no lo compartes.';
  elsif fila.pareja_id <> coalesce(mia, yo) then
    raise exception 'Ese plan es de antes y ya no se puede cambiar.';
  elsif fila.estado <> 'pendiente' then
    raise exception 'Este plan ya tiene respuesta.';
  end if;
  return fila;
end
$$;

ALTER FUNCTION planes.plan_pendiente(plan uuid) OWNER TO postgres;

CREATE FUNCTION planes.quitar_ficheros(nombres text[]) RETURNS void
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO ''
    AS $$
declare
  antes constant text := coalesce(current_setting('storage.allow_delete_query', true), 'false');
begin
  if to_regclass('storage.objects') is null then
    return;
  end if;
  perform set_config('storage.allow_delete_query', 'true', true);
  delete from storage.objects o where o.bucket_id = 'recuerdos' and o.name = any (nombres);
  perform set_config('storage.allow_delete_query', antes, true);
end
$$;

ALTER FUNCTION planes.quitar_ficheros(nombres text[]) OWNER TO postgres;

CREATE FUNCTION planes.realizar_idea() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO ''
    AS $$
begin
  update public.ideas i set actividad_id = new.id
  where i.id = new.idea_id and i.pareja_id = new.pareja_id and i.actividad_id is null;
  return null;
end
$$;

ALTER FUNCTION planes.realizar_idea() OWNER TO postgres;

CREATE FUNCTION planes.recado_para(dispositivo planes.dispositivos, carga jsonb, tema text, clave text, no_antes_de timestamp with time zone, caduca_en timestamp with time zone) RETURNS void
    LANGUAGE sql SECURITY DEFINER
    SET search_path TO ''
    AS $$
  insert into recados.cola as c (canal, destino, carga, clave, no_antes_de, caduca_en)
  values (
    'push',
    jsonb_build_object(
      'endpoint', dispositivo.endpoint, 'p256dh', dispositivo.p256dh, 'auth', dispositivo.auth,
      'topic', replace(tema, '-', ''), 'dispositivo', dispositivo.id
    ),
    carga || jsonb_build_object('tema', tema), clave, no_antes_de, caduca_en
  )
  on conflict on constraint cola_clave_key do nothing
$$;

ALTER FUNCTION planes.recado_para(dispositivo planes.dispositivos, carga jsonb, tema text, clave text, no_antes_de timestamp with time zone, caduca_en timestamp with time zone) OWNER TO postgres;

CREATE FUNCTION planes.recordar() RETURNS void
    LANGUAGE sql SECURITY DEFINER
    SET search_path TO ''
    AS $$
  select planes.recado_para(
    d,
    jsonb_build_object(
      'titulo', r.palabras || case when d.ver_titulo then ': ' || (r.plan).titulo else ': un plan' end,
      'cuerpo', case when d.ver_titulo then concat_ws(
        ' · ', to_char((r.plan).hora, 'HH24:MI'), (r.plan).lugar
      ) else 'Ábrelo para verlo' end,
      'url', '/dashboard?plan=' || (r.plan).id
    ),
    (r.plan).id::text,
    'recordatorio:' || (r.plan).id || ':' || r.persona_id || ':' || r.cual || ':' || d.id,
    now(), r.hasta
  )
  from planes.recordatorios_de(now()) as r
  join planes.dispositivos d on d.persona_id = r.persona_id
  where 'recordatorios' = any (d.eventos)
    and planes.fin_del_silencio(d.silencio_desde, d.silencio_hasta, d.zona, now()) = now()
$$;

ALTER FUNCTION planes.recordar() OWNER TO postgres;

CREATE FUNCTION planes.recordar_por_correo() RETURNS void
    LANGUAGE sql SECURITY DEFINER
    SET search_path TO ''
    AS $$
  insert into recados.cola (canal, destino, carga, clave, caduca_en)
  select
    'correo', jsonb_build_object('a', c.direccion, 'ficha', c.ficha, 'persona', r.persona_id),
    jsonb_build_object(
      'asunto', r.palabras || ': ' || (r.plan).titulo,
      'parrafos', jsonb_build_array((r.plan).titulo, concat_ws(
        ' · ', planes.fecha_corta((r.plan).fecha), to_char((r.plan).hora, 'HH24:MI'),
        (r.plan).lugar
      )),
      'enlace', jsonb_build_object('texto', 'Ver el plan', 'ruta', '/dashboard?plan=' || (r.plan).id),
      'pie', 'Recibes este recordatorio porque lo activaste en Ajustes › Avisos.',
      'baja', 'No quiero más correos'
    ),
    'correo:' || (r.plan).id || ':' || r.persona_id || ':' || r.cual,
    r.hasta
  from planes.recordatorios_de(now()) as r
  cross join lateral planes.correo_de(r.persona_id, now()) as c
  on conflict on constraint cola_clave_key do nothing
$$;

ALTER FUNCTION planes.recordar_por_correo() OWNER TO postgres;

CREATE FUNCTION planes.recordatorios_de(ahora timestamp with time zone) RETURNS TABLE(plan public.actividades, persona_id uuid, cual text, desde timestamp with time zone, hasta timestamp with time zone, palabras text)
    LANGUAGE sql STABLE
    SET search_path TO ''
    AS $$
  select a, j.persona_id, r.cual, r.desde, t.hasta,
    case
      when r.cual = 'dia' then 'Mañana'
      when r.fin - ahora > interval '50 minutes' then 'En una hora'
      when r.fin - ahora < interval '90 seconds' then 'En un minuto'
      else 'En ' || round(extract(epoch from r.fin - ahora) / 60) || ' minutos'
    end
  from public.actividades a
  join public.profiles p on p.pareja_id = a.pareja_id
  join planes.ajustes j on j.persona_id = p.id
  cross join lateral (values
    ('dia', j.dia_antes, (a.fecha - 1 + j.dia_antes_a) at time zone j.zona,
      a.fecha::timestamp at time zone j.zona),
    ('hora', j.hora_antes and a.hora is not null,
      (a.fecha + a.hora) at time zone j.zona - interval '1 hour',
      (a.fecha + a.hora) at time zone j.zona)
  ) as r (cual, quiere, desde, fin)
  cross join lateral (select least(r.desde + interval '2 hours', r.fin)) as t (hasta)
  where a.estado = 'aceptado'
    and a.fecha between (ahora at time zone 'UTC')::date - 1 and (ahora at time zone 'UTC')::date + 2
    and r.quiere and r.desde <= ahora and t.hasta > ahora
$$;

ALTER FUNCTION planes.recordatorios_de(ahora timestamp with time zone) OWNER TO postgres;

CREATE FUNCTION planes.retener(personas uuid[]) RETURNS void
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO ''
    AS $$
begin
  perform from auth.users u where u.id = any (personas) order by u.id for key share;
end
$$;

ALTER FUNCTION planes.retener(personas uuid[]) OWNER TO postgres;

CREATE FUNCTION planes.retener_parejas() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO ''
    AS $$
begin
  perform from public.parejas c where old.id in (c.persona_a, c.persona_b) order by c.id for update;
  return old;
end
$$;

ALTER FUNCTION planes.retener_parejas() OWNER TO postgres;

CREATE FUNCTION planes.retirar_aceptacion() RETURNS trigger
    LANGUAGE plpgsql
    SET search_path TO ''
    AS $$
begin
  new.estado := 'pendiente';
  return new;
end
$$;

ALTER FUNCTION planes.retirar_aceptacion() OWNER TO postgres;

CREATE FUNCTION planes.serie_en_breve(titulo text, cuantas bigint, primera date) RETURNS text
    LANGUAGE sql IMMUTABLE
    SET search_path TO ''
    AS $$
  select titulo || ' · ' || case cuantas when 1 then '1 fecha, el ' else cuantas || ' fechas, desde el ' end
    || planes.fecha_corta(primera)
$$;

ALTER FUNCTION planes.serie_en_breve(titulo text, cuantas bigint, primera date) OWNER TO postgres;

CREATE FUNCTION planes.sin_contar_cada_una(serie uuid) RETURNS boolean
    LANGUAGE sql STABLE
    SET search_path TO ''
    AS $$
  select coalesce(current_setting('planes.serie', true) = serie::text, false)
$$;

ALTER FUNCTION planes.sin_contar_cada_una(serie uuid) OWNER TO postgres;

CREATE FUNCTION planes.soltar_borrado() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO ''
    AS $$
begin
  if not exists (select from public.recuerdos r where r.ruta = old.fila ->> 'ruta') then
    perform planes.quitar_ficheros(array[old.fila ->> 'ruta', old.fila ->> 'miniatura']);
  end if;
  return null;
end
$$;

ALTER FUNCTION planes.soltar_borrado() OWNER TO postgres;

CREATE FUNCTION planes.soltar_recuerdo() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO ''
    AS $$
begin
  if old.subido_en is not null
    and exists (select from planes.papelera p where p.actividad_id = old.actividad_id)
    and exists (select from auth.users u where u.id = old.autor_id)
  then
    insert into planes.recuerdos_borrados
      (id, actividad_id, pareja_id, autor_id, bytes, fila, con_plan)
    values (
      old.id, old.actividad_id, old.pareja_id, old.autor_id, old.bytes, to_jsonb(old), true
    )
    on conflict on constraint recuerdos_borrados_pkey do nothing;
  elsif not exists (
    select from planes.recuerdos_borrados b where b.fila ->> 'ruta' = old.ruta
      and b.autor_id = old.autor_id and b.id = old.id
  ) then
    perform planes.quitar_ficheros(array[old.ruta, old.miniatura]);
  end if;
  return null;
end
$$;

ALTER FUNCTION planes.soltar_recuerdo() OWNER TO postgres;

CREATE FUNCTION planes.tomar_zona() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO ''
    AS $$
begin
  insert into planes.ajustes (persona_id, zona) values (new.persona_id, new.zona)
  on conflict on constraint ajustes_pkey do update set zona = excluded.zona;
  return null;
end
$$;

ALTER FUNCTION planes.tomar_zona() OWNER TO postgres;

CREATE FUNCTION planes.turno_de_serie(serie uuid) RETURNS void
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO ''
    AS $$
begin
  perform pg_advisory_xact_lock(hashtextextended('serie ' || serie, 0));
  -- What follows is told once, by who does it.
  perform set_config('planes.serie', serie::text, true);
end
$$;

ALTER FUNCTION planes.turno_de_serie(serie uuid) OWNER TO postgres;

CREATE FUNCTION planes.yo() RETURNS uuid
    LANGUAGE plpgsql STABLE SECURITY DEFINER
    SET search_path TO ''
    AS $$
declare
  yo constant uuid := auth.uid();
begin
  if yo is null then
    raise exception 'Debes iniciar sesión';
  elsif not exists (select from public.profiles where id = yo) then
    raise exception 'No encontramos tu perfil: puede que esta cuenta ya no exista.';
  end if;
  return yo;
end
$$;

ALTER FUNCTION planes.yo() OWNER TO postgres;

CREATE FUNCTION planes.yo_retenido(con uuid DEFAULT NULL::uuid) RETURNS uuid
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO ''
    AS $$
begin
  perform planes.retener(array[auth.uid(), con]);
  return planes.yo();
end
$$;

ALTER FUNCTION planes.yo_retenido(con uuid) OWNER TO postgres;

CREATE FUNCTION planes.zona_conocida(zona text) RETURNS text
    LANGUAGE plpgsql STABLE
    SET search_path TO ''
    AS $$
begin
  perform now() at time zone zona;
  return case when char_length(zona) <= 60 then zona else 'Europe/Madrid' end;
exception when invalid_parameter_value then
  return 'Europe/Madrid';
end
$$;

ALTER FUNCTION planes.zona_conocida(zona text) OWNER TO postgres;

CREATE FUNCTION public.aceptar_invitacion(codigo text) RETURNS jsonb
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO ''
    AS $$
declare
  invitacion constant public.invitaciones := planes.invitacion_valida(aceptar_invitacion.codigo);
  los_dos constant uuid[] := array[auth.uid(), invitacion.creador_id];
  vuelven constant bigint := planes.en_comun(los_dos[1], los_dos[2]);
  pareja uuid;
begin
  insert into public.parejas as c (persona_a, persona_b)
  values (least(los_dos[1], los_dos[2]), greatest(los_dos[1], los_dos[2]))
  on conflict on constraint parejas_personas_key do update set terminada_en = null
  returning c.id into pareja;
  update public.profiles p set pareja_id = pareja where p.id = any (los_dos);
  update public.actividades a set pareja_id = pareja
  where a.creador_id = any (los_dos) and a.pareja_id = a.creador_id;
  update public.invitaciones i set usada_por = auth.uid() where i.codigo = invitacion.codigo;
  delete from public.invitaciones i where i.creador_id = any (los_dos) and i.usada_por is null;
  return jsonb_build_object('pareja_id', pareja, 'vuelven', vuelven);
end
$$;

ALTER FUNCTION public.aceptar_invitacion(codigo text) OWNER TO postgres;

COMMENT ON FUNCTION public.aceptar_invitacion(codigo text) IS 'Makes the caller and the inviter a couple, or renews their former one: {pareja_id, vuelven}. Activities with their creator''s own id get the couple''s.';

CREATE FUNCTION public.ajustar_dispositivo(id uuid, cambios jsonb) RETURNS void
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO ''
    AS $$
declare
  fila planes.dispositivos := planes.mi_dispositivo(ajustar_dispositivo.id);
begin
  if jsonb_typeof(cambios) is distinct from 'object' or exists (
    select from jsonb_object_keys(cambios) as k
    where k not in ('eventos', 'ver_titulo', 'silencio_desde', 'silencio_hasta')
  ) then
    raise exception 'Eso no se puede cambiar en un dispositivo.';
  end if;
  fila := jsonb_populate_record(fila, cambios);
  update planes.dispositivos d
  set eventos = fila.eventos, ver_titulo = fila.ver_titulo,
    silencio_desde = fila.silencio_desde, silencio_hasta = fila.silencio_hasta, visto_en = now()
  where d.id = fila.id;
end
$$;

ALTER FUNCTION public.ajustar_dispositivo(id uuid, cambios jsonb) OWNER TO postgres;

COMMENT ON FUNCTION public.ajustar_dispositivo(id uuid, cambios jsonb) IS 'Changes any of {eventos, ver_titulo, silencio_desde, silencio_hasta} of a device of one''s own.';

CREATE FUNCTION public.ajustar_recordatorios(cambios jsonb) RETURNS void
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO ''
    AS $$
declare
  yo constant uuid := planes.yo_retenido();
  fila planes.ajustes;
begin
  if jsonb_typeof(cambios) is distinct from 'object' or exists (
    select from jsonb_object_keys(cambios) as k
    where k not in ('dia_antes', 'dia_antes_a', 'hora_antes', 'correo', 'zona')
  ) then
    raise exception 'Eso no se puede cambiar en los recordatorios.';
  end if;
  insert into planes.ajustes (persona_id) values (yo)
  on conflict on constraint ajustes_pkey do nothing;
  select * into fila from planes.ajustes j where j.persona_id = yo for update;
  fila := jsonb_populate_record(fila, cambios);
  update planes.ajustes j
  set dia_antes = fila.dia_antes, dia_antes_a = fila.dia_antes_a, hora_antes = fila.hora_antes,
    correo = fila.correo, zona = planes.zona_conocida(fila.zona)
  where j.persona_id = yo;
end
$$;

ALTER FUNCTION public.ajustar_recordatorios(cambios jsonb) OWNER TO postgres;

COMMENT ON FUNCTION public.ajustar_recordatorios(cambios jsonb) IS 'Changes any of {dia_antes, dia_antes_a, hora_antes, correo, zona} of the caller''s.';

CREATE FUNCTION public.anotar_pago(id uuid, plan uuid, importe numeric, pagado_por uuid, parte smallint DEFAULT 50) RETURNS void
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO ''
    AS $$
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

ALTER FUNCTION public.anotar_pago(id uuid, plan uuid, importe numeric, pagado_por uuid, parte smallint) OWNER TO postgres;

COMMENT ON FUNCTION public.anotar_pago(id uuid, plan uuid, importe numeric, pagado_por uuid, parte smallint) IS 'Writes down what one of the two paid for an accepted plan, or changes the payment with that id; 20 a plan. `parte` is the payer''s own share in hundredths.';

CREATE FUNCTION public.anular_saldo(id uuid) RETURNS void
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO ''
    AS $$
declare
  pareja constant public.parejas := planes.pareja_de_cuentas();
begin
  update public.liquidaciones l set anulada_en = now()
  where l.id = anular_saldo.id and l.pareja_id = pareja.id and l.anulada_en is null;
end
$$;

ALTER FUNCTION public.anular_saldo(id uuid) OWNER TO postgres;

COMMENT ON FUNCTION public.anular_saldo(id uuid) IS 'Reopens a settled month.';

CREATE FUNCTION public.baja_correo(ficha text) RETURNS void
    LANGUAGE sql SECURITY DEFINER
    SET search_path TO ''
    AS $$
  update planes.ajustes j set correo = false
  where j.ficha = baja_correo.ficha and j.correo
$$;

ALTER FUNCTION public.baja_correo(ficha text) OWNER TO postgres;

COMMENT ON FUNCTION public.baja_correo(ficha text) IS 'Ends the reminders by mail of the owner of the token; needs no sign-in (RFC 8058).';

CREATE FUNCTION public.borrar_comentario(id uuid) RETURNS void
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO ''
    AS $$
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

ALTER FUNCTION public.borrar_comentario(id uuid) OWNER TO postgres;

COMMENT ON FUNCTION public.borrar_comentario(id uuid) IS 'Deletes a comment of one''s own, while its plan is common.';

CREATE FUNCTION public.borrar_fecha_especial(id uuid) RETURNS void
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO ''
    AS $$
declare
  mia constant uuid := planes.pareja_retenida();
begin
  delete from public.fechas_especiales f
  where f.id = borrar_fecha_especial.id and f.pareja_id = mia;
end
$$;

ALTER FUNCTION public.borrar_fecha_especial(id uuid) OWNER TO postgres;

COMMENT ON FUNCTION public.borrar_fecha_especial(id uuid) IS 'Deletes a special day of the couple.';

CREATE FUNCTION public.borrar_idea(id uuid) RETURNS void
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO ''
    AS $$
declare
  yo constant uuid := planes.yo_retenido();
begin
  delete from public.ideas i where i.id = borrar_idea.id and i.creador_id = yo;
  if not found then
    raise exception 'Esa idea no existe o no es tuya.';
  end if;
end
$$;

ALTER FUNCTION public.borrar_idea(id uuid) OWNER TO postgres;

COMMENT ON FUNCTION public.borrar_idea(id uuid) IS 'Deletes an idea of one''s own.';

CREATE FUNCTION public.borrar_pago(id uuid) RETURNS void
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO ''
    AS $$
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

ALTER FUNCTION public.borrar_pago(id uuid) OWNER TO postgres;

COMMENT ON FUNCTION public.borrar_pago(id uuid) IS 'Deletes a payment of a common plan.';

CREATE FUNCTION public.borrar_recuerdo(id uuid) RETURNS void
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO ''
    AS $$
declare
  yo constant uuid := planes.yo_retenido();
begin
  insert into planes.recuerdos_borrados
    (id, actividad_id, pareja_id, autor_id, bytes, fila, con_plan)
  select r.id, r.actividad_id, r.pareja_id, r.autor_id, r.bytes, to_jsonb(r), false
  from public.recuerdos r
  where r.id = borrar_recuerdo.id and r.autor_id = yo and r.subido_en is not null
  on conflict on constraint recuerdos_borrados_pkey do nothing;
  -- What was still on its way is given up: nothing of it is kept.
  delete from public.recuerdos r where r.id = borrar_recuerdo.id and r.autor_id = yo;
  if not found then
    raise exception 'Esa foto no existe o no es tuya.';
  end if;
end
$$;

ALTER FUNCTION public.borrar_recuerdo(id uuid) OWNER TO postgres;

COMMENT ON FUNCTION public.borrar_recuerdo(id uuid) IS 'Deletes the caller''s photo; recuperar_recuerdo brings it back for ten minutes.';

CREATE FUNCTION public.borrar_serie(plan uuid, alcance text) RETURNS jsonb
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO ''
    AS $$
declare
  yo constant uuid := planes.yo_retenido();
  fila public.actividades;
  borradas uuid[];
  aceptadas bigint;
  primera date;
begin
  select * into fila from public.actividades a
  where a.id = borrar_serie.plan and a.creador_id = yo and a.serie_id is not null;
  if not found then
    raise exception 'Ese plan no existe o no lo compartes.';
  elsif alcance is null or alcance not in ('siguientes', 'pendientes') then
    raise exception 'Eso no se puede eliminar.';
  end if;
  perform planes.turno_de_serie(fila.serie_id);
  with fuera as (
    delete from public.actividades a
    where a.serie_id = fila.serie_id and a.creador_id = yo
      and case alcance when 'siguientes' then a.fecha >= fila.fecha else a.estado = 'pendiente' end
    returning a.id, a.estado, a.fecha
  )
  select array_agg(f.id order by f.fecha), count(*) filter (where f.estado = 'aceptado'),
    min(f.fecha) filter (where f.estado = 'aceptado')
  into borradas, aceptadas, primera
  from fuera f;
  if aceptadas > 0 and fila.pareja_id = planes.mi_pareja_ahora() then
    perform planes.avisar(
      planes.a_quien_avisar(), 'eliminados',
      planes.mi_nombre() || case aceptadas
        when 1 then ' ha eliminado un plan aceptado' else ' ha eliminado planes aceptados' end,
      planes.serie_en_breve(fila.titulo, aceptadas, primera), null
    );
  end if;
  return jsonb_build_object('ids', coalesce(to_jsonb(borradas), '[]'));
end
$$;

ALTER FUNCTION public.borrar_serie(plan uuid, alcance text) OWNER TO postgres;

COMMENT ON FUNCTION public.borrar_serie(plan uuid, alcance text) IS 'Deletes of a series of one''s own what comes from this plan on (siguientes), or all that is pending (pendientes): {ids}.';

CREATE FUNCTION public.calendario(secreto text) RETURNS planes."*/*"
    LANGUAGE plpgsql STABLE SECURITY DEFINER
    SET search_path TO ''
    AS $_$
declare
  de_quien uuid;
begin
  if calendario.secreto ~ '^[0-9a-f]{64}$' then
    select c.pareja_id into de_quien
    from public.calendarios c
    where c.huella = sha256(decode(calendario.secreto, 'hex'));
  end if;
  if de_quien is null then
    raise sqlstate 'PT404' using message = 'Esta dirección de calendario no existe o se ha revocado.';
  end if;
  perform set_config('response.headers', '[{"Content-Type": "text/calendar; charset=utf-8"}, '
    '{"Content-Disposition": "inline; filename=\"planes-en-pareja.ics\""}, '
    '{"Cache-Control": "private, no-cache"}]', true);
  return concat(
    E'BEGIN:VCALENDAR\r\nVERSION:2.0\r\nPRODID:-//Planes en Pareja//Calendario//ES\r\n',
    E'CALSCALE:GREGORIAN\r\nMETHOD:PUBLISH\r\nX-WR-CALNAME:Planes en Pareja\r\n',
    E'REFRESH-INTERVAL;VALUE=DURATION:PT1H\r\nX-PUBLISHED-TTL:PT1H\r\n',
    (
      select string_agg(planes.ics_evento(a), '' order by a.fecha, a.creado_en)
      from public.actividades a
      where a.pareja_id = de_quien and a.estado <> 'rechazado'
        and a.fecha >= current_date - interval '12 months'
    ),
    E'END:VCALENDAR\r\n'
  );
end
$_$;

ALTER FUNCTION public.calendario(secreto text) OWNER TO postgres;

COMMENT ON FUNCTION public.calendario(secreto text) IS 'The couple''s activities as text/calendar, for whoever knows the secret; not the rejected ones, nor those of more than twelve months ago. SQLSTATE PT404 (status 404) for any other secret.';

CREATE FUNCTION public.comentar(plan uuid, id uuid, texto text, motivo boolean DEFAULT false) RETURNS void
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO ''
    AS $$
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

ALTER FUNCTION public.comentar(plan uuid, id uuid, texto text, motivo boolean) OWNER TO postgres;

COMMENT ON FUNCTION public.comentar(plan uuid, id uuid, texto text, motivo boolean) IS 'Adds a comment to a common plan; the same id again is the same comment. 500 a plan, 30 a minute.';

CREATE FUNCTION public.crear_calendario() RETURNS jsonb
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO ''
    AS $$
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

ALTER FUNCTION public.crear_calendario() OWNER TO postgres;

COMMENT ON FUNCTION public.crear_calendario() IS 'The couple''s calendar secret, {secreto}: made if there is none, the same for both partners.';

CREATE FUNCTION public.crear_invitacion() RETURNS jsonb
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO ''
    AS $$
declare
  yo constant uuid := planes.yo_retenido();
  nueva public.invitaciones;
begin
  perform from public.profiles p where p.id = yo for update;
  if (select p.pareja_id from public.profiles p where p.id = yo) is not null then
    raise exception 'Ya tienes pareja. Desvincúlate antes de invitar a otra persona.';
  end if;
  delete from public.invitaciones i where i.creador_id = yo and i.usada_por is null;
  loop  -- a code that exists already (one in 10^12) is drawn again
    insert into public.invitaciones (codigo, creador_id)
    values (planes.codigo_nuevo(), yo)
    on conflict on constraint invitaciones_pkey do nothing
    returning * into nueva;
    exit when found;
  end loop;
  return jsonb_build_object('codigo', nueva.codigo, 'caduca_en', nueva.caduca_en);
end
$$;

ALTER FUNCTION public.crear_invitacion() OWNER TO postgres;

COMMENT ON FUNCTION public.crear_invitacion() IS 'A fresh invitation, {codigo, caduca_en}; the one made before stops working. codigo has eight symbols, shown as XXXX-XXXX.';

CREATE FUNCTION public.crear_serie(id uuid, plan jsonb, regla text, hasta date) RETURNS jsonb
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO ''
    AS $$
declare
  yo constant uuid := planes.yo_retenido();
  mia constant uuid := coalesce(planes.mi_pareja_ahora(), yo);
  primera public.actividades;
  fechas date[];
  cuantas bigint;
begin
  if jsonb_typeof(plan) is distinct from 'object' or crear_serie.id is null
    or exists (select from jsonb_object_keys(plan) as k where k <> all (planes.campos_del_plan()))
  then
    raise exception 'Eso no se puede poner en un plan.';
  end if;
  primera := jsonb_populate_record(null::public.actividades, plan);
  if hasta > primera.fecha + interval '2 years' then
    raise exception 'Como mucho dos años.';
  end if;
  fechas := array(
    select f from planes.fechas_de_serie(primera.fecha, crear_serie.regla, hasta) as f
  );
  if cardinality(fechas) < 2 then
    raise exception 'Con esa última fecha no se repite.';
  elsif cardinality(fechas) > 52 then
    raise exception 'Como mucho 52 fechas.';
  end if;
  -- Sent twice it is there once, also where both come at the same moment.
  perform pg_advisory_xact_lock(hashtextextended('serie ' || crear_serie.id, 0));
  select count(*) into cuantas
  from public.actividades a where a.serie_id = crear_serie.id and a.creador_id = yo;
  if cuantas > 0 then
    return jsonb_build_object('fechas', cuantas);
  end if;
  insert into public.actividades (
    titulo, descripcion, fecha, presupuesto, creador_id, pareja_id,
    hora, hora_fin, fecha_fin, lugar, serie_id, regla
  )
  select primera.titulo, primera.descripcion, f, primera.presupuesto, yo, mia,
    primera.hora, primera.hora_fin, f + (primera.fecha_fin - primera.fecha), primera.lugar,
    crear_serie.id, crear_serie.regla
  from unnest(fechas) as f;
  return jsonb_build_object('fechas', cardinality(fechas));
end
$$;

ALTER FUNCTION public.crear_serie(id uuid, plan jsonb, regla text, hasta date) OWNER TO postgres;

COMMENT ON FUNCTION public.crear_serie(id uuid, plan jsonb, regla text, hasta date) IS 'Proposes a plan, {titulo, descripcion, fecha, presupuesto, hora, hora_fin, fecha_fin, lugar}, on each date of a rule (semanal, quincenal, mensual, anual) up to the last: 2 to 52 dates of two years at most. The id is the caller''s: {fechas}.';

CREATE FUNCTION public.cuentas(mes text) RETURNS jsonb
    LANGUAGE plpgsql STABLE SECURITY DEFINER
    SET search_path TO ''
    AS $_$
declare
  pareja public.parejas;
  total record;
  hecha public.liquidaciones;
begin
  select * into pareja from public.parejas c where c.id = planes.mi_pareja();
  if mes !~ '^\d{4}-(0[1-9]|1[0-2])$' or mes < '0001' then
    raise exception 'Ese mes no existe.';
  end if;
  total := planes.cuentas_del_mes(pareja, mes);
  select * into hecha from public.liquidaciones l
  where l.pareja_id = pareja.id and l.mes = cuentas.mes and l.anulada_en is null;
  return jsonb_build_object(
    'gastado', total.gastado,
    'de', case sign(total.saldo) when 1 then pareja.persona_b when -1 then pareja.persona_a end,
    'a', case sign(total.saldo) when 1 then pareja.persona_a when -1 then pareja.persona_b end,
    'importe', abs(total.saldo),
    'saldado', case when hecha.id is not null then jsonb_build_object(
      'id', hecha.id, 'de', hecha.de, 'a', hecha.a, 'importe', (hecha.importe * 100)::bigint,
      'creado_en', hecha.creado_en
    ) end
  );
end
$_$;

ALTER FUNCTION public.cuentas(mes text) OWNER TO postgres;

COMMENT ON FUNCTION public.cuentas(mes text) IS 'What the couple spent in a month (2026-11) and owes each other, in cents: {gastado, de, a, importe, saldado: {id, de, a, importe, creado_en} or null}.';

CREATE FUNCTION public.describir_recuerdo(id uuid, texto text) RETURNS void
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO ''
    AS $$
declare
  yo constant uuid := planes.yo_retenido();
begin
  update public.recuerdos r set texto = nullif(planes.recortado(describir_recuerdo.texto), '')
  where r.id = describir_recuerdo.id and r.autor_id = yo
    and r.pareja_id = planes.mi_pareja_ahora();
  if not found then
    raise exception 'Esa foto no existe o no es tuya.';
  end if;
end
$$;

ALTER FUNCTION public.describir_recuerdo(id uuid, texto text) OWNER TO postgres;

COMMENT ON FUNCTION public.describir_recuerdo(id uuid, texto text) IS 'Sets the caption of the caller''s photo, at most 200 characters; a blank one removes it.';

CREATE FUNCTION public.desvincular_pareja() RETURNS void
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO ''
    AS $$
declare
  mia constant uuid := planes.mi_pareja();
begin
  perform planes.yo();
  if mia is null then
    raise exception 'Ahora mismo no tienes pareja vinculada.';
  end if;
  perform planes.retener(array[c.persona_a, c.persona_b]) from public.parejas c where c.id = mia;
  perform planes.disolver(mia);
end
$$;

ALTER FUNCTION public.desvincular_pareja() OWNER TO postgres;

COMMENT ON FUNCTION public.desvincular_pareja() IS 'Ends the caller''s couple. Everybody keeps what they created, and nobody else sees it until the same two pair again.';

CREATE FUNCTION public.editar_plan(plan uuid, revision integer, cambios jsonb) RETURNS jsonb
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO ''
    AS $$
declare
  fila public.actividades := planes.plan_pendiente(editar_plan.plan);
  nueva public.actividades;
begin
  if fila.creador_id <> auth.uid() then
    raise exception 'Solo quien propuso el plan puede cambiarlo.';
  elsif fila.revision is distinct from editar_plan.revision then
    raise exception 'Este plan ha cambiado mientras lo editabas. Revísalo.';
  elsif jsonb_typeof(cambios) is distinct from 'object'
    or exists (select from jsonb_object_keys(cambios) as k where k <> all (planes.campos_del_plan()))
  then
    raise exception 'Eso no se puede cambiar en un plan.';
  end if;
  nueva := jsonb_populate_record(fila, cambios);
  update public.actividades a
  set titulo = nueva.titulo, descripcion = nueva.descripcion, fecha = nueva.fecha,
    presupuesto = nueva.presupuesto, hora = nueva.hora, hora_fin = nueva.hora_fin,
    fecha_fin = nueva.fecha_fin, lugar = nueva.lugar,
    revision = a.revision + 1, editado_en = now()
  where a.id = fila.id
  returning a.revision into fila.revision;
  return jsonb_build_object('revision', fila.revision);
end
$$;

ALTER FUNCTION public.editar_plan(plan uuid, revision integer, cambios jsonb) OWNER TO postgres;

COMMENT ON FUNCTION public.editar_plan(plan uuid, revision integer, cambios jsonb) IS 'Changes a pending proposal of one''s own, any of {titulo, descripcion, fecha, presupuesto, hora, hora_fin, fecha_fin, lugar}, where it is still of that revision: {revision}.';

CREATE FUNCTION public.editar_serie(plan uuid, revision integer, cambios jsonb, alcance text) RETURNS jsonb
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO ''
    AS $$
declare
  fila public.actividades;
  nueva public.actividades;
  cuantas bigint;
  primera date;
begin
  perform planes.yo_retenido();
  perform planes.turno_de_serie(a.serie_id)
  from public.actividades a where a.id = editar_serie.plan and a.serie_id is not null;
  fila := planes.plan_pendiente(editar_serie.plan);
  if fila.creador_id <> auth.uid() then
    raise exception 'Solo quien propuso el plan puede cambiarlo.';
  elsif fila.revision is distinct from editar_serie.revision then
    raise exception 'Este plan ha cambiado mientras lo editabas. Revísalo.';
  elsif fila.serie_id is null or alcance is null or alcance not in ('siguientes', 'todas')
    or jsonb_typeof(cambios) is distinct from 'object'
    or exists (select from jsonb_object_keys(cambios) as k where k <> all (planes.campos_del_plan()))
  then
    raise exception 'Eso no se puede cambiar en un plan.';
  end if;
  nueva := jsonb_populate_record(fila, cambios);
  -- Each keeps its place in the series: all move by as many days as the one that was edited.
  with cambiadas as (
    update public.actividades a
    set titulo = nueva.titulo, descripcion = nueva.descripcion, presupuesto = nueva.presupuesto,
      fecha = a.fecha + (nueva.fecha - fila.fecha), hora = nueva.hora, hora_fin = nueva.hora_fin,
      fecha_fin = a.fecha + (nueva.fecha_fin - fila.fecha), lugar = nueva.lugar,
      revision = a.revision + 1, editado_en = now()
    where a.serie_id = fila.serie_id and a.creador_id = fila.creador_id
      and a.pareja_id = fila.pareja_id and a.estado = 'pendiente'
      and (alcance = 'todas' or a.fecha >= fila.fecha)
    returning a.fecha
  )
  select count(*), min(c.fecha) into cuantas, primera from cambiadas c;
  perform planes.avisar(
    planes.a_quien_avisar(), 'respuestas', planes.mi_nombre() || ' ha cambiado su propuesta',
    planes.serie_en_breve(nueva.titulo, cuantas, primera), fila.id
  );
  return jsonb_build_object('cambiadas', cuantas);
end
$$;

ALTER FUNCTION public.editar_serie(plan uuid, revision integer, cambios jsonb, alcance text) OWNER TO postgres;

COMMENT ON FUNCTION public.editar_serie(plan uuid, revision integer, cambios jsonb, alcance text) IS 'As editar_plan, for what is pending of the plan''s series: siguientes from its date on, or todas. Another date moves all by as many days: {cambiadas}.';

CREATE FUNCTION public.eliminar_cuenta() RETURNS void
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO ''
    AS $_$
declare
  yo constant uuid := planes.yo();
begin
  if not exists (
    select from jsonb_path_query(
      auth.jwt(), '$.amr[*] ? (@.method == "password").timestamp ? (@.type() == "number")'
    ) as escrita
    where to_timestamp(escrita::text::double precision) > now() - interval '10 minutes'
  ) then
    raise exception 'Vuelve a escribir tu contraseña.';
  end if;
  delete from auth.users u where u.id = yo;
end
$_$;

ALTER FUNCTION public.eliminar_cuenta() OWNER TO postgres;

COMMENT ON FUNCTION public.eliminar_cuenta() IS 'Deletes the caller''s account and all that is theirs; wants a password typed within ten minutes.';

CREATE FUNCTION public.exportar_datos() RETURNS jsonb
    LANGUAGE sql STABLE
    SET search_path TO ''
    AS $$
  select jsonb_build_object(
    'exportado_en', now(),
    'perfil', (select to_jsonb(p) from public.profiles p where p.id = auth.uid()),
    'pareja', (
      select jsonb_build_object('nombre', p.nombre) from public.profiles p
      where p.id <> auth.uid() limit 1
    ),
    'actividades', coalesce(
      (select jsonb_agg(to_jsonb(a) order by a.fecha, a.id) from public.actividades a), '[]'
    ),
    'historial', coalesce(
      (select jsonb_agg(to_jsonb(h) order by h.id) from public.historial h), '[]'
    ),
    'comentarios', coalesce(
      (select jsonb_agg(to_jsonb(c) order by c.creado_en, c.id) from public.comentarios c), '[]'
    ),
    'reacciones', coalesce((select jsonb_agg(to_jsonb(r)) from public.reacciones r), '[]'),
    'fechas_especiales', coalesce(
      (select jsonb_agg(to_jsonb(f) order by f.fecha, f.id) from public.fechas_especiales f), '[]'
    ),
    'ideas', coalesce(
      (select jsonb_agg(to_jsonb(i) order by i.creado_en, i.id) from public.ideas i), '[]'
    ),
    'apetencias', coalesce((select jsonb_agg(to_jsonb(s)) from public.apetencias s), '[]'),
    'pagos', coalesce(
      (select jsonb_agg(to_jsonb(g) order by g.creado_en, g.id) from public.pagos g), '[]'
    ),
    'liquidaciones', coalesce(
      (select jsonb_agg(to_jsonb(l) order by l.creado_en, l.id) from public.liquidaciones l), '[]'
    ),
    'recuerdos', coalesce(
      (select jsonb_agg(to_jsonb(m) order by m.creado_en, m.id) from public.recuerdos m), '[]'
    ),
    'papelera', public.mis_borrados()
  )
$$;

ALTER FUNCTION public.exportar_datos() OWNER TO postgres;

COMMENT ON FUNCTION public.exportar_datos() IS 'All that the caller may read: {exportado_en, perfil, pareja, actividades, historial, comentarios, reacciones, fechas_especiales, ideas, apetencias, pagos, liquidaciones, recuerdos, papelera}. The photos'' files are read under their names from the bucket recuerdos.';

CREATE FUNCTION public.guardar_fecha_especial(id uuid, titulo text, fecha date, cada_ano boolean DEFAULT true) RETURNS void
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO ''
    AS $$
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

ALTER FUNCTION public.guardar_fecha_especial(id uuid, titulo text, fecha date, cada_ano boolean) OWNER TO postgres;

COMMENT ON FUNCTION public.guardar_fecha_especial(id uuid, titulo text, fecha date, cada_ano boolean) IS 'Adds a special day of the couple, or changes the one with that id; 20 at most.';

CREATE FUNCTION public.guardar_idea(id uuid, titulo text, nota text DEFAULT NULL::text, presupuesto numeric DEFAULT NULL::numeric) RETURNS void
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO ''
    AS $$
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
  if exists (select from public.ideas i where i.id = guardar_idea.id and i.pareja_id = mia) then
    return;  -- the partner's
  elsif (select count(*) from public.ideas i where i.pareja_id = mia) >= 500 then
    raise exception 'Ya no caben más ideas. Borrad alguna.';
  end if;
  -- One of one's own from before stays as it is.
  insert into public.ideas (id, pareja_id, creador_id, titulo, nota, presupuesto)
  values (
    guardar_idea.id, mia, yo, guardar_idea.titulo, guardar_idea.nota, guardar_idea.presupuesto
  )
  on conflict on constraint ideas_pkey do nothing;
end
$$;

ALTER FUNCTION public.guardar_idea(id uuid, titulo text, nota text, presupuesto numeric) OWNER TO postgres;

COMMENT ON FUNCTION public.guardar_idea(id uuid, titulo text, nota text, presupuesto numeric) IS 'Adds an idea, or changes one''s own with that id; 500 a couple.';

CREATE FUNCTION public.marcar_leido(plan uuid) RETURNS void
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO ''
    AS $$
declare
  fila constant public.actividades := planes.plan_comun(marcar_leido.plan);
begin
  perform planes.leer(fila.id, auth.uid());
end
$$;

ALTER FUNCTION public.marcar_leido(plan uuid) OWNER TO postgres;

COMMENT ON FUNCTION public.marcar_leido(plan uuid) IS 'Marks the comments on a plan as read by the caller.';

CREATE FUNCTION public.me_apetece(idea uuid, si boolean) RETURNS void
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO ''
    AS $$
declare
  fila constant public.ideas := planes.idea_comun(me_apetece.idea);
begin
  if si then
    insert into public.apetencias (creador_id, idea_id, persona_id)
    values (fila.creador_id, fila.id, auth.uid())
    on conflict on constraint apetencias_pkey do nothing;
  else
    delete from public.apetencias a
    where a.creador_id = fila.creador_id and a.idea_id = fila.id and a.persona_id = auth.uid();
  end if;
end
$$;

ALTER FUNCTION public.me_apetece(idea uuid, si boolean) OWNER TO postgres;

COMMENT ON FUNCTION public.me_apetece(idea uuid, si boolean) IS 'Sets whether the caller likes an idea.';

CREATE FUNCTION public.mis_borrados() RETURNS jsonb
    LANGUAGE plpgsql STABLE SECURITY DEFINER
    SET search_path TO ''
    AS $$
declare
  yo constant uuid := planes.yo();
begin
  return coalesce((
    select jsonb_agg(jsonb_build_object(
      'id', p.actividad_id, 'titulo', p.plan ->> 'titulo', 'fecha', p.plan ->> 'fecha',
      'borrado_en', p.borrado_en
    ) order by p.borrado_en desc)
    from planes.papelera p
    where p.creador_id = yo and p.borrado_en > now() - interval '30 days'
  ), '[]');
end
$$;

ALTER FUNCTION public.mis_borrados() OWNER TO postgres;

COMMENT ON FUNCTION public.mis_borrados() IS 'What the caller deleted in the last thirty days, newest first: [{id, titulo, fecha, borrado_en}].';

CREATE FUNCTION public.mis_dispositivos() RETURNS jsonb
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO ''
    AS $$
  select coalesce(jsonb_agg(
    jsonb_build_object(
      'id', d.id, 'nombre', d.nombre, 'eventos', d.eventos, 'ver_titulo', d.ver_titulo,
      'silencio_desde', d.silencio_desde, 'silencio_hasta', d.silencio_hasta,
      'visto_en', d.visto_en
    ) order by d.visto_en desc, d.id
  ), '[]')
  from planes.dispositivos d
  where d.persona_id = auth.uid()
$$;

ALTER FUNCTION public.mis_dispositivos() OWNER TO postgres;

COMMENT ON FUNCTION public.mis_dispositivos() IS 'The caller''s devices: [{id, nombre, eventos, ver_titulo, silencio_desde, silencio_hasta, visto_en}].';

CREATE FUNCTION public.mis_recordatorios() RETURNS jsonb
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO ''
    AS $$
  select jsonb_build_object(
    'dia_antes', coalesce(j.dia_antes, true), 'dia_antes_a', coalesce(j.dia_antes_a, '19:00'),
    'hora_antes', coalesce(j.hora_antes, true), 'correo', coalesce(j.correo, false)
  )
  from (select auth.uid() as yo) as y
  left join planes.ajustes j on j.persona_id = y.yo
$$;

ALTER FUNCTION public.mis_recordatorios() OWNER TO postgres;

COMMENT ON FUNCTION public.mis_recordatorios() IS 'When the caller is reminded: {dia_antes, dia_antes_a, hora_antes, correo}.';

CREATE FUNCTION public.preparar_recuerdo(id uuid, plan uuid, ancho integer, alto integer, bytes integer, texto text DEFAULT NULL::text) RETURNS jsonb
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO ''
    AS $$
declare
  pareja constant public.parejas := planes.pareja_de_cuentas();
  del_plan constant public.actividades := planes.plan_comun(preparar_recuerdo.plan);
  yo constant uuid := auth.uid();
  fila public.recuerdos;
begin
  if pareja.id is null or to_regclass('storage.objects') is null then
    raise exception 'Vincula a tu pareja para guardar recuerdos.';
  end if;
  select * into fila from public.recuerdos r
  where r.id = preparar_recuerdo.id and r.autor_id = yo;
  if not found then
    if (select count(*) from public.recuerdos r where r.actividad_id = del_plan.id) >= 30 then
      raise exception 'En este plan ya no caben más fotos.';
    elsif planes.espacio_de(pareja.id) + preparar_recuerdo.bytes > 524288000 then
      raise exception 'Habéis llenado vuestro espacio.';
    elsif (
      select count(*) from public.recuerdos r where r.autor_id = yo and r.subido_en is null
    ) >= 40 then
      raise exception 'Tienes demasiadas fotos a medio subir. Espera un momento.';
    end if;
    -- The partner's photo of that id has the couple's files of that name.
    insert into public.recuerdos (id, actividad_id, pareja_id, autor_id, ancho, alto, bytes, texto)
    values (
      preparar_recuerdo.id, del_plan.id, pareja.id, yo, preparar_recuerdo.ancho,
      preparar_recuerdo.alto, preparar_recuerdo.bytes,
      nullif(planes.recortado(preparar_recuerdo.texto), '')
    )
    on conflict do nothing
    returning * into fila;
  end if;
  if fila.id is null or fila.actividad_id <> del_plan.id then
    raise exception 'Esa foto no existe o no es tuya.';
  end if;
  return jsonb_build_object(
    'ruta', fila.ruta, 'miniatura', fila.miniatura, 'subido', fila.subido_en is not null
  );
end
$$;

ALTER FUNCTION public.preparar_recuerdo(id uuid, plan uuid, ancho integer, alto integer, bytes integer, texto text) OWNER TO postgres;

COMMENT ON FUNCTION public.preparar_recuerdo(id uuid, plan uuid, ancho integer, alto integer, bytes integer, texto text) IS 'Announces a photo of a common plan: {ruta, miniatura, subido}, the names under which its two files are to be stored in the bucket recuerdos. 30 a plan, 500 MB a couple; the same id again is the same photo.';

CREATE FUNCTION public.probar_dispositivo(id uuid) RETURNS void
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO ''
    AS $$
declare
  fila constant planes.dispositivos := planes.mi_dispositivo(probar_dispositivo.id);
begin
  if (
    select count(*) from recados.cola c
    where c.clave like 'prueba:' || fila.id || ':%' and c.creado_en > now() - interval '1 hour'
  ) >= 3 then
    raise exception 'Ya has enviado tres avisos de prueba. Espera una hora.';
  end if;
  perform planes.recado_para(
    fila,
    jsonb_build_object(
      'titulo', 'Aviso de prueba', 'cuerpo', 'Así te llegarán los avisos.', 'url', '/dashboard'
    ),
    'prueba', 'prueba:' || fila.id || ':' || gen_random_uuid(), now(), now() + interval '1 hour'
  );
end
$$;

ALTER FUNCTION public.probar_dispositivo(id uuid) OWNER TO postgres;

COMMENT ON FUNCTION public.probar_dispositivo(id uuid) IS 'Sends a message to a device of one''s own, three an hour.';

CREATE FUNCTION public.proponer_otra_fecha(plan uuid, fecha date, hora time without time zone DEFAULT NULL::time without time zone, mensaje text DEFAULT NULL::text) RETURNS jsonb
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO ''
    AS $$
declare
  yo constant uuid := auth.uid();
  fila constant public.actividades := planes.plan_pendiente(proponer_otra_fecha.plan);
  otra uuid;
begin
  if fila.creador_id = yo then
    raise exception 'Es tu propuesta: cambia su fecha.';
  elsif proponer_otra_fecha.fecha is null
    or proponer_otra_fecha.fecha = fila.fecha
    and proponer_otra_fecha.hora is not distinct from fila.hora
  then
    raise exception 'Elige otra fecha u otra hora.';
  end if;
  update public.actividades a set estado = 'rechazado' where a.id = fila.id;
  insert into public.actividades (
    titulo, descripcion, fecha, presupuesto, creador_id, pareja_id, origen_id,
    hora, hora_fin, fecha_fin, lugar
  )
  values (
    fila.titulo, fila.descripcion, proponer_otra_fecha.fecha, fila.presupuesto, yo, fila.pareja_id,
    fila.id, proponer_otra_fecha.hora, planes.hora_fin_movida(fila, proponer_otra_fecha.hora),
    proponer_otra_fecha.fecha + (fila.fecha_fin - fila.fecha), fila.lugar
  )
  returning id into otra;
  if planes.recortado(mensaje) <> '' then
    perform public.comentar(otra, gen_random_uuid(), mensaje);
  end if;
  return jsonb_build_object('id', otra);
end
$$;

ALTER FUNCTION public.proponer_otra_fecha(plan uuid, fecha date, hora time without time zone, mensaje text) OWNER TO postgres;

COMMENT ON FUNCTION public.proponer_otra_fecha(plan uuid, fecha date, hora time without time zone, mensaje text) IS 'Rejects the partner''s pending proposal and proposes the same for another date or hour, with a comment on it where there is a message: {id}.';

CREATE FUNCTION public.quitar_dispositivo(id uuid) RETURNS void
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO ''
    AS $$
begin
  delete from planes.dispositivos d
  where d.id = quitar_dispositivo.id and d.persona_id = planes.yo();
end
$$;

ALTER FUNCTION public.quitar_dispositivo(id uuid) OWNER TO postgres;

COMMENT ON FUNCTION public.quitar_dispositivo(id uuid) IS 'Removes a device of the caller''s; messages that wait for it are not sent.';

CREATE FUNCTION public.reaccionar(plan uuid, cual text) RETURNS void
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO ''
    AS $$
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

ALTER FUNCTION public.reaccionar(plan uuid, cual text) OWNER TO postgres;

COMMENT ON FUNCTION public.reaccionar(plan uuid, cual text) IS 'Sets the caller''s reaction to a common plan; the same again removes it.';

CREATE FUNCTION public.recuperar_comentario(id uuid) RETURNS void
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO ''
    AS $$
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

ALTER FUNCTION public.recuperar_comentario(id uuid) OWNER TO postgres;

COMMENT ON FUNCTION public.recuperar_comentario(id uuid) IS 'Restores a comment of the caller''s within an hour of its deletion, while its plan is common.';

CREATE FUNCTION public.recuperar_plan(plan uuid) RETURNS jsonb
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO ''
    AS $$
declare
  yo constant uuid := planes.yo_retenido();
  guardado planes.papelera;
  fila public.actividades;
begin
  delete from planes.papelera p
  where p.actividad_id = recuperar_plan.plan and p.creador_id = yo
    and p.borrado_en > now() - interval '30 days'
  returning * into guardado;
  if not found then
    raise exception 'Ese plan ya no se puede recuperar.';
  end if;
  fila := jsonb_populate_record(null::public.actividades, guardado.plan);
  perform planes.retener(array[fila.aceptado_por]);
  if fila.aceptado_por is not null
    and not exists (select from auth.users u where u.id = fila.aceptado_por)
  then
    fila.aceptado_por := null;
    fila.estado := 'pendiente';
  end if;
  if not exists (select from public.actividades a where a.id = fila.origen_id) then
    fila.origen_id := null;
  end if;
  perform set_config('planes.recuperando', '1', true);
  insert into public.actividades select fila.*;
  perform set_config('planes.recuperando', '', true);
  insert into public.historial (actividad_id, persona_id, que, cambios, en)
  select h.actividad_id, u.id, h.que, h.cambios, h.en
  from jsonb_populate_recordset(null::public.historial, guardado.historial) as h
  left join auth.users u on u.id = h.persona_id
  order by h.id;
  insert into public.comentarios
  select c.*
  from jsonb_populate_recordset(null::public.comentarios, guardado.comentarios) as c
  join auth.users u on u.id = c.autor_id
  on conflict on constraint comentarios_pkey do nothing;
  insert into public.reacciones
  select r.*
  from jsonb_populate_recordset(null::public.reacciones, guardado.reacciones) as r
  join auth.users u on u.id = r.persona_id;
  insert into public.pagos
  select p.id, p.actividad_id, p.pagado_por, p.importe, p.parte, u.id, p.creado_en
  from jsonb_populate_recordset(null::public.pagos, guardado.pagos) as p
  join auth.users payer on payer.id = p.pagado_por
  left join auth.users u on u.id = p.anotado_por
  where fila.estado = 'aceptado';
  insert into public.historial (actividad_id, persona_id, que) values (fila.id, yo, 'recuperado');
  return jsonb_build_object('id', fila.id);
end
$$;

ALTER FUNCTION public.recuperar_plan(plan uuid) OWNER TO postgres;

COMMENT ON FUNCTION public.recuperar_plan(plan uuid) IS 'Brings back a plan that the caller deleted in the last thirty days, as it was: {id}.';

CREATE FUNCTION public.recuperar_planes(ids uuid[]) RETURNS jsonb
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO ''
    AS $$
begin
  if ids is null or cardinality(ids) not between 1 and 52 then
    raise exception 'Como mucho 52 fechas.';
  end if;
  perform public.recuperar_plan(cual) from unnest(ids) as cual;
  return jsonb_build_object('recuperados', cardinality(ids));
end
$$;

ALTER FUNCTION public.recuperar_planes(ids uuid[]) OWNER TO postgres;

COMMENT ON FUNCTION public.recuperar_planes(ids uuid[]) IS 'Brings back plans that the caller deleted in the last thirty days, all or none, 52 at most.';

CREATE FUNCTION public.recuperar_recuerdo(id uuid) RETURNS void
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO ''
    AS $$
declare
  yo constant uuid := planes.yo_retenido();
  guardado planes.recuerdos_borrados;
begin
  select * into guardado from planes.recuerdos_borrados b
  where b.id = recuperar_recuerdo.id and b.autor_id = yo and not b.con_plan for update;
  perform from public.actividades a where a.id = guardado.actividad_id for key share;
  if not found then
    raise exception 'Esa foto ya no se puede recuperar.';
  end if;
  perform planes.devolver_recuerdo(guardado);
end
$$;

ALTER FUNCTION public.recuperar_recuerdo(id uuid) OWNER TO postgres;

COMMENT ON FUNCTION public.recuperar_recuerdo(id uuid) IS 'Brings back a photo that the caller deleted in the last ten minutes.';

CREATE FUNCTION public.registrar_dispositivo(endpoint text, p256dh text, auth text, nombre text, zona text DEFAULT NULL::text) RETURNS jsonb
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO ''
    AS $$
declare
  yo constant uuid := planes.yo_retenido();
  suya constant text := planes.zona_conocida(registrar_dispositivo.zona);
  cual uuid;
begin
  perform pg_advisory_xact_lock(hashtextextended('dispositivos ' || yo, 0));
  -- Whoever signs in at a browser has its alerts: what another person chose there goes with them.
  delete from planes.dispositivos d
  where d.endpoint = registrar_dispositivo.endpoint and d.persona_id <> yo
    and d.p256dh = registrar_dispositivo.p256dh and d.auth = registrar_dispositivo.auth;
  insert into planes.dispositivos as d (persona_id, endpoint, p256dh, auth, nombre, zona)
  values (
    yo, registrar_dispositivo.endpoint, registrar_dispositivo.p256dh, registrar_dispositivo.auth,
    registrar_dispositivo.nombre, suya
  )
  on conflict on constraint dispositivos_endpoint_key do update
  set nombre = excluded.nombre, zona = excluded.zona, visto_en = now(), fallos = 0
  where d.persona_id = yo and d.p256dh = excluded.p256dh and d.auth = excluded.auth
  returning d.id into cual;
  if cual is null then
    raise exception 'Este dispositivo no se puede registrar. Quítalo y vuelve a activarlo.';
  end if;
  delete from planes.dispositivos d
  where d.persona_id = yo and d.id in (
    select o.id from planes.dispositivos o where o.persona_id = yo
    order by o.visto_en desc, o.id = cual desc offset 10
  );
  return jsonb_build_object('id', cual);
end
$$;

ALTER FUNCTION public.registrar_dispositivo(endpoint text, p256dh text, auth text, nombre text, zona text) OWNER TO postgres;

COMMENT ON FUNCTION public.registrar_dispositivo(endpoint text, p256dh text, auth text, nombre text, zona text) IS 'Registers a device of the caller''s for push messages: {id}. Ten a person, the oldest is removed.';

CREATE FUNCTION public.responder_serie(serie uuid, respuesta text, vistas jsonb) RETURNS jsonb
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO ''
    AS $$
declare
  yo constant uuid := planes.yo_retenido();
  mia constant uuid := planes.mi_pareja_ahora();
  cuantas bigint;
  primera date;
  titulo text;
  plan uuid;
begin
  if respuesta is null or respuesta not in ('aceptado', 'rechazado')
    or jsonb_typeof(vistas) is distinct from 'object'
  then
    raise exception 'Eso no es una respuesta.';
  end if;
  perform planes.turno_de_serie(responder_serie.serie);
  perform from public.actividades a
  where a.serie_id = responder_serie.serie and a.pareja_id = mia and a.creador_id <> yo
    and a.estado = 'pendiente'
  order by a.id for update;
  if not found then
    if exists (
      select from public.actividades a
      where a.serie_id = responder_serie.serie and a.pareja_id = mia and a.creador_id <> yo
    ) then
      raise exception 'Este plan ya tiene respuesta.';
    end if;
    raise exception 'Ese plan no existe o no lo compartes.';
  end if;
  -- Nobody accepts a price that they have not read.
  if exists (
    select from public.actividades a
    where a.serie_id = responder_serie.serie and a.pareja_id = mia and a.creador_id <> yo
      and a.estado = 'pendiente' and a.revision::text is distinct from vistas ->> a.id::text
  ) then
    raise exception 'Alguna fecha ha cambiado mientras la leías. Revísala.';
  end if;
  with respondidas as (
    update public.actividades a
    set estado = respuesta, aceptado_por = case respuesta when 'aceptado' then yo end
    where a.serie_id = responder_serie.serie and a.pareja_id = mia and a.creador_id <> yo
      and a.estado = 'pendiente'
    returning a.id, a.titulo, a.fecha
  )
  select count(*), min(r.fecha), (array_agg(r.titulo order by r.fecha))[1],
    (array_agg(r.id order by r.fecha))[1]
  into cuantas, primera, titulo, plan
  from respondidas r;
  perform planes.avisar(
    planes.a_quien_avisar(), 'respuestas',
    planes.mi_nombre() || case respuesta when 'aceptado' then ' ha aceptado' else ' ha rechazado' end,
    planes.serie_en_breve(titulo, cuantas, primera), plan
  );
  return jsonb_build_object('respondidas', cuantas);
end
$$;

ALTER FUNCTION public.responder_serie(serie uuid, respuesta text, vistas jsonb) OWNER TO postgres;

COMMENT ON FUNCTION public.responder_serie(serie uuid, respuesta text, vistas jsonb) IS 'Answers all that is pending of the partner''s series with aceptado or rechazado, where each is of the revision that was read, {id: revision}: {respondidas}.';

CREATE FUNCTION public.resumen_conversacion() RETURNS jsonb
    LANGUAGE sql STABLE
    SET search_path TO ''
    AS $$
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

ALTER FUNCTION public.resumen_conversacion() OWNER TO postgres;

COMMENT ON FUNCTION public.resumen_conversacion() IS 'By plan with comments: {total, sin_leer, motivo: {autor_id, texto} or null}.';

CREATE FUNCTION public.revocar_calendario() RETURNS void
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO ''
    AS $$
begin
  perform planes.yo();
  delete from public.calendarios c where c.pareja_id = planes.mi_pareja();
end
$$;

ALTER FUNCTION public.revocar_calendario() OWNER TO postgres;

COMMENT ON FUNCTION public.revocar_calendario() IS 'Ends the couple''s calendar address at once; crear_calendario then makes another.';

CREATE FUNCTION public.saldar(id uuid, mes text, importe bigint) RETURNS void
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO ''
    AS $$
declare
  pareja constant public.parejas := planes.pareja_de_cuentas();
  ahora constant jsonb := public.cuentas(saldar.mes);
begin
  if ahora ->> 'saldado' is not null then
    return;  -- both pressed
  elsif (ahora ->> 'importe')::bigint = 0 then
    raise exception 'No hay nada que saldar.';
  elsif (ahora ->> 'importe')::bigint is distinct from saldar.importe then
    raise exception 'Las cuentas han cambiado. Revisadlas antes de saldar.';
  end if;
  insert into public.liquidaciones (id, pareja_id, mes, de, a, importe)
  values (
    saldar.id, pareja.id, saldar.mes, (ahora ->> 'de')::uuid, (ahora ->> 'a')::uuid,
    saldar.importe / 100.0
  )
  on conflict on constraint liquidaciones_pkey do nothing;
end
$$;

ALTER FUNCTION public.saldar(id uuid, mes text, importe bigint) OWNER TO postgres;

COMMENT ON FUNCTION public.saldar(id uuid, mes text, importe bigint) IS 'Settles a month if the amount that is owed is still the one that the caller saw, in cents; repeating it changes nothing.';

CREATE FUNCTION public.terminar_recuerdo(id uuid) RETURNS void
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO ''
    AS $$
declare
  pareja constant public.parejas := planes.pareja_de_cuentas();
  fila public.recuerdos;
  tamano bigint;
begin
  select * into fila from public.recuerdos r
  where r.id = terminar_recuerdo.id and r.autor_id = auth.uid() for update;
  if not found or fila.pareja_id is distinct from pareja.id then
    raise exception 'Esa foto no existe o no es tuya.';
  elsif fila.subido_en is not null then
    return;
  end if;
  tamano := planes.bytes_subidos(array[fila.ruta, fila.miniatura]);
  if tamano is null then
    raise exception 'La foto no ha llegado entera. Vuelve a intentarlo.';
  elsif planes.espacio_de(pareja.id) - fila.bytes + tamano > 524288000 then
    raise exception 'Habéis llenado vuestro espacio.';
  end if;
  update public.recuerdos r set subido_en = now(), bytes = greatest(tamano, 1) where r.id = fila.id;
end
$$;

ALTER FUNCTION public.terminar_recuerdo(id uuid) OWNER TO postgres;

COMMENT ON FUNCTION public.terminar_recuerdo(id uuid) IS 'Marks the caller''s photo as uploaded, with both files: the partner sees it from now on.';

CREATE FUNCTION public.vaciar_papelera() RETURNS void
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO ''
    AS $$
declare
  yo constant uuid := planes.yo();
begin
  delete from planes.papelera p where p.creador_id = yo;
end
$$;

ALTER FUNCTION public.vaciar_papelera() OWNER TO postgres;

COMMENT ON FUNCTION public.vaciar_papelera() IS 'Deletes for good what is in the caller''s trash.';

CREATE FUNCTION public.ver_invitacion(codigo text) RETURNS jsonb
    LANGUAGE sql SECURITY DEFINER
    SET search_path TO ''
    AS $$
  select jsonb_build_object(
    'nombre', p.nombre, 'vuelven', planes.en_comun(auth.uid(), i.creador_id)
  )
  from planes.invitacion_valida(ver_invitacion.codigo) as i
  join public.profiles p on p.id = i.creador_id
$$;

ALTER FUNCTION public.ver_invitacion(codigo text) OWNER TO postgres;

COMMENT ON FUNCTION public.ver_invitacion(codigo text) IS 'Who invites with this code: {nombre, vuelven}; vuelven counts the plans the two already have in common. The code may be typed with dash, blanks, lower case.';

CREATE FUNCTION public.version_del_plan() RETURNS integer
    LANGUAGE sql STABLE
    SET search_path TO ''
    AS $$
  select case when to_regclass('storage.objects') is null then 8 else 11 end
$$;

ALTER FUNCTION public.version_del_plan() OWNER TO postgres;

COMMENT ON FUNCTION public.version_del_plan() IS 'What this server has beyond the specification: 1 hours, several days and places; 2 the account; 3 what is said about a plan; 4 special days; 5 ideas without a date; 6 what plans really cost; 7 alerts with the app closed; 8 reminders; 9 photos; 10 reminders by mail; 11 plans that repeat.';

CREATE FUNCTION realtime.await_commits(xids bigint[]) RETURNS void
    LANGUAGE plpgsql
    SET search_path TO ''
    AS $$
begin
  while not realtime.commits_visible(xids) loop
    perform pg_sleep(0.001);
  end loop;
end
$$;

ALTER FUNCTION realtime.await_commits(xids bigint[]) OWNER TO supabase_admin;

COMMENT ON FUNCTION realtime.await_commits(xids bigint[]) IS 'Returns once the rows that these committed transactions wrote are visible.';

CREATE FUNCTION realtime.become(topic text, settings jsonb) RETURNS void
    LANGUAGE plpgsql
    AS $$
begin
  perform set_config('realtime.topic', become.topic, true);
  perform set_config(s.key, s.value, true)
  from jsonb_each_text(settings) as s
  where s.key <> 'role';
  perform set_config('role', settings ->> 'role', true);
end
$$;

ALTER FUNCTION realtime.become(topic text, settings jsonb) OWNER TO supabase_realtime_admin;

CREATE FUNCTION realtime.broadcast_changes(topic_name text, event_name text, operation text, table_name text, table_schema text, new record, old record, level text DEFAULT 'ROW'::text) RETURNS void
    LANGUAGE plpgsql
    AS $$
begin
  if level = 'STATEMENT' then
    raise exception
      'Failed to process the row: function can only be triggered for each row, not for each statement';
  elsif operation is null or operation not in ('INSERT', 'UPDATE', 'DELETE') then
    raise exception 'Failed to process the row: Unexpected operation type: %', operation;
  end if;
  perform realtime.send(
    jsonb_build_object(
      'record', new, 'old_record', old,
      'operation', operation, 'table', table_name, 'schema', table_schema
    ),
    event_name,
    topic_name
  );
end
$$;

ALTER FUNCTION realtime.broadcast_changes(topic_name text, event_name text, operation text, table_name text, table_schema text, new record, old record, level text) OWNER TO supabase_realtime_admin;

COMMENT ON FUNCTION realtime.broadcast_changes(topic_name text, event_name text, operation text, table_name text, table_schema text, new record, old record, level text) IS 'For row triggers: sends the change of a row to a private channel.';

CREATE FUNCTION realtime."cast"(val text, type_ regtype) RETURNS jsonb
    LANGUAGE plpgsql IMMUTABLE
    AS $$
declare
  result jsonb;
begin
  if type_ = 'bytea'::regtype then
    return to_jsonb(val);
  end if;
  execute format('select to_jsonb(%L::%s)', val, type_) into result;
  return result;
end
$$;

ALTER FUNCTION realtime."cast"(val text, type_ regtype) OWNER TO supabase_realtime_admin;

CREATE FUNCTION realtime.check_equality_op(op realtime.equality_op, type_ regtype, val_1 text, val_2 text) RETURNS boolean
    LANGUAGE sql STABLE
    AS $$ select realtime.check_equality_op(op, type_, val_1, val_2, false) $$;

ALTER FUNCTION realtime.check_equality_op(op realtime.equality_op, type_ regtype, val_1 text, val_2 text) OWNER TO supabase_realtime_admin;

CREATE FUNCTION realtime.check_equality_op(op realtime.equality_op, type_ regtype, val_1 text, val_2 text, negate boolean) RETURNS boolean
    LANGUAGE plpgsql STABLE
    AS $_$
declare
  condition text := case op
    when 'eq' then '%1$L::%2$s = %3$L::%2$s'
    when 'neq' then '%1$L::%2$s <> %3$L::%2$s'
    when 'lt' then '%1$L::%2$s < %3$L::%2$s'
    when 'lte' then '%1$L::%2$s <= %3$L::%2$s'
    when 'gt' then '%1$L::%2$s > %3$L::%2$s'
    when 'gte' then '%1$L::%2$s >= %3$L::%2$s'
    when 'in' then '%1$L::%2$s = any (%3$L::%2$s[])'
    when 'like' then '%1$L::%2$s like %3$L::%2$s'
    when 'ilike' then '%1$L::%2$s ilike %3$L::%2$s'
    when 'match' then '%1$L::%2$s ~ %3$L::%2$s'
    when 'imatch' then '%1$L::%2$s ~* %3$L::%2$s'
    when 'isdistinct' then '%1$L::%2$s is distinct from %3$L::%2$s'
    when 'is' then '%1$L::%2$s is %4$s'
  end;
  result boolean;
begin
  if op = 'is' and val_2 not in ('null', 'true', 'false', 'unknown') then
    raise exception 'invalid value for is filter: must be null, true, false, or unknown';
  end if;
  execute format(
    'select ' || condition, val_1, type_, val_2, case when op = 'is' then val_2 end
  ) into result;
  return result <> coalesce(negate, false);
end
$_$;

ALTER FUNCTION realtime.check_equality_op(op realtime.equality_op, type_ regtype, val_1 text, val_2 text, negate boolean) OWNER TO supabase_realtime_admin;

CREATE FUNCTION realtime.check_filter(entity regclass, readable text[], filter realtime.user_defined_filter) RETURNS void
    LANGUAGE plpgsql STABLE
    AS $$
declare
  col_type regtype;
begin
  if filter.column_name is null or filter.column_name <> all (readable) then
    raise exception 'invalid column for filter %', filter.column_name;
  end if;
  select atttypid::regtype into col_type
  from pg_catalog.pg_attribute
  where attrelid = entity and attname = filter.column_name and not attisdropped;

  case
    when filter.op = 'in' then
      if jsonb_array_length(
        realtime.cast(filter.value, format('%s[]', col_type)::regtype)
      ) > 100 then
        raise exception 'too many values for `in` filter. Maximum 100';
      end if;
    when filter.op = 'is' then
      if filter.value not in ('null', 'true', 'false', 'unknown') then
        raise exception 'invalid value for is filter: must be null, true, false, or unknown';
      elsif filter.value <> 'null' and col_type <> 'boolean'::regtype then
        raise exception 'is % filter requires a boolean column, got %', filter.value, col_type;
      end if;
    when filter.op in ('like', 'ilike', 'match', 'imatch') then
      if not exists (
        select
        from pg_catalog.pg_operator o
        where o.oprleft = col_type and o.oprresult = 'boolean'::regtype
          and o.oprname = case filter.op
            when 'match' then '~' when 'imatch' then '~*' else '~~'
          end
          and (filter.op in ('like', 'ilike') or o.oprright = col_type)
      ) then
        raise exception 'operator % requires a text-compatible column type, got %',
          filter.op, col_type;
      end if;
      if filter.op in ('match', 'imatch') then
        begin
          perform '' ~ filter.value;
        exception when others then
          raise exception 'invalid regular expression for % filter: %', filter.op, sqlerrm;
        end;
      end if;
    else
      perform realtime.cast(filter.value, col_type);
  end case;
end
$$;

ALTER FUNCTION realtime.check_filter(entity regclass, readable text[], filter realtime.user_defined_filter) OWNER TO supabase_realtime_admin;

CREATE FUNCTION realtime.commits_visible(xids bigint[]) RETURNS boolean
    LANGUAGE plpgsql
    SET search_path TO ''
    AS $$
declare
  epoch_size constant bigint := 4294967296;
  snapshot constant pg_snapshot := pg_current_snapshot();
  next_xid constant bigint := pg_snapshot_xmax(snapshot)::text::bigint;
  xid bigint;
begin
  foreach xid in array xids loop
    xid := next_xid - next_xid % epoch_size + xid;
    if xid > next_xid + epoch_size / 2 then
      xid := xid - epoch_size;
    end if;
    if not pg_visible_in_snapshot(xid::text::xid8, snapshot) then
      return false;
    end if;
  end loop;
  return true;
end
$$;

ALTER FUNCTION realtime.commits_visible(xids bigint[]) OWNER TO supabase_admin;

COMMENT ON FUNCTION realtime.commits_visible(xids bigint[]) IS 'Whether the rows that these committed transactions wrote are visible.';

CREATE FUNCTION realtime.guard_deletes(entity regclass) RETURNS void
    LANGUAGE plpgsql
    AS $$
begin
  execute format('alter table %s replica identity full', entity);
  insert into realtime.guarded_tables (entity) values (guard_deletes.entity) on conflict do nothing;
end
$$;

ALTER FUNCTION realtime.guard_deletes(entity regclass) OWNER TO supabase_admin;

COMMENT ON FUNCTION realtime.guard_deletes(entity regclass) IS 'From now on deletes of this table are sent only to those who could see the row.';

CREATE FUNCTION realtime.is_visible_through_filters(columns realtime.wal_column[], filters realtime.user_defined_filter[]) RETURNS boolean
    LANGUAGE sql STABLE
    AS $$
  select coalesce(bool_and(coalesce(
    c.name is not null and realtime.check_equality_op(
      f.op, coalesce(c.type_oid::regtype, c.type_name::regtype), c.value #>> '{}', f.value, f.negate
    ),
    false
  )), true)
  from unnest(filters) as f
  left join unnest(columns) as c on c.name = f.column_name
$$;

ALTER FUNCTION realtime.is_visible_through_filters(columns realtime.wal_column[], filters realtime.user_defined_filter[]) OWNER TO supabase_realtime_admin;

CREATE FUNCTION realtime.is_writable(topic text, extension text, settings jsonb) RETURNS boolean
    LANGUAGE plpgsql
    AS $$
begin
  begin
    perform realtime.become(is_writable.topic, settings);
    insert into realtime.messages (topic, extension)
    values (is_writable.topic, is_writable.extension);
    raise exception using errcode = 'RTROL';
  exception
    when sqlstate 'RTROL' then return true;
    when insufficient_privilege then return false;
  end;
end
$$;

ALTER FUNCTION realtime.is_writable(topic text, extension text, settings jsonb) OWNER TO supabase_realtime_admin;

CREATE FUNCTION realtime.kept_query(entity regclass) RETURNS text
    LANGUAGE sql STABLE
    AS $_$
  select format(
    $q$select case when exists (select from %s as sought where %s) then '{1}'::integer[] else '{}' end$q$,
    entity,
    coalesce(
      string_agg(
        format(
          $c$sought.%I = (select (current_setting('realtime.key')::jsonb ->> %L)::%s)$c$,
          a.attname, a.attname, format_type(a.atttypid, -1)
        ),
        ' and '
      ),
      'false'
    )
  )
  from pg_catalog.pg_index i
  join pg_catalog.pg_attribute a
    on a.attrelid = i.indrelid and a.attnum = any ((i.indkey::smallint[])[0:i.indnkeyatts - 1])
  where i.indrelid = entity and i.indisprimary
$_$;

ALTER FUNCTION realtime.kept_query(entity regclass) OWNER TO supabase_admin;

CREATE FUNCTION realtime.key_query(entity regclass, keys jsonb) RETURNS text
    LANGUAGE sql STABLE
    AS $_$
  select
    case count(*)
      when 0 then $q$select '{}'::integer[]$q$
      when 1 then format(
        $q$select case when exists (select from %s as sought where %s) then '{1}'::integer[] else '{}' end$q$,
        entity, min(wanted.equalities)
      )
      else format(
        'select array(select wanted.n from (values %s) as wanted (n, %s)'
        ' cross join lateral (select from %s as sought where %s limit 1) as found)',
        string_agg(format('(%s, %s)', wanted.n, wanted.literals), ', '),
        min(wanted.names), entity, min(wanted.matches)
      )
    end
  from (
    select
      k.n,
      string_agg(format('k%s', c.n), ', ') as names,
      string_agg(format('%L::%s', k.key ->> c.name, c.type), ', ') as literals,
      string_agg(format('sought.%I = wanted.k%s', c.name, c.n), ' and ') as matches,
      string_agg(format('sought.%I = %L::%s', c.name, k.key ->> c.name, c.type), ' and ') as equalities
    from (
      select
        a.attnum as n,
        a.attname as name,
        format_type(a.atttypid, a.atttypmod) as type
      from pg_catalog.pg_index i
      join pg_catalog.pg_attribute a
        on a.attrelid = i.indrelid
        and a.attnum = any ((i.indkey::smallint[])[0:i.indnkeyatts - 1])
      where i.indrelid = entity and i.indisprimary
    ) as c
    cross join jsonb_array_elements(keys) with ordinality as k (key, n)
    group by k.n
  ) as wanted
$_$;

ALTER FUNCTION realtime.key_query(entity regclass, keys jsonb) OWNER TO supabase_admin;

CREATE FUNCTION realtime.maintain_messages(keep interval DEFAULT '72:00:00'::interval, days_ahead integer DEFAULT 3) RETURNS void
    LANGUAGE plpgsql
    AS $_$
declare
  today date := timezone('utc', now())::date;
  day date;
  partition text;
  outlived regclass;
begin
  perform pg_advisory_xact_lock(hashtext('realtime.maintain_messages'));
  for day in
    select d::date from generate_series(today - 1, today + days_ahead, interval '1 day') as d
  loop
    partition := format('messages_%s', to_char(day, 'YYYY_MM_DD'));
    continue when to_regclass(format('realtime.%I', partition)) is not null;
    execute format(
      'create table realtime.%I partition of realtime.messages for values from (%L) to (%L)',
      partition, day, day + 1
    );
    execute format('alter table realtime.%I owner to supabase_realtime_admin', partition);
  end loop;
  for outlived in
    select i.inhrelid::regclass
    from pg_catalog.pg_inherits i
    join pg_catalog.pg_class c on c.oid = i.inhrelid
    where i.inhparent = 'realtime.messages'::regclass
      and c.relname ~ '^messages_\d{4}_\d{2}_\d{2}$'
      -- a day is over at its end, so it is kept for `keep` from then on
      and to_date(substr(c.relname, 10), 'YYYY_MM_DD') + 1 + keep <= timezone('utc', now())
  loop
    execute format('drop table %s', outlived);
  end loop;
end
$_$;

ALTER FUNCTION realtime.maintain_messages(keep interval, days_ahead integer) OWNER TO supabase_realtime_admin;

COMMENT ON FUNCTION realtime.maintain_messages(keep interval, days_ahead integer) IS 'Makes the partitions of yesterday to days_ahead days from now, drops those past keep.';

CREATE FUNCTION realtime.old_row_query(entity regclass, old_rows jsonb, role text) RETURNS text
    LANGUAGE sql STABLE
    AS $_$
  select
    case
      when count(*) = 0 then $q$select '{}'::integer[]$q$
      else format(
        'select array(select gone.n from (values %s) as gone (n, row)'
        ' where (select %s from (select (gone.row).*) as %I))',
        string_agg(format('(%s, %s)', gone.n, gone.value), ', '),
        coalesce(realtime.select_condition(entity, role), 'false'),
        min(gone.relname)
      )
    end
  from (
    select
      o.n,
      format('row(%s)::%I.%I', string_agg(
        format('%L::%s', o.old_row ->> a.attname, format_type(a.atttypid, a.atttypmod)),
        ', ' order by a.attnum
      ), s.nspname, c.relname) as value,
      c.relname
    from jsonb_array_elements(old_rows) with ordinality as o (old_row, n)
    join pg_catalog.pg_class c on c.oid = entity
    join pg_catalog.pg_namespace s on s.oid = c.relnamespace
    join pg_catalog.pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
    group by o.n, s.nspname, c.relname
  ) as gone
$_$;

ALTER FUNCTION realtime.old_row_query(entity regclass, old_rows jsonb, role text) OWNER TO supabase_admin;

CREATE FUNCTION realtime.policies_call_auth_alone(entity oid) RETURNS boolean
    LANGUAGE sql STABLE
    SET search_path TO ''
    AS $$
  with recursive policies (id) as (
    select p.oid
    from pg_catalog.pg_policy p
    where p.polrelid = entity and p.polcmd in ('r', '*')
    union
    select p.oid
    from policies
    join pg_catalog.pg_depend d
      on d.classid = 'pg_catalog.pg_policy'::regclass and d.objid = policies.id
      and d.refclassid = 'pg_catalog.pg_class'::regclass
    join pg_catalog.pg_policy p on p.polrelid = d.refobjid and p.polcmd in ('r', '*')
  ),
  auth_functions as (
    select p.oid
    from pg_catalog.pg_proc p
    join pg_catalog.pg_namespace n on n.oid = p.pronamespace
    where n.nspname = 'auth' and p.proname in ('uid', 'role', 'email', 'jwt') and p.pronargs = 0
  )
  select not exists (
    -- Of the server's own functions no dependency is recorded: they are found by their parentheses.
    select
    from policies
    join pg_catalog.pg_policy p on p.oid = policies.id
    where regexp_replace(
      pg_get_expr(p.polqual, p.polrelid),
      '\m(COALESCE|NULLIF|auth\.uid|auth\.role|auth\.email|auth\.jwt)\(', '(', 'g'
    ) ~ '[[:alnum:]_"]\(|\mpg_'
  ) and not exists (
    select
    from policies
    join pg_catalog.pg_depend d
      on d.classid = 'pg_catalog.pg_policy'::regclass and d.objid = policies.id
    left join pg_catalog.pg_class c
      on d.refclassid = 'pg_catalog.pg_class'::regclass and c.oid = d.refobjid
    where c.relkind is distinct from 'r' and c.relkind is distinct from 'p'
      and not (
        d.refclassid = 'pg_catalog.pg_proc'::regclass
        and d.refobjid in (select oid from auth_functions)
      )
  )
$$;

ALTER FUNCTION realtime.policies_call_auth_alone(entity oid) OWNER TO supabase_admin;

COMMENT ON FUNCTION realtime.policies_call_auth_alone(entity oid) IS 'Whether only functions of schema auth tell the policies for reading a table who its caller is.';

CREATE FUNCTION realtime.readable_columns(entity regclass, roles text[]) RETURNS TABLE(role text, columns text[])
    LANGUAGE sql STABLE
    AS $$
  select r.role, coalesce(array_agg(a.attname::text order by a.attnum) filter (
    where has_column_privilege(r.role, a.attrelid, a.attnum, 'select')
  ), '{}')
  from (
    select distinct wanted as role from unnest(roles) as wanted
    where to_regrole(quote_ident(wanted)) is not null
  ) as r
  cross join pg_catalog.pg_attribute a
  where a.attrelid = entity and a.attnum > 0 and not a.attisdropped
  group by r.role
$$;

ALTER FUNCTION realtime.readable_columns(entity regclass, roles text[]) OWNER TO supabase_admin;

COMMENT ON FUNCTION realtime.readable_columns(entity regclass, roles text[]) IS 'The columns that each of the roles may select; roles that do not exist are left out.';

CREATE FUNCTION realtime.readable_extensions(topic text, extensions text[], settings jsonb) RETURNS text[]
    LANGUAGE plpgsql
    AS $$
declare
  asked uuid[] := array(select gen_random_uuid() from unnest(extensions));
  readable text[];
begin
  begin
    insert into realtime.messages (id, topic, extension)
    select * from unnest(asked, array_fill(readable_extensions.topic, array[cardinality(asked)]),
      readable_extensions.extensions);
    perform realtime.become(readable_extensions.topic, settings);
    select coalesce(array_agg(m.extension), '{}') into readable
    from realtime.messages m
    where m.id = any (asked);
    raise exception using errcode = 'RTROL';
  exception
    when sqlstate 'RTROL' then null;
  end;
  return readable;
end
$$;

ALTER FUNCTION realtime.readable_extensions(topic text, extensions text[], settings jsonb) OWNER TO supabase_realtime_admin;

CREATE FUNCTION realtime.revoked_sessions(sessions uuid[]) RETURNS SETOF uuid
    LANGUAGE plpgsql STABLE SECURITY DEFINER
    SET search_path TO ''
    AS $$
begin
  if to_regclass('auth.sessions') is null or to_regclass('auth.users') is null then
    return;
  end if;
  return query
    select asked.id
    from unnest(sessions) as asked (id)
    where not exists (
      select
      from auth.sessions s
      join auth.users u on u.id = s.user_id
      where s.id = asked.id and u.deleted_at is null
        and (u.banned_until is null or u.banned_until <= now())
    );
end
$$;

ALTER FUNCTION realtime.revoked_sessions(sessions uuid[]) OWNER TO supabase_auth_admin;

COMMENT ON FUNCTION realtime.revoked_sessions(sessions uuid[]) IS 'Those of these sessions that are gone, or whose users are banned or deleted.';

CREATE FUNCTION realtime.select_condition(entity regclass, role text) RETURNS text
    LANGUAGE sql STABLE
    AS $$
  select case
    when not c.relrowsecurity
      or r.rolsuper or r.rolbypassrls
      or (not c.relforcerowsecurity and pg_has_role(r.oid, c.relowner, 'usage'))
      then 'true'
    else concat_ws(
      ' and ',
      coalesce('(' || p.permissive || ')', 'false'),
      p.restrictive
    )
  end
  from pg_catalog.pg_class c
  join pg_catalog.pg_roles r on r.rolname = select_condition.role
  cross join lateral (
    select
      string_agg(format('(%s)', condition), ' or ') filter (where polpermissive) as permissive,
      string_agg(format('(%s)', condition), ' and ') filter (where not polpermissive)
        as restrictive
    from (
      select polpermissive, coalesce(pg_get_expr(polqual, polrelid), 'true') as condition
      from pg_catalog.pg_policy
      where polrelid = entity and polcmd in ('r', '*')
        and exists (
          select
          from unnest(polroles) as named (id)
          where named.id = 0 or pg_has_role(r.oid, named.id, 'usage')
        )
    ) as applicable
  ) as p
  where c.oid = entity
$$;

ALTER FUNCTION realtime.select_condition(entity regclass, role text) OWNER TO supabase_admin;

CREATE FUNCTION realtime.send(payload jsonb, event text, topic text, private boolean DEFAULT true) RETURNS void
    LANGUAGE plpgsql
    AS $$
declare
  message_id uuid := gen_random_uuid();
begin
  perform set_config('realtime.topic', send.topic, true);
  insert into realtime.messages (id, payload, event, topic, private, extension)
  values (
    message_id,
    case
      when send.payload ? 'id' then send.payload
      else jsonb_set(send.payload, '{id}', to_jsonb(message_id))
    end,
    send.event, send.topic, send.private, 'broadcast'
  );
exception
  when others then
    raise warning 'WarnSendingBroadcastMessage: %', sqlerrm;
end
$$;

ALTER FUNCTION realtime.send(payload jsonb, event text, topic text, private boolean) OWNER TO supabase_realtime_admin;

COMMENT ON FUNCTION realtime.send(payload jsonb, event text, topic text, private boolean) IS 'Sends a broadcast to a channel, private unless told otherwise.';

CREATE FUNCTION realtime.send_binary(payload bytea, event text, topic text, private boolean DEFAULT true) RETURNS void
    LANGUAGE plpgsql
    AS $$
begin
  perform set_config('realtime.topic', send_binary.topic, true);
  insert into realtime.messages (binary_payload, event, topic, private, extension)
  values (
    send_binary.payload, send_binary.event, send_binary.topic, send_binary.private, 'broadcast'
  );
exception
  when others then
    raise warning 'WarnSendingBroadcastMessage: %', sqlerrm;
end
$$;

ALTER FUNCTION realtime.send_binary(payload bytea, event text, topic text, private boolean) OWNER TO supabase_realtime_admin;

COMMENT ON FUNCTION realtime.send_binary(payload bytea, event text, topic text, private boolean) IS 'Sends a binary broadcast to a channel; only clients of protocol 2.0.0 receive it.';

CREATE FUNCTION realtime.subscribe(subscription uuid, entries jsonb, claims jsonb) RETURNS TABLE(lsn bigint, refused integer, state text, message text)
    LANGUAGE plpgsql
    AS $$
declare
  entry jsonb;
begin
  delete from realtime.subscription s where s.subscription_id = subscribe.subscription;
  begin
    refused := 0;
    for entry in select e.value from jsonb_array_elements(entries) as e loop
      refused := refused + 1;
      insert into realtime.subscription
        (subscription_id, entity, filters, claims, action_filter, selected_columns)
      select
        subscribe.subscription,
        wanted.oid::bigint::oid::regclass,
        array(
          select row(f.value ->> 0, (f.value ->> 1)::realtime.equality_op, f.value ->> 2,
            (f.value ->> 3)::boolean)::realtime.user_defined_filter
          from jsonb_array_elements(entry -> 'filters') as f
        ),
        subscribe.claims,
        entry ->> 'event',
        case
          when jsonb_typeof(entry -> 'select') = 'array'
            then array(select jsonb_array_elements_text(entry -> 'select'))
        end
      from jsonb_array_elements_text(entry -> 'tables') as wanted (oid)
      on conflict do nothing;
    end loop;
    refused := null;
    lsn := (pg_current_wal_insert_lsn() - '0/0'::pg_lsn)::bigint;
  exception
    when others then
      get stacked diagnostics state = returned_sqlstate, message = message_text;
  end;
  return next;
end
$$;

ALTER FUNCTION realtime.subscribe(subscription uuid, entries jsonb, claims jsonb) OWNER TO supabase_realtime_admin;

COMMENT ON FUNCTION realtime.subscribe(subscription uuid, entries jsonb, claims jsonb) IS 'Writes a channel''s entries, all or none. Returns the log''s position, or the number (from 1) of the entry that was refused and why.';

CREATE FUNCTION realtime.subscription_check_filters() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
declare
  readable text[] := coalesce((
    select array_agg(a.attname::text order by a.attnum)
    from pg_catalog.pg_attribute a
    where a.attrelid = new.entity and a.attnum > 0 and not a.attisdropped
      and pg_catalog.has_column_privilege(new.claims ->> 'role', a.attrelid, a.attnum, 'select')
  ), '{}');
  wanted text;
begin
  perform realtime.check_filter(new.entity, readable, f) from unnest(new.filters) as f;
  foreach wanted in array coalesce(new.selected_columns, '{}') loop
    if wanted <> all (readable) then
      raise exception 'invalid column for select %', wanted;
    end if;
  end loop;
  -- One order, so that the unique index knows two spellings of the same entry as one.
  new.filters := coalesce((
    select array_agg(f order by f.column_name, f.op, f.value, f.negate)
    from unnest(new.filters) as f
  ), '{}');
  new.selected_columns := (
    select array_agg(c order by c) from unnest(new.selected_columns) as c
  );
  return new;
end
$$;

ALTER FUNCTION realtime.subscription_check_filters() OWNER TO supabase_realtime_admin;

CREATE FUNCTION realtime.tell_changed_users() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
begin
  perform pg_notify('realtime_revoked', '*');
  return null;
end
$$;

ALTER FUNCTION realtime.tell_changed_users() OWNER TO supabase_admin;

CREATE FUNCTION realtime.tell_revoked_sessions() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
declare
  gone text;
begin
  if pg_trigger_depth() > 1 or (select count(*) from (select from deleted limit 201) as d) > 200 then
    gone := '*';
  else
    select string_agg(id::text, ',') into gone from deleted;
  end if;
  if gone is not null then
    perform pg_notify('realtime_revoked', gone);
  end if;
  return null;
end
$$;

ALTER FUNCTION realtime.tell_revoked_sessions() OWNER TO supabase_admin;

CREATE FUNCTION realtime.to_regrole(role_name text) RETURNS regrole
    LANGUAGE sql IMMUTABLE
    AS $$ select role_name::regrole $$;

ALTER FUNCTION realtime.to_regrole(role_name text) OWNER TO supabase_realtime_admin;

CREATE FUNCTION realtime.topic() RETURNS text
    LANGUAGE sql STABLE
    AS $$ select nullif(current_setting('realtime.topic', true), '') $$;

ALTER FUNCTION realtime.topic() OWNER TO supabase_realtime_admin;

COMMENT ON FUNCTION realtime.topic() IS 'The name of the channel that a policy on realtime.messages is evaluated for.';

CREATE FUNCTION realtime.visibility_query(entity regclass, rows jsonb, role text, are_deleted boolean) RETURNS text
    LANGUAGE sql STABLE
    AS $$
  select case
    when are_deleted then realtime.old_row_query(entity, rows, role)
    else realtime.key_query(entity, rows)
  end
$$;

ALTER FUNCTION realtime.visibility_query(entity regclass, rows jsonb, role text, are_deleted boolean) OWNER TO supabase_admin;

CREATE FUNCTION realtime.visible_one_by_one(entity regclass, rows jsonb, role text, claims text, are_deleted boolean) RETURNS TABLE(seen integer[], errors text[])
    LANGUAGE plpgsql
    AS $$
declare
  queries constant text[] := array(
    select realtime.visibility_query(
      entity, jsonb_build_array(r.value), visible_one_by_one.role, are_deleted
    )
    from jsonb_array_elements(rows) with ordinality as r (value, n)
    order by r.n
  );
  answer integer[];
begin
  seen := '{}';
  errors := '{}';
  for n in 1 .. cardinality(queries) loop
    begin
      perform set_config('role', visible_one_by_one.role, true);
      perform set_config('request.jwt.claims', coalesce(visible_one_by_one.claims, ''), true);
      execute queries[n] into answer;
      if answer <> '{}' then
        seen := seen || n;
      end if;
      errors := errors || null::text;
    exception
      when others then
        errors := errors || sqlerrm;
    end;
  end loop;
  return next;
end
$$;

ALTER FUNCTION realtime.visible_one_by_one(entity regclass, rows jsonb, role text, claims text, are_deleted boolean) OWNER TO supabase_admin;

CREATE FUNCTION realtime.visible_to(entity regclass, rows jsonb, role text, claims text[], are_deleted boolean DEFAULT false, kept text DEFAULT NULL::text, subjects text[] DEFAULT NULL::text[]) RETURNS TABLE(first integer, last integer, seen integer[], errors text[])
    LANGUAGE plpgsql
    AS $$
declare
  own_role constant text := current_setting('role');
  own_claims constant text := coalesce(current_setting('request.jwt.claims', true), '');
  own_subject constant text := coalesce(current_setting('request.jwt.claim.sub', true), '');
  texts constant text[] := visible_to.claims;
  callers constant integer := cardinality(texts);
  is_kept boolean := kept is not null;
  statement text := coalesce(quote_ident(kept), 'realtime_visible_to');
  execution text := 'execute ' || statement;
  query text;  -- what is still to be prepared
  was_missing boolean := false;
  n integer := 1;
  answer integer[];
  put text;
begin
  if not is_kept then
    query := realtime.visibility_query(entity, rows, visible_to.role, are_deleted);
  end if;
  first := 1;
  while n <= callers loop
    begin
      put := set_config('role', visible_to.role, true);
      put := set_config('realtime.key', rows ->> 0, true);
      if query is not null then
        execute format('prepare %s as %s', statement, query);
        query := null;
      end if;
      while n <= callers loop
        put := set_config('request.jwt.claims', coalesce(texts[n], ''), true);
        if subjects is not null then
          put := set_config('request.jwt.claim.sub', coalesce(subjects[n], ''), true);
        end if;
        execute execution into answer;
        if n > first and answer <> seen then
          last := n - 1;
          return next;
          first := n;
        end if;
        seen := answer;
        n := n + 1;
      end loop;
    exception
      when others then
        put := set_config('role', own_role, true);
        if query is not null and sqlstate = '42P05' then  -- left over by a call that was cancelled
          execute 'deallocate ' || statement;
        elsif is_kept and not was_missing and sqlstate = '26000' then
          was_missing := true;
          query := realtime.kept_query(entity);
        elsif is_kept then
          is_kept := false;
          statement := 'realtime_visible_to';
          execution := 'execute ' || statement;
          query := realtime.visibility_query(entity, rows, visible_to.role, are_deleted);
        else
          if n > first then
            last := n - 1;
            return next;
          end if;
          select a.seen, a.errors into seen, errors
          from realtime.visible_one_by_one(
            entity, rows, visible_to.role, texts[n], are_deleted
          ) as a;
          first := n;
          last := n;
          return next;
          errors := null;
          n := n + 1;
          first := n;
        end if;
    end;
  end loop;
  if n > first then
    last := n - 1;
    return next;
  end if;
  put := set_config('role', own_role, true);
  put := set_config('request.jwt.claims', own_claims, true);
  if subjects is not null then
    put := set_config('request.jwt.claim.sub', own_subject, true);
  end if;
  if not is_kept and query is null then
    execute 'deallocate ' || statement;
  end if;
end
$$;

ALTER FUNCTION realtime.visible_to(entity regclass, rows jsonb, role text, claims text[], are_deleted boolean, kept text, subjects text[]) OWNER TO supabase_admin;

COMMENT ON FUNCTION realtime.visible_to(entity regclass, rows jsonb, role text, claims text[], are_deleted boolean, kept text, subjects text[]) IS 'Which rows callers of a role may see, by their claims: present rows by their keys (array of {column: text}), or deleted rows by their values (array of {column: text or null}). Callers first to last see those of these numbers; errors is null, or what policies raised for each row. For one present row, kept names a prepared statement that stays in the session. subjects has each caller''s value of request.jwt.claim.sub, and is null where that is not set.';

CREATE FUNCTION recados.aplazado(id bigint, segundos double precision, fallo text) RETURNS void
    LANGUAGE sql
    SET search_path TO ''
    AS $$
  update recados.cola c
  set tomado_en = null, fallo = aplazado.fallo,
    no_antes_de = now() + make_interval(secs => segundos)
  where c.id = aplazado.id and c.estado = 'espera'
$$;

ALTER FUNCTION recados.aplazado(id bigint, segundos double precision, fallo text) OWNER TO postgres;

COMMENT ON FUNCTION recados.aplazado(id bigint, segundos double precision, fallo text) IS 'Makes a taken message due again in so many seconds.';

CREATE FUNCTION recados.correr_tareas() RETURNS void
    LANGUAGE plpgsql
    SET search_path TO ''
    AS $$
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

ALTER FUNCTION recados.correr_tareas() OWNER TO postgres;

COMMENT ON FUNCTION recados.correr_tareas() IS 'Calls the functions that are due.';

CREATE FUNCTION recados.despertar() RETURNS trigger
    LANGUAGE plpgsql
    SET search_path TO ''
    AS $$
begin
  perform pg_notify('recados', '');
  return null;
end
$$;

ALTER FUNCTION recados.despertar() OWNER TO postgres;

CREATE FUNCTION recados.entregado(id bigint) RETURNS void
    LANGUAGE sql
    SET search_path TO ''
    AS $$
  update recados.cola c set estado = 'hecho', tomado_en = null, fallo = null
  where c.id = entregado.id and c.estado = 'espera'
$$;

ALTER FUNCTION recados.entregado(id bigint) OWNER TO postgres;

COMMENT ON FUNCTION recados.entregado(id bigint) IS 'Marks a taken message as delivered.';

CREATE FUNCTION recados.fallido(id bigint, fallo text) RETURNS void
    LANGUAGE sql
    SET search_path TO ''
    AS $$
  update recados.cola c set estado = 'fallido', tomado_en = null, fallo = fallido.fallo
  where c.id = fallido.id and c.estado = 'espera'
$$;

ALTER FUNCTION recados.fallido(id bigint, fallo text) OWNER TO postgres;

COMMENT ON FUNCTION recados.fallido(id bigint, fallo text) IS 'Marks a taken message as failed for good.';

CREATE FUNCTION recados.limpiar() RETURNS void
    LANGUAGE sql
    SET search_path TO ''
    AS $$
  delete from recados.cola c
  where c.estado <> 'espera' and c.creado_en < now() - interval '7 days'
$$;

ALTER FUNCTION recados.limpiar() OWNER TO postgres;

COMMENT ON FUNCTION recados.limpiar() IS 'Deletes messages older than a week.';

CREATE FUNCTION recados.siguiente() RETURNS double precision
    LANGUAGE sql
    SET search_path TO ''
    AS $$
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

ALTER FUNCTION recados.siguiente() OWNER TO postgres;

COMMENT ON FUNCTION recados.siguiente() IS 'Seconds until a message or a function is due; null where there is none.';

CREATE TABLE recados.cola (
    id bigint NOT NULL,
    canal text NOT NULL,
    destino jsonb NOT NULL,
    carga jsonb NOT NULL,
    clave text,
    no_antes_de timestamp with time zone DEFAULT now() NOT NULL,
    caduca_en timestamp with time zone DEFAULT (now() + '24:00:00'::interval) NOT NULL,
    intentos smallint DEFAULT 0 NOT NULL,
    estado text DEFAULT 'espera'::text NOT NULL,
    tomado_en timestamp with time zone,
    fallo text,
    creado_en timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT cola_canal_check CHECK ((canal = ANY (ARRAY['push'::text, 'correo'::text]))),
    CONSTRAINT cola_estado_check CHECK ((estado = ANY (ARRAY['espera'::text, 'hecho'::text, 'fallido'::text]))),
    CONSTRAINT cola_intentos_check CHECK ((intentos >= 0))
);

ALTER TABLE recados.cola OWNER TO postgres;

COMMENT ON TABLE recados.cola IS 'The queue of messages, used by functions and the job service only.';

COMMENT ON COLUMN recados.cola.canal IS 'push: a message of the Push API (RFC 8030); correo: a mail.';

COMMENT ON COLUMN recados.cola.destino IS 'push: {endpoint, p256dh, auth} of the subscription, and the {topic} that a later one replaces; correo: {a}, the address, and {ficha}, with which rpc baja_correo ends such mails.';

COMMENT ON COLUMN recados.cola.carga IS 'push: what the service worker is given, at most 3 KB; correo: {asunto, parrafos, enlace: {texto, ruta}, pie, baja}, plain texts.';

COMMENT ON COLUMN recados.cola.clave IS 'Of two messages with one key, only the first is queued.';

COMMENT ON COLUMN recados.cola.tomado_en IS 'When a service took it for delivery: before it is sent, so that nothing is sent twice.';

COMMENT ON COLUMN recados.cola.fallo IS 'Why it was not delivered: a status, or a word.';

CREATE FUNCTION recados.tomar(cuantos integer) RETURNS SETOF recados.cola
    LANGUAGE plpgsql
    SET search_path TO ''
    AS $$
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

ALTER FUNCTION recados.tomar(cuantos integer) OWNER TO postgres;

COMMENT ON FUNCTION recados.tomar(cuantos integer) IS 'Takes messages that are due; those that expired or were taken five minutes ago are marked as failed.';

CREATE FUNCTION storage.allow_any_operation(expected_operations text[]) RETURNS boolean
    LANGUAGE sql STABLE
    AS $$
  select exists (
    select
    from unnest(expected_operations) as e (operation)
    where e.operation <> ''
      and regexp_replace(e.operation, '^storage\.', '')
        = regexp_replace(storage.operation(), '^storage\.', '')
  )
$$;

ALTER FUNCTION storage.allow_any_operation(expected_operations text[]) OWNER TO supabase_storage_admin;

CREATE FUNCTION storage.allow_only_operation(expected_operation text) RETURNS boolean
    LANGUAGE sql STABLE
    AS $$ select storage.allow_any_operation(array[expected_operation]) $$;

ALTER FUNCTION storage.allow_only_operation(expected_operation text) OWNER TO supabase_storage_admin;

CREATE FUNCTION storage.can_insert_object(bucketid text, name text, owner uuid, metadata jsonb) RETURNS void
    LANGUAGE plpgsql
    AS $$
begin
  insert into storage.objects (bucket_id, name, owner, metadata)
  values (bucketid, name, owner, metadata);
  raise sqlstate 'PT200' using
    message = 'ROLLBACK',
    detail = 'the insert is allowed, and was only tried';
end
$$;

ALTER FUNCTION storage.can_insert_object(bucketid text, name text, owner uuid, metadata jsonb) OWNER TO supabase_storage_admin;

CREATE FUNCTION storage.enforce_bucket_name_length() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
begin
  if length(new.name) > 100 then
    raise exception 'bucket name "%" is too long (% characters). Max is 100.',
      new.name, length(new.name);
  end if;
  return new;
end
$$;

ALTER FUNCTION storage.enforce_bucket_name_length() OWNER TO supabase_storage_admin;

CREATE FUNCTION storage.extension(name text) RETURNS text
    LANGUAGE sql IMMUTABLE
    AS $$
  select reverse(split_part(reverse(p.parts[array_length(p.parts, 1)]), '.', 1))
  from (select string_to_array(name, '/')) as p (parts)
$$;

ALTER FUNCTION storage.extension(name text) OWNER TO supabase_storage_admin;

CREATE FUNCTION storage.filename(name text) RETURNS text
    LANGUAGE sql IMMUTABLE
    AS $$
  select p.parts[array_length(p.parts, 1)] from (select string_to_array(name, '/')) as p (parts)
$$;

ALTER FUNCTION storage.filename(name text) OWNER TO supabase_storage_admin;

CREATE FUNCTION storage.foldername(name text) RETURNS text[]
    LANGUAGE sql IMMUTABLE
    AS $$
  select p.parts[1 : array_length(p.parts, 1) - 1] from (select string_to_array(name, '/')) as p (parts)
$$;

ALTER FUNCTION storage.foldername(name text) OWNER TO supabase_storage_admin;

CREATE FUNCTION storage.get_common_prefix(p_key text, p_prefix text, p_delimiter text) RETURNS text
    LANGUAGE sql IMMUTABLE
    AS $$
  select case
    when f.found > 0
      then left(p_key, length(p_prefix) + f.found + length(p_delimiter) - 1)
  end
  from (select position(p_delimiter in substr(p_key, length(p_prefix) + 1))) as f (found)
$$;

ALTER FUNCTION storage.get_common_prefix(p_key text, p_prefix text, p_delimiter text) OWNER TO supabase_storage_admin;

CREATE FUNCTION storage.get_size_by_bucket() RETURNS TABLE(size bigint, bucket_id text)
    LANGUAGE sql STABLE
    AS $$
  select sum((o.metadata->>'size')::bigint)::bigint, o.bucket_id
  from storage.objects as o group by o.bucket_id
$$;

ALTER FUNCTION storage.get_size_by_bucket() OWNER TO supabase_storage_admin;

CREATE FUNCTION storage.list_multipart_uploads_with_delimiter(bucket_id text, prefix_param text, delimiter_param text, max_keys integer DEFAULT 100, next_key_token text DEFAULT ''::text, next_upload_token text DEFAULT ''::text) RETURNS TABLE(key text, id text, created_at timestamp with time zone)
    LANGUAGE sql STABLE
    AS $_$
  select distinct on (e.entry collate "C") e.entry, e.id, e.created_at
  from (
    select u.id, u.created_at, coalesce(
      storage.get_common_prefix(u.key, prefix_param, nullif(delimiter_param, '')), u.key
    ) as entry
    from storage.s3_multipart_uploads as u
    where u.bucket_id = $1 and starts_with(u.key, prefix_param)
  ) as e
  where (next_key_token = '' or next_upload_token <> '' or e.entry collate "C" > next_key_token)
    and (next_upload_token = '' or e.id collate "C" > next_upload_token)
  order by e.entry collate "C", e.created_at
  limit max_keys
$_$;

ALTER FUNCTION storage.list_multipart_uploads_with_delimiter(bucket_id text, prefix_param text, delimiter_param text, max_keys integer, next_key_token text, next_upload_token text) OWNER TO supabase_storage_admin;

CREATE FUNCTION storage.list_objects_with_delimiter(_bucket_id text, prefix_param text, delimiter_param text, max_keys integer DEFAULT 100, start_after text DEFAULT ''::text, next_token text DEFAULT ''::text, sort_order text DEFAULT 'asc'::text) RETURNS TABLE(name text, id uuid, metadata jsonb, updated_at timestamp with time zone, created_at timestamp with time zone, last_accessed_at timestamp with time zone)
    LANGUAGE sql STABLE
    AS $$
  select case when l.is_folder then left(l.name, -length(delimiter_param)) else l.name end,
    l.id, l.metadata, l.updated_at, l.created_at, l.last_accessed_at
  from storage_compat.list_level(
    _bucket_id, coalesce(prefix_param, ''), coalesce(delimiter_param, ''), max_keys,
    coalesce(nullif(next_token, ''), start_after, ''), lower(sort_order) = 'desc'
  ) as l
$$;

ALTER FUNCTION storage.list_objects_with_delimiter(_bucket_id text, prefix_param text, delimiter_param text, max_keys integer, start_after text, next_token text, sort_order text) OWNER TO supabase_storage_admin;

CREATE FUNCTION storage.operation() RETURNS text
    LANGUAGE sql STABLE
    AS $$ select current_setting('storage.operation', true) $$;

ALTER FUNCTION storage.operation() OWNER TO supabase_storage_admin;

CREATE FUNCTION storage.protect_delete() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
begin
  if coalesce(current_setting('storage.allow_delete_query', true), 'false') <> 'true' then
    raise exception using
      errcode = '42501',
      message = 'Direct deletion from storage tables is not allowed. Use the Storage API instead.',
      hint = 'This prevents accidental data loss from orphaned objects.';
  end if;
  return null;
end
$$;

ALTER FUNCTION storage.protect_delete() OWNER TO supabase_storage_admin;

CREATE FUNCTION storage.search(prefix text, bucketname text, limits integer DEFAULT 100, levels integer DEFAULT 1, offsets integer DEFAULT 0, search text DEFAULT ''::text, sortcolumn text DEFAULT 'name'::text, sortorder text DEFAULT 'asc'::text) RETURNS TABLE(name text, id uuid, updated_at timestamp with time zone, created_at timestamp with time zone, last_accessed_at timestamp with time zone, metadata jsonb)
    LANGUAGE plpgsql STABLE
    SET plan_cache_mode TO 'force_custom_plan'
    AS $$
declare
  top constant text := chr(1114111);
  sought text := lower(coalesce(prefix, '') || coalesce(search, ''));
  is_descending boolean := lower(sortorder) = 'desc';
  column_name text := lower(coalesce(sortcolumn, 'name'));
  is_plain boolean := octet_length(sought) = length(sought);
  low text := case when is_plain then upper(sought) else '' end;
  high text := case when is_plain then sought || top else top end;
  base integer := 0;
  depth integer := 0;
  most integer := least(coalesce(limits, 100), 1500);
  skip integer := coalesce(offsets, 0);
  place text;
  behind text;
  folder text;
  batch integer;
  read_rows integer;
  slash integer;
  found record;
begin
  if position('/' in prefix) > 0 then
    base := length(prefix) - position('/' in reverse(prefix)) + 1;
  end if;
  if position('/' in sought) > 0 then
    depth := length(sought) - position('/' in reverse(sought)) + 1;
  end if;
  if column_name in ('updated_at', 'created_at', 'last_accessed_at') then
    return query
      with level as (
        select substr(o.name, base + 1, depth - base)
            || split_part(substr(o.name, depth + 1), '/', 1) as short,
          position('/' in substr(o.name, depth + 1)) > 0 as is_folder, o.id,
          o.updated_at as updated, o.created_at as created, o.last_accessed_at as accessed,
          o.metadata,
          case column_name when 'updated_at' then o.updated_at
            when 'created_at' then o.created_at else o.last_accessed_at end as sorted
        from storage.objects as o
        where o.bucket_id = bucketname and storage_compat.folded(o.name) collate "C" >= sought
          and storage_compat.folded(o.name) collate "C" < sought || top
      ), folders as (
        select distinct l.short from level as l where l.is_folder
      ), all_of_it as (
        select f.short, true as is_folder, null::uuid as id, null::timestamptz as updated,
          null::timestamptz as created, null::timestamptz as accessed, null::jsonb as metadata,
          null::timestamptz as sorted
        from folders as f
        union all
        select l.short, false, l.id, l.updated, l.created, l.accessed, l.metadata, l.sorted
        from level as l where not l.is_folder
      )
      select a.short, a.id, a.updated, a.created, a.accessed, a.metadata
      from all_of_it as a
      order by a.is_folder desc,
        case when is_descending then a.sorted end desc,
        case when not is_descending then a.sorted end,
        case when is_descending then a.short end collate "C" desc,
        a.short collate "C"
      limit most offset skip;
    return;
  end if;
  place := case when is_descending then sought || top else sought end;
  behind := '';
  batch := greatest(1, least(most + skip, 1500));
  while most > 0 loop
    read_rows := 0; slash := 0;
    for found in
      (
        select o.* from storage.objects as o
        where not is_descending and o.bucket_id = bucketname
          and o.name collate "C" >= low and o.name collate "C" < high
          and storage_compat.folded(o.name) collate "C" >= place
          and storage_compat.folded(o.name) collate "C" < sought || top
          and (storage_compat.folded(o.name) collate "C" > place or o.name collate "C" > behind)
        order by storage_compat.folded(o.name) collate "C", o.name collate "C" limit batch
      ) union all (
        select o.* from storage.objects as o
        where is_descending and o.bucket_id = bucketname
          and o.name collate "C" >= low and o.name collate "C" < high
          and storage_compat.folded(o.name) collate "C" >= sought
          and storage_compat.folded(o.name) collate "C" <= place
          and (storage_compat.folded(o.name) collate "C" < place or o.name collate "C" < behind)
        order by storage_compat.folded(o.name) collate "C" desc, o.name collate "C" desc limit batch
      )
    loop
      read_rows := read_rows + 1;
      slash := position('/' in substr(found.name, depth + 1));
      place := lower(found.name);
      behind := found.name;
      exit when slash > 0;
      if skip > 0 then
        skip := skip - 1;
        continue;
      end if;
      name := substr(found.name, base + 1); id := found.id; updated_at := found.updated_at;
      created_at := found.created_at; last_accessed_at := found.last_accessed_at;
      metadata := found.metadata;
      return next;
      most := most - 1;
      exit when most = 0;
    end loop;
    exit when most = 0;
    if slash = 0 then
      exit when read_rows < batch;
      batch := least(batch * 4, 1500);
      continue;
    end if;
    name := null; id := null; updated_at := null; created_at := null; last_accessed_at := null;
    metadata := null;
    for folder in
      with recursive run(path) as (
        select left(found.name, depth + slash)
        union all
        select left(further.path, depth + further.slash) from run, lateral (
          select o.name as path, strpos(substr(o.name, depth + 1), '/') as slash
          from storage.objects as o
          where not is_descending and o.bucket_id = bucketname
            and o.name collate "C" >= low and o.name collate "C" < high
            and storage_compat.folded(o.name) collate "C" > lower(run.path) || top
            and storage_compat.folded(o.name) collate "C" < sought || top
          order by storage_compat.folded(o.name) collate "C", o.name collate "C" limit 1
        ) as further where further.slash > 0
      )
      select path from run where not is_descending limit most + skip
    loop
      place := lower(folder) || top;
      if skip > 0 then
        skip := skip - 1;
        continue;
      end if;
      name := substr(left(folder, -1), base + 1);
      return next;
      most := most - 1;
    end loop;
    if is_descending then
      for folder in
        with recursive run(path) as (
          select left(found.name, depth + slash)
          union all
          select left(further.path, depth + further.slash) from run, lateral (
            select o.name as path, strpos(substr(o.name, depth + 1), '/') as slash
            from storage.objects as o
            where o.bucket_id = bucketname
              and o.name collate "C" >= low and o.name collate "C" < high
              and storage_compat.folded(o.name) collate "C" >= sought
              and storage_compat.folded(o.name) collate "C" < lower(run.path)
            order by storage_compat.folded(o.name) collate "C" desc, o.name collate "C" desc limit 1
          ) as further where further.slash > 0
        )
        select path from run limit most + skip
      loop
        place := lower(folder);
        if skip > 0 then
          skip := skip - 1;
          continue;
        end if;
        name := substr(left(folder, -1), base + 1);
        return next;
        most := most - 1;
      end loop;
    end if;
    behind := ''; batch := 2;
  end loop;
end
$$;

ALTER FUNCTION storage.search(prefix text, bucketname text, limits integer, levels integer, offsets integer, search text, sortcolumn text, sortorder text) OWNER TO supabase_storage_admin;

CREATE FUNCTION storage.search_v2(prefix text, bucket_name text, limits integer DEFAULT 100, levels integer DEFAULT 1, start_after text DEFAULT ''::text, sort_order text DEFAULT 'asc'::text, sort_column text DEFAULT 'name'::text, sort_column_after text DEFAULT ''::text) RETURNS TABLE(key text, name text, id uuid, updated_at timestamp with time zone, created_at timestamp with time zone, last_accessed_at timestamp with time zone, metadata jsonb)
    LANGUAGE plpgsql STABLE
    AS $$
declare
  base integer := length(prefix) - position('/' in reverse(prefix)) + 1;
  is_descending boolean := lower(sort_order) = 'desc';
begin
  if position('/' in prefix) = 0 then
    base := 0;
  end if;
  if coalesce(sort_column, 'name') not in ('created_at', 'updated_at') then
    return query
      select substr(s.short, base + 1), s.short, l.id, l.updated_at, l.created_at,
        l.last_accessed_at, l.metadata
      from storage_compat.list_level(
          bucket_name, coalesce(prefix, ''), '/', limits, start_after, is_descending
        ) as l
      cross join lateral (
        select case when l.is_folder then left(l.name, -1) else l.name end
      ) as s (short);
    return;
  end if;
  return query
    with entries as (
      select f.folder, min(o.created_at) as oldest
      from storage.objects as o
      cross join lateral (
        select storage.get_common_prefix(o.name, coalesce(prefix, ''), '/')
      ) as f (folder)
      where o.bucket_id = bucket_name and starts_with(o.name, coalesce(prefix, ''))
        and f.folder is not null
      group by f.folder
    ), level as (
      select e.folder as full_name, left(e.folder, -1) as short, null::uuid as id,
        e.oldest as updated, e.oldest as created, e.oldest as accessed, null::jsonb as metadata,
        e.oldest as sorted
      from entries as e
      union all
      select o.name, o.name, o.id, o.updated_at, o.created_at, o.last_accessed_at, o.metadata,
        case sort_column when 'created_at' then o.created_at else o.updated_at end
      from storage.objects as o
      where o.bucket_id = bucket_name and starts_with(o.name, coalesce(prefix, ''))
        and storage.get_common_prefix(o.name, coalesce(prefix, ''), '/') is null
    )
    select substr(l.short, base + 1), l.short, l.id, l.updated, l.created, l.accessed, l.metadata
    from level as l
    where coalesce(sort_column_after, '') = ''
      or case
        when is_descending
          then (l.sorted, l.full_name collate "C") < (sort_column_after::timestamptz, start_after)
        else (l.sorted, l.full_name collate "C") > (sort_column_after::timestamptz, start_after)
      end
    order by
      case when is_descending then l.sorted end desc,
      case when is_descending then l.full_name end collate "C" desc,
      l.sorted, l.full_name collate "C"
    limit limits;
end
$$;

ALTER FUNCTION storage.search_v2(prefix text, bucket_name text, limits integer, levels integer, start_after text, sort_order text, sort_column text, sort_column_after text) OWNER TO supabase_storage_admin;

CREATE FUNCTION storage.update_updated_at_column() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
begin
  new.updated_at = now();
  return new;
end
$$;

ALTER FUNCTION storage.update_updated_at_column() OWNER TO supabase_storage_admin;

CREATE FUNCTION storage_compat.folded(text) RETURNS text
    LANGUAGE internal IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE
    AS $$lower$$;

ALTER FUNCTION storage_compat.folded(text) OWNER TO supabase_storage_admin;

CREATE FUNCTION storage_compat.keep_named() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO ''
    AS $$
begin
  delete from storage_compat.garbage where version = new.version;
  return null;
end
$$;

ALTER FUNCTION storage_compat.keep_named() OWNER TO supabase_storage_admin;

CREATE FUNCTION storage_compat.list_level(bucket text, prefix text, delimiter text, most integer, behind text, is_descending boolean) RETURNS TABLE(name text, is_folder boolean, id uuid, metadata jsonb, user_metadata jsonb, updated_at timestamp with time zone, created_at timestamp with time zone, last_accessed_at timestamp with time zone)
    LANGUAGE plpgsql STABLE
    SET plan_cache_mode TO 'force_generic_plan'
    AS $$
declare
  top constant text := chr(1114111);
  base constant integer := length(prefix);
  place text := coalesce(behind, '');
  batch integer := least(most, 1000);
  found record;
  read_rows integer;
  folder text;
  path_behind text;
begin
  if place = '' then
    place := case when is_descending then prefix || top || top else '' end;
  elsif not is_descending and delimiter <> '' and right(place, length(delimiter)) = delimiter
    and starts_with(place, prefix) and storage.get_common_prefix(place, prefix, delimiter) = place
  then
    place := place || top;
  end if;
  while most > 0 loop
    read_rows := 0;
    folder := null;
    for found in
      select o.* from storage.objects as o
      where not is_descending and o.bucket_id = bucket
        and o.name collate "C" >= prefix and o.name collate "C" < prefix || top
        and o.name collate "C" > place
      order by o.name collate "C" limit case when is_descending then 0 else batch end
    loop
      exit when is_descending;
      read_rows := read_rows + 1;
      place := found.name;
      if delimiter <> '' then
        folder := storage.get_common_prefix(found.name, prefix, delimiter);
        exit when folder is not null;
      end if;
      name := found.name; is_folder := false; id := found.id; metadata := found.metadata;
      user_metadata := found.user_metadata; updated_at := found.updated_at;
      created_at := found.created_at; last_accessed_at := found.last_accessed_at;
      return next;
      most := most - 1;
      exit when most = 0;
    end loop;
    if is_descending then
      for found in
        select o.* from storage.objects as o
        where o.bucket_id = bucket
          and o.name collate "C" >= prefix and o.name collate "C" < prefix || top
          and o.name collate "C" < place
        order by o.name collate "C" desc limit batch
      loop
        read_rows := read_rows + 1;
        place := found.name;
        if delimiter <> '' then
          folder := storage.get_common_prefix(found.name, prefix, delimiter);
          exit when folder is not null;
        end if;
        name := found.name; is_folder := false; id := found.id; metadata := found.metadata;
        user_metadata := found.user_metadata; updated_at := found.updated_at;
        created_at := found.created_at; last_accessed_at := found.last_accessed_at;
        return next;
        most := most - 1;
        exit when most = 0;
      end loop;
    end if;
    exit when most = 0;
    if folder is null then
      exit when read_rows < batch;
      batch := least(batch * 4, 1000, most);
      continue;
    end if;
    path_behind := folder;
    name := null; id := null; metadata := null; user_metadata := null; updated_at := null;
    created_at := null; last_accessed_at := null; is_folder := true;
    for folder in
      with recursive run(path) as (
        select path_behind
        union all
        select left(further.path, base + further.at + length(delimiter) - 1) from run, lateral (
          select o.name as path, strpos(substr(o.name, base + 1), delimiter) as at
          from storage.objects as o
          where not is_descending and o.bucket_id = bucket
            and o.name collate "C" < prefix || top and o.name collate "C" > run.path || top
          order by o.name collate "C" limit 1
        ) as further where further.at > 0
      )
      select path from run where not is_descending limit most
    loop
      name := folder;
      return next;
      most := most - 1;
      place := folder || top;
    end loop;
    if is_descending then
      for folder in
        with recursive run(path) as (
          select path_behind
          union all
          select left(further.path, base + further.at + length(delimiter) - 1) from run, lateral (
            select o.name as path, strpos(substr(o.name, base + 1), delimiter) as at
            from storage.objects as o
            where o.bucket_id = bucket
              and o.name collate "C" >= prefix and o.name collate "C" < run.path
            order by o.name collate "C" desc limit 1
          ) as further where further.at > 0
        )
        select path from run limit most
      loop
        name := folder;
        return next;
        most := most - 1;
        place := folder;
      end loop;
    end if;
    batch := 2;
  end loop;
end
$$;

ALTER FUNCTION storage_compat.list_level(bucket text, prefix text, delimiter text, most integer, behind text, is_descending boolean) OWNER TO supabase_storage_admin;

CREATE FUNCTION storage_compat.record_garbage() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO ''
    AS $$
begin
  insert into storage_compat.garbage (version)
  select old.version where old.version is not null
  on conflict do nothing;
  return null;
end
$$;

ALTER FUNCTION storage_compat.record_garbage() OWNER TO supabase_storage_admin;

CREATE FUNCTION supabase_functions.http_request() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO ''
    AS $$
declare
  request bigint;
  url text := nullif(tg_argv[0], 'null');
  method text := upper(nullif(tg_argv[1], 'null'));
  headers jsonb := coalesce(
    nullif(tg_argv[2], 'null')::jsonb, '{"Content-Type": "application/json"}'
  );
  params jsonb := coalesce(nullif(tg_argv[3], 'null')::jsonb, '{}');
  timeout integer := coalesce(nullif(tg_argv[4], 'null')::integer, 1000);
begin
  if url is null then
    raise exception 'url argument is missing';
  end if;
  if method = 'GET' then
    request := net.http_get(url, params, headers, timeout);
  elsif method = 'POST' then
    request := net.http_post(
      url,
      jsonb_build_object(
        'type', tg_op,
        'table', tg_table_name,
        'schema', tg_table_schema,
        'record', case when tg_op = 'DELETE' then null else to_jsonb(new) end,
        'old_record', case when tg_op = 'INSERT' then null else to_jsonb(old) end
      ),
      params, headers, timeout
    );
  elsif method is null then
    raise exception 'method argument is missing';
  else
    raise exception 'method argument % is invalid', method;
  end if;
  insert into supabase_functions.hooks (hook_table_id, hook_name, request_id)
  values (tg_relid, tg_name, request);
  return coalesce(new, old);
end
$$;

ALTER FUNCTION supabase_functions.http_request() OWNER TO supabase_functions_admin;

COMMENT ON FUNCTION supabase_functions.http_request() IS 'Trigger: url, method (GET or POST), headers, params, timeout in milliseconds.';

CREATE TABLE auth.audit_log_entries (
    instance_id uuid,
    id uuid NOT NULL,
    payload json,
    created_at timestamp with time zone,
    ip_address character varying(64) DEFAULT ''::character varying NOT NULL
);

ALTER TABLE auth.audit_log_entries OWNER TO supabase_auth_admin;

COMMENT ON TABLE auth.audit_log_entries IS 'What was done to accounts, and by whom.';

CREATE TABLE auth.code_tries (
    subject uuid NOT NULL,
    tries integer NOT NULL,
    last_at timestamp with time zone DEFAULT now() NOT NULL
);

ALTER TABLE auth.code_tries OWNER TO supabase_auth_admin;

COMMENT ON TABLE auth.code_tries IS 'Tries of one-time codes: subject is a hash of the kind of code and whom it was sent to.';

CREATE TABLE auth.custom_oauth_providers (
    id uuid DEFAULT gen_random_uuid() NOT NULL,
    provider_type text NOT NULL,
    identifier text NOT NULL,
    name text NOT NULL,
    client_id text NOT NULL,
    client_secret text NOT NULL,
    acceptable_client_ids text[] DEFAULT '{}'::text[] NOT NULL,
    scopes text[] DEFAULT '{}'::text[] NOT NULL,
    pkce_enabled boolean DEFAULT true NOT NULL,
    attribute_mapping jsonb DEFAULT '{}'::jsonb NOT NULL,
    authorization_params jsonb DEFAULT '{}'::jsonb NOT NULL,
    enabled boolean DEFAULT true NOT NULL,
    email_optional boolean DEFAULT false NOT NULL,
    issuer text,
    discovery_url text,
    skip_nonce_check boolean DEFAULT false NOT NULL,
    cached_discovery jsonb,
    discovery_cached_at timestamp with time zone,
    authorization_url text,
    token_url text,
    userinfo_url text,
    jwks_uri text,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    updated_at timestamp with time zone DEFAULT now() NOT NULL,
    custom_claims_allowlist text[] DEFAULT '{}'::text[] NOT NULL,
    CONSTRAINT custom_oauth_providers_authorization_url_https CHECK (((authorization_url IS NULL) OR (authorization_url ~~ 'https://%'::text))),
    CONSTRAINT custom_oauth_providers_authorization_url_length CHECK (((authorization_url IS NULL) OR (char_length(authorization_url) <= 2048))),
    CONSTRAINT custom_oauth_providers_client_id_length CHECK (((char_length(client_id) >= 1) AND (char_length(client_id) <= 512))),
    CONSTRAINT custom_oauth_providers_discovery_url_length CHECK (((discovery_url IS NULL) OR (char_length(discovery_url) <= 2048))),
    CONSTRAINT custom_oauth_providers_identifier_format CHECK ((identifier ~ '^[a-z0-9][a-z0-9:-]{0,48}[a-z0-9]$'::text)),
    CONSTRAINT custom_oauth_providers_issuer_length CHECK (((issuer IS NULL) OR ((char_length(issuer) >= 1) AND (char_length(issuer) <= 2048)))),
    CONSTRAINT custom_oauth_providers_jwks_uri_https CHECK (((jwks_uri IS NULL) OR (jwks_uri ~~ 'https://%'::text))),
    CONSTRAINT custom_oauth_providers_jwks_uri_length CHECK (((jwks_uri IS NULL) OR (char_length(jwks_uri) <= 2048))),
    CONSTRAINT custom_oauth_providers_name_length CHECK (((char_length(name) >= 1) AND (char_length(name) <= 100))),
    CONSTRAINT custom_oauth_providers_oauth2_requires_endpoints CHECK (((provider_type <> 'oauth2'::text) OR ((authorization_url IS NOT NULL) AND (token_url IS NOT NULL) AND (userinfo_url IS NOT NULL)))),
    CONSTRAINT custom_oauth_providers_oidc_discovery_url_https CHECK (((provider_type <> 'oidc'::text) OR (discovery_url IS NULL) OR (discovery_url ~~ 'https://%'::text))),
    CONSTRAINT custom_oauth_providers_oidc_issuer_https CHECK (((provider_type <> 'oidc'::text) OR (issuer IS NULL) OR (issuer ~~ 'https://%'::text))),
    CONSTRAINT custom_oauth_providers_oidc_requires_issuer CHECK (((provider_type <> 'oidc'::text) OR (issuer IS NOT NULL))),
    CONSTRAINT custom_oauth_providers_provider_type_check CHECK ((provider_type = ANY (ARRAY['oauth2'::text, 'oidc'::text]))),
    CONSTRAINT custom_oauth_providers_token_url_https CHECK (((token_url IS NULL) OR (token_url ~~ 'https://%'::text))),
    CONSTRAINT custom_oauth_providers_token_url_length CHECK (((token_url IS NULL) OR (char_length(token_url) <= 2048))),
    CONSTRAINT custom_oauth_providers_userinfo_url_https CHECK (((userinfo_url IS NULL) OR (userinfo_url ~~ 'https://%'::text))),
    CONSTRAINT custom_oauth_providers_userinfo_url_length CHECK (((userinfo_url IS NULL) OR (char_length(userinfo_url) <= 2048)))
);

ALTER TABLE auth.custom_oauth_providers OWNER TO supabase_auth_admin;

COMMENT ON TABLE auth.custom_oauth_providers IS 'External OAuth 2 and OpenID Connect providers; client_secret is encrypted by the service.';

CREATE TABLE auth.flow_state (
    id uuid NOT NULL,
    user_id uuid,
    auth_code text,
    code_challenge_method auth.code_challenge_method,
    code_challenge text,
    provider_type text NOT NULL,
    provider_access_token text,
    provider_refresh_token text,
    created_at timestamp with time zone,
    updated_at timestamp with time zone,
    authentication_method text NOT NULL,
    auth_code_issued_at timestamp with time zone,
    invite_token text,
    referrer text,
    oauth_client_state_id uuid,
    linking_target_id uuid,
    email_optional boolean DEFAULT false NOT NULL
);

ALTER TABLE auth.flow_state OWNER TO supabase_auth_admin;

COMMENT ON TABLE auth.flow_state IS 'State of sign-ins that end at a redirect.';

CREATE TABLE auth.identities (
    provider_id text NOT NULL,
    user_id uuid NOT NULL,
    identity_data jsonb NOT NULL,
    provider text NOT NULL,
    last_sign_in_at timestamp with time zone,
    created_at timestamp with time zone,
    updated_at timestamp with time zone,
    email text GENERATED ALWAYS AS (lower((identity_data ->> 'email'::text))) STORED,
    id uuid DEFAULT gen_random_uuid() NOT NULL
);

ALTER TABLE auth.identities OWNER TO supabase_auth_admin;

COMMENT ON TABLE auth.identities IS 'The ways in which a user can prove who they are.';

COMMENT ON COLUMN auth.identities.email IS 'The e-mail address inside identity_data, lower-cased.';

CREATE TABLE auth.instances (
    id uuid NOT NULL,
    uuid uuid,
    raw_base_config text,
    created_at timestamp with time zone,
    updated_at timestamp with time zone
);

ALTER TABLE auth.instances OWNER TO supabase_auth_admin;

COMMENT ON TABLE auth.instances IS 'Unused; kept because tools expect it.';

CREATE TABLE auth.mfa_amr_claims (
    session_id uuid NOT NULL,
    created_at timestamp with time zone NOT NULL,
    updated_at timestamp with time zone NOT NULL,
    authentication_method text NOT NULL,
    id uuid NOT NULL
);

ALTER TABLE auth.mfa_amr_claims OWNER TO supabase_auth_admin;

COMMENT ON TABLE auth.mfa_amr_claims IS 'The methods that opened or strengthened each session.';

CREATE TABLE auth.mfa_challenges (
    id uuid NOT NULL,
    factor_id uuid NOT NULL,
    created_at timestamp with time zone NOT NULL,
    verified_at timestamp with time zone,
    ip_address inet NOT NULL,
    otp_code text,
    web_authn_session_data jsonb
);

ALTER TABLE auth.mfa_challenges OWNER TO supabase_auth_admin;

COMMENT ON TABLE auth.mfa_challenges IS 'Challenges that wait for a factor''s answer.';

CREATE TABLE auth.mfa_factors (
    id uuid NOT NULL,
    user_id uuid NOT NULL,
    friendly_name text,
    factor_type auth.factor_type NOT NULL,
    status auth.factor_status NOT NULL,
    created_at timestamp with time zone NOT NULL,
    updated_at timestamp with time zone NOT NULL,
    secret text,
    phone text,
    last_challenged_at timestamp with time zone,
    web_authn_credential jsonb,
    web_authn_aaguid uuid,
    last_webauthn_challenge_data jsonb
);

ALTER TABLE auth.mfa_factors OWNER TO supabase_auth_admin;

COMMENT ON TABLE auth.mfa_factors IS 'Second factors that users enrolled.';

COMMENT ON COLUMN auth.mfa_factors.last_webauthn_challenge_data IS 'The latest WebAuthn challenge with its answer, for whoever verifies it again.';

CREATE TABLE auth.oauth_authorizations (
    id uuid NOT NULL,
    authorization_id text NOT NULL,
    client_id uuid NOT NULL,
    user_id uuid,
    redirect_uri text NOT NULL,
    scope text NOT NULL,
    state text,
    resource text,
    code_challenge text,
    code_challenge_method auth.code_challenge_method,
    response_type auth.oauth_response_type DEFAULT 'code'::auth.oauth_response_type NOT NULL,
    status auth.oauth_authorization_status DEFAULT 'pending'::auth.oauth_authorization_status NOT NULL,
    authorization_code text,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    expires_at timestamp with time zone DEFAULT (now() + '00:03:00'::interval) NOT NULL,
    approved_at timestamp with time zone,
    nonce text,
    CONSTRAINT oauth_authorizations_authorization_code_length CHECK ((char_length(authorization_code) <= 255)),
    CONSTRAINT oauth_authorizations_code_challenge_length CHECK ((char_length(code_challenge) <= 128)),
    CONSTRAINT oauth_authorizations_expires_at_future CHECK ((expires_at > created_at)),
    CONSTRAINT oauth_authorizations_nonce_length CHECK ((char_length(nonce) <= 255)),
    CONSTRAINT oauth_authorizations_redirect_uri_length CHECK ((char_length(redirect_uri) <= 2048)),
    CONSTRAINT oauth_authorizations_resource_length CHECK ((char_length(resource) <= 2048)),
    CONSTRAINT oauth_authorizations_scope_length CHECK ((char_length(scope) <= 4096)),
    CONSTRAINT oauth_authorizations_state_length CHECK ((char_length(state) <= 4096))
);

ALTER TABLE auth.oauth_authorizations OWNER TO supabase_auth_admin;

COMMENT ON TABLE auth.oauth_authorizations IS 'Requests of clients for access, with their state.';

CREATE TABLE auth.oauth_client_states (
    id uuid NOT NULL,
    provider_type text NOT NULL,
    code_verifier text,
    created_at timestamp with time zone NOT NULL
);

ALTER TABLE auth.oauth_client_states OWNER TO supabase_auth_admin;

COMMENT ON TABLE auth.oauth_client_states IS 'State of sign-ins at an external provider.';

CREATE TABLE auth.oauth_clients (
    id uuid NOT NULL,
    client_secret_hash text,
    registration_type auth.oauth_registration_type NOT NULL,
    redirect_uris text NOT NULL,
    grant_types text NOT NULL,
    client_name text,
    client_uri text,
    logo_uri text,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    updated_at timestamp with time zone DEFAULT now() NOT NULL,
    deleted_at timestamp with time zone,
    client_type auth.oauth_client_type DEFAULT 'confidential'::auth.oauth_client_type NOT NULL,
    token_endpoint_auth_method text NOT NULL,
    CONSTRAINT oauth_clients_client_name_length CHECK ((char_length(client_name) <= 1024)),
    CONSTRAINT oauth_clients_client_uri_length CHECK ((char_length(client_uri) <= 2048)),
    CONSTRAINT oauth_clients_logo_uri_length CHECK ((char_length(logo_uri) <= 2048)),
    CONSTRAINT oauth_clients_token_endpoint_auth_method_check CHECK ((token_endpoint_auth_method = ANY (ARRAY['client_secret_basic'::text, 'client_secret_post'::text, 'none'::text])))
);

ALTER TABLE auth.oauth_clients OWNER TO supabase_auth_admin;

COMMENT ON TABLE auth.oauth_clients IS 'Applications that may ask users for access.';

CREATE TABLE auth.oauth_consents (
    id uuid NOT NULL,
    user_id uuid NOT NULL,
    client_id uuid NOT NULL,
    scopes text NOT NULL,
    granted_at timestamp with time zone DEFAULT now() NOT NULL,
    revoked_at timestamp with time zone,
    CONSTRAINT oauth_consents_revoked_after_granted CHECK (((revoked_at IS NULL) OR (revoked_at >= granted_at))),
    CONSTRAINT oauth_consents_scopes_length CHECK ((char_length(scopes) <= 2048)),
    CONSTRAINT oauth_consents_scopes_not_empty CHECK ((char_length(TRIM(BOTH FROM scopes)) > 0))
);

ALTER TABLE auth.oauth_consents OWNER TO supabase_auth_admin;

COMMENT ON TABLE auth.oauth_consents IS 'What each user lets each client do.';

CREATE TABLE auth.one_time_tokens (
    id uuid NOT NULL,
    user_id uuid NOT NULL,
    token_type auth.one_time_token_type NOT NULL,
    token_hash text NOT NULL,
    relates_to text NOT NULL,
    created_at timestamp without time zone DEFAULT now() NOT NULL,
    updated_at timestamp without time zone DEFAULT now() NOT NULL,
    CONSTRAINT one_time_tokens_token_hash_check CHECK ((char_length(token_hash) > 0))
);

ALTER TABLE auth.one_time_tokens OWNER TO supabase_auth_admin;

COMMENT ON TABLE auth.one_time_tokens IS 'Hashes of the tokens that mails and messages carry.';

CREATE UNLOGGED TABLE auth.rate_limits (
    key uuid NOT NULL,
    full_at timestamp with time zone NOT NULL
);

ALTER TABLE auth.rate_limits OWNER TO supabase_auth_admin;

COMMENT ON TABLE auth.rate_limits IS 'Token buckets: key is a hash of the limit and whom it limits, full_at when it holds its burst again.';

CREATE TABLE auth.refresh_tokens (
    instance_id uuid,
    id bigint NOT NULL,
    token character varying(255),
    user_id character varying(255),
    revoked boolean,
    created_at timestamp with time zone,
    updated_at timestamp with time zone,
    parent character varying(255),
    session_id uuid
);

ALTER TABLE auth.refresh_tokens OWNER TO supabase_auth_admin;

COMMENT ON TABLE auth.refresh_tokens IS 'Refresh tokens (version 1), a chain per session.';

CREATE SEQUENCE auth.refresh_tokens_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;

ALTER SEQUENCE auth.refresh_tokens_id_seq OWNER TO supabase_auth_admin;

ALTER SEQUENCE auth.refresh_tokens_id_seq OWNED BY auth.refresh_tokens.id;

CREATE TABLE auth.saml_providers (
    id uuid NOT NULL,
    sso_provider_id uuid NOT NULL,
    entity_id text NOT NULL,
    metadata_xml text NOT NULL,
    metadata_url text,
    attribute_mapping jsonb,
    created_at timestamp with time zone,
    updated_at timestamp with time zone,
    name_id_format text,
    CONSTRAINT "entity_id not empty" CHECK ((char_length(entity_id) > 0)),
    CONSTRAINT "metadata_url not empty" CHECK (((metadata_url = NULL::text) OR (char_length(metadata_url) > 0))),
    CONSTRAINT "metadata_xml not empty" CHECK ((char_length(metadata_xml) > 0))
);

ALTER TABLE auth.saml_providers OWNER TO supabase_auth_admin;

COMMENT ON TABLE auth.saml_providers IS 'SAML 2.0 identity providers.';

CREATE TABLE auth.saml_relay_states (
    id uuid NOT NULL,
    sso_provider_id uuid NOT NULL,
    request_id text NOT NULL,
    for_email text,
    redirect_to text,
    created_at timestamp with time zone,
    updated_at timestamp with time zone,
    flow_state_id uuid,
    CONSTRAINT "request_id not empty" CHECK ((char_length(request_id) > 0))
);

ALTER TABLE auth.saml_relay_states OWNER TO supabase_auth_admin;

COMMENT ON TABLE auth.saml_relay_states IS 'SAML sign-ins that have been started.';

CREATE TABLE auth.schema_migrations (
    version character varying(14) NOT NULL
);

ALTER TABLE auth.schema_migrations OWNER TO supabase_auth_admin;

COMMENT ON TABLE auth.schema_migrations IS 'The original''s migrations whose effect is present.';

CREATE TABLE auth.sessions (
    id uuid NOT NULL,
    user_id uuid NOT NULL,
    created_at timestamp with time zone,
    updated_at timestamp with time zone,
    factor_id uuid,
    aal auth.aal_level,
    not_after timestamp with time zone,
    refreshed_at timestamp without time zone,
    user_agent text,
    ip inet,
    tag text,
    oauth_client_id uuid,
    refresh_token_hmac_key text,
    refresh_token_counter bigint,
    scopes text,
    CONSTRAINT sessions_scopes_length CHECK ((char_length(scopes) <= 4096))
);

ALTER TABLE auth.sessions OWNER TO supabase_auth_admin;

COMMENT ON TABLE auth.sessions IS 'One row per sign-in that has not ended.';

COMMENT ON COLUMN auth.sessions.not_after IS 'From this moment on the session counts as expired.';

COMMENT ON COLUMN auth.sessions.refreshed_at IS 'UTC, although the type carries no zone.';

COMMENT ON COLUMN auth.sessions.refresh_token_hmac_key IS 'Key that signs the refresh tokens (version 2) of this session.';

COMMENT ON COLUMN auth.sessions.refresh_token_counter IS 'Number of the refresh token (version 2) that was issued last.';

CREATE TABLE auth.sso_domains (
    id uuid NOT NULL,
    sso_provider_id uuid NOT NULL,
    domain text NOT NULL,
    created_at timestamp with time zone,
    updated_at timestamp with time zone,
    CONSTRAINT "domain not empty" CHECK ((char_length(domain) > 0))
);

ALTER TABLE auth.sso_domains OWNER TO supabase_auth_admin;

COMMENT ON TABLE auth.sso_domains IS 'Which e-mail domains belong to which provider.';

CREATE TABLE auth.sso_providers (
    id uuid NOT NULL,
    resource_id text,
    created_at timestamp with time zone,
    updated_at timestamp with time zone,
    disabled boolean,
    CONSTRAINT "resource_id not empty" CHECK (((resource_id = NULL::text) OR (char_length(resource_id) > 0)))
);

ALTER TABLE auth.sso_providers OWNER TO supabase_auth_admin;

COMMENT ON TABLE auth.sso_providers IS 'Single sign-on providers; saml_providers has the details.';

COMMENT ON COLUMN auth.sso_providers.resource_id IS 'A name that an operator chose, unique whatever its letters'' case.';

CREATE TABLE auth.users (
    instance_id uuid,
    id uuid NOT NULL,
    aud character varying(255),
    role character varying(255),
    email character varying(255),
    encrypted_password character varying(255),
    email_confirmed_at timestamp with time zone,
    invited_at timestamp with time zone,
    confirmation_token character varying(255),
    confirmation_sent_at timestamp with time zone,
    recovery_token character varying(255),
    recovery_sent_at timestamp with time zone,
    email_change_token_new character varying(255),
    email_change character varying(255),
    email_change_sent_at timestamp with time zone,
    last_sign_in_at timestamp with time zone,
    raw_app_meta_data jsonb,
    raw_user_meta_data jsonb,
    is_super_admin boolean,
    created_at timestamp with time zone,
    updated_at timestamp with time zone,
    phone text,
    phone_confirmed_at timestamp with time zone,
    phone_change text DEFAULT ''::text,
    phone_change_token character varying(255) DEFAULT ''::character varying,
    phone_change_sent_at timestamp with time zone,
    confirmed_at timestamp with time zone GENERATED ALWAYS AS (LEAST(email_confirmed_at, phone_confirmed_at)) STORED,
    email_change_token_current character varying(255) DEFAULT ''::character varying,
    email_change_confirm_status smallint DEFAULT 0,
    banned_until timestamp with time zone,
    reauthentication_token character varying(255) DEFAULT ''::character varying,
    reauthentication_sent_at timestamp with time zone,
    is_sso_user boolean DEFAULT false NOT NULL,
    deleted_at timestamp with time zone,
    is_anonymous boolean DEFAULT false NOT NULL,
    CONSTRAINT users_email_change_confirm_status_check CHECK (((email_change_confirm_status >= 0) AND (email_change_confirm_status <= 2)))
);

ALTER TABLE auth.users OWNER TO supabase_auth_admin;

COMMENT ON TABLE auth.users IS 'One row per person or anonymous visitor who can hold a session.';

COMMENT ON COLUMN auth.users.is_sso_user IS 'True for accounts of a single sign-on provider, which alone may share an e-mail address.';

CREATE TABLE auth.webauthn_challenges (
    id uuid DEFAULT gen_random_uuid() NOT NULL,
    user_id uuid,
    challenge_type text NOT NULL,
    session_data jsonb NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    expires_at timestamp with time zone NOT NULL,
    CONSTRAINT webauthn_challenges_challenge_type_check CHECK ((challenge_type = ANY (ARRAY['signup'::text, 'registration'::text, 'authentication'::text])))
);

ALTER TABLE auth.webauthn_challenges OWNER TO supabase_auth_admin;

COMMENT ON TABLE auth.webauthn_challenges IS 'Passkey ceremonies that have been started.';

CREATE TABLE auth.webauthn_credentials (
    id uuid DEFAULT gen_random_uuid() NOT NULL,
    user_id uuid NOT NULL,
    credential_id bytea NOT NULL,
    public_key bytea NOT NULL,
    attestation_type text DEFAULT ''::text NOT NULL,
    aaguid uuid,
    sign_count bigint DEFAULT 0 NOT NULL,
    transports jsonb DEFAULT '[]'::jsonb NOT NULL,
    backup_eligible boolean DEFAULT false NOT NULL,
    backed_up boolean DEFAULT false NOT NULL,
    friendly_name text DEFAULT ''::text NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    updated_at timestamp with time zone DEFAULT now() NOT NULL,
    last_used_at timestamp with time zone
);

ALTER TABLE auth.webauthn_credentials OWNER TO supabase_auth_admin;

COMMENT ON TABLE auth.webauthn_credentials IS 'Passkeys that users registered.';

CREATE TABLE planes.ajustes (
    persona_id uuid NOT NULL,
    zona text DEFAULT 'Europe/Madrid'::text NOT NULL,
    dia_antes boolean DEFAULT true NOT NULL,
    dia_antes_a time(0) without time zone DEFAULT '19:00:00'::time without time zone NOT NULL,
    hora_antes boolean DEFAULT true NOT NULL,
    correo boolean DEFAULT false NOT NULL,
    ficha text DEFAULT replace(((gen_random_uuid())::text || (gen_random_uuid())::text), '-'::text, ''::text) NOT NULL,
    CONSTRAINT ajustes_dia_antes_a_check CHECK ((dia_antes_a < '24:00:00'::time without time zone))
);

ALTER TABLE planes.ajustes OWNER TO postgres;

COMMENT ON TABLE planes.ajustes IS 'Settings of a person''s reminders, made with the first device.';

COMMENT ON COLUMN planes.ajustes.zona IS 'The time zone of the device that was registered last.';

COMMENT ON COLUMN planes.ajustes.dia_antes_a IS 'The hour of the day before, in the zone.';

COMMENT ON COLUMN planes.ajustes.correo IS 'Whether reminders come by mail too.';

COMMENT ON COLUMN planes.ajustes.ficha IS 'A token that can end the mails, and nothing else.';

CREATE TABLE planes.comentarios_borrados (
    id uuid NOT NULL,
    actividad_id uuid NOT NULL,
    autor_id uuid NOT NULL,
    comentario jsonb NOT NULL,
    borrado_en timestamp with time zone DEFAULT now() NOT NULL
);

ALTER TABLE planes.comentarios_borrados OWNER TO postgres;

COMMENT ON TABLE planes.comentarios_borrados IS 'Deleted comments, which their authors can restore for an hour; the next deletion removes older ones.';

CREATE TABLE planes.papelera (
    actividad_id uuid NOT NULL,
    creador_id uuid NOT NULL,
    plan jsonb NOT NULL,
    historial jsonb NOT NULL,
    borrado_en timestamp with time zone DEFAULT now() NOT NULL,
    comentarios jsonb DEFAULT '[]'::jsonb NOT NULL,
    reacciones jsonb DEFAULT '[]'::jsonb NOT NULL,
    pagos jsonb DEFAULT '[]'::jsonb NOT NULL
);

ALTER TABLE planes.papelera OWNER TO postgres;

COMMENT ON TABLE planes.papelera IS 'Deleted plans with their history, thirty days, for their creator.';

CREATE TABLE public.apetencias (
    idea_id uuid NOT NULL,
    persona_id uuid NOT NULL,
    creador_id uuid NOT NULL
);
ALTER TABLE ONLY public.apetencias ALTER COLUMN idea_id SET STATISTICS 0;
ALTER TABLE ONLY public.apetencias ALTER COLUMN persona_id SET STATISTICS 0;
ALTER TABLE ONLY public.apetencias ALTER COLUMN creador_id SET STATISTICS 0;

ALTER TABLE ONLY public.apetencias REPLICA IDENTITY FULL;

ALTER TABLE public.apetencias OWNER TO postgres;

COMMENT ON TABLE public.apetencias IS 'Who likes which idea.';

COMMENT ON COLUMN public.apetencias.creador_id IS 'The idea''s creator.';

CREATE TABLE public.calendarios (
    pareja_id uuid NOT NULL,
    secreto text NOT NULL,
    huella bytea GENERATED ALWAYS AS (sha256(decode(secreto, 'hex'::text))) STORED NOT NULL,
    creado_en timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT calendarios_secreto_check CHECK ((secreto ~ '^[0-9a-f]{64}$'::text))
);

ALTER TABLE public.calendarios OWNER TO postgres;

COMMENT ON TABLE public.calendarios IS 'Secret calendar addresses. Reached through functions only.';

COMMENT ON COLUMN public.calendarios.huella IS 'SHA-256 of the secret, by which it is looked up: the time a look-up takes tells nothing of it.';

CREATE TABLE public.comentarios (
    id uuid NOT NULL,
    actividad_id uuid NOT NULL,
    autor_id uuid NOT NULL,
    texto text NOT NULL,
    motivo boolean DEFAULT false NOT NULL,
    creado_en timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT comentarios_texto_check CHECK ((((char_length(planes.recortado(texto)) >= 1) AND (char_length(planes.recortado(texto)) <= 1000)) AND (char_length(texto) <= 2000) AND (texto = planes.legible(texto, true)) AND planes.se_ve(texto)))
);
ALTER TABLE ONLY public.comentarios ALTER COLUMN id SET STATISTICS 0;
ALTER TABLE ONLY public.comentarios ALTER COLUMN actividad_id SET STATISTICS 0;
ALTER TABLE ONLY public.comentarios ALTER COLUMN autor_id SET STATISTICS 0;
ALTER TABLE ONLY public.comentarios ALTER COLUMN texto SET STATISTICS 0;
ALTER TABLE ONLY public.comentarios ALTER COLUMN motivo SET STATISTICS 0;
ALTER TABLE ONLY public.comentarios ALTER COLUMN creado_en SET STATISTICS 0;

ALTER TABLE ONLY public.comentarios REPLICA IDENTITY FULL;

ALTER TABLE public.comentarios OWNER TO postgres;

COMMENT ON TABLE public.comentarios IS 'Comments on plans. Their ids are chosen by the client.';

COMMENT ON COLUMN public.comentarios.texto IS '1 to 1000 characters, blanks around them not counted; no control characters but line breaks.';

COMMENT ON COLUMN public.comentarios.motivo IS 'Whether it says why the plan was rejected.';

CREATE TABLE public.fechas_especiales (
    id uuid NOT NULL,
    pareja_id uuid NOT NULL,
    titulo text NOT NULL,
    fecha date NOT NULL,
    cada_ano boolean DEFAULT true NOT NULL,
    CONSTRAINT fechas_especiales_fecha_check CHECK (((fecha >= '0001-01-01'::date) AND (fecha <= '9999-12-31'::date))),
    CONSTRAINT fechas_especiales_titulo_check CHECK ((((char_length(planes.recortado(titulo)) >= 1) AND (char_length(planes.recortado(titulo)) <= 60)) AND (char_length(titulo) <= 240) AND (titulo = planes.legible(titulo)) AND planes.se_ve(titulo)))
);
ALTER TABLE ONLY public.fechas_especiales ALTER COLUMN id SET STATISTICS 0;
ALTER TABLE ONLY public.fechas_especiales ALTER COLUMN pareja_id SET STATISTICS 0;
ALTER TABLE ONLY public.fechas_especiales ALTER COLUMN titulo SET STATISTICS 0;
ALTER TABLE ONLY public.fechas_especiales ALTER COLUMN fecha SET STATISTICS 0;
ALTER TABLE ONLY public.fechas_especiales ALTER COLUMN cada_ano SET STATISTICS 0;

ALTER TABLE ONLY public.fechas_especiales REPLICA IDENTITY FULL;

ALTER TABLE public.fechas_especiales OWNER TO postgres;

COMMENT ON TABLE public.fechas_especiales IS 'Special days of a couple (anniversaries), 20 at most.';

COMMENT ON COLUMN public.fechas_especiales.titulo IS '1 to 60 characters, blanks around them not counted, no control characters.';

COMMENT ON COLUMN public.fechas_especiales.cada_ano IS 'Whether it comes every year; 29 February on the 28th where there is none.';

CREATE TABLE public.historial (
    id bigint NOT NULL,
    actividad_id uuid NOT NULL,
    persona_id uuid,
    que text NOT NULL,
    cambios jsonb,
    en timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT historial_que_check CHECK ((que = ANY (ARRAY['propuesto'::text, 'editado'::text, 'aceptado'::text, 'rechazado'::text, 'pendiente'::text, 'recuperado'::text])))
);
ALTER TABLE ONLY public.historial ALTER COLUMN id SET STATISTICS 0;
ALTER TABLE ONLY public.historial ALTER COLUMN actividad_id SET STATISTICS 0;
ALTER TABLE ONLY public.historial ALTER COLUMN persona_id SET STATISTICS 0;
ALTER TABLE ONLY public.historial ALTER COLUMN que SET STATISTICS 0;
ALTER TABLE ONLY public.historial ALTER COLUMN cambios SET STATISTICS 0;
ALTER TABLE ONLY public.historial ALTER COLUMN en SET STATISTICS 0;

ALTER TABLE public.historial OWNER TO postgres;

COMMENT ON TABLE public.historial IS 'What happened to a plan, for whoever sees the plan. Written by triggers alone.';

COMMENT ON COLUMN public.historial.que IS 'A new state, or propuesto, editado, recuperado; pendiente where an acceptance was removed.';

COMMENT ON COLUMN public.historial.cambios IS 'Of an edit: {column: [before, after]}.';

ALTER TABLE public.historial ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME public.historial_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE TABLE public.lecturas (
    actividad_id uuid NOT NULL,
    persona_id uuid NOT NULL,
    visto_en timestamp with time zone DEFAULT now() NOT NULL
);
ALTER TABLE ONLY public.lecturas ALTER COLUMN actividad_id SET STATISTICS 0;
ALTER TABLE ONLY public.lecturas ALTER COLUMN persona_id SET STATISTICS 0;
ALTER TABLE ONLY public.lecturas ALTER COLUMN visto_en SET STATISTICS 0;

ALTER TABLE public.lecturas OWNER TO postgres;

COMMENT ON TABLE public.lecturas IS 'Until when a person has read the comments on a plan.';

CREATE TABLE public.liquidaciones (
    id uuid NOT NULL,
    pareja_id uuid NOT NULL,
    mes text NOT NULL,
    de uuid NOT NULL,
    a uuid NOT NULL,
    importe numeric(14,2) NOT NULL,
    creado_en timestamp with time zone DEFAULT now() NOT NULL,
    anulada_en timestamp with time zone,
    CONSTRAINT liquidaciones_importe_check CHECK (((importe > (0)::numeric) AND (importe <> 'NaN'::numeric))),
    CONSTRAINT liquidaciones_mes_check CHECK ((mes ~ '^\d{4}-(0[1-9]|1[0-2])$'::text))
);
ALTER TABLE ONLY public.liquidaciones ALTER COLUMN id SET STATISTICS 0;
ALTER TABLE ONLY public.liquidaciones ALTER COLUMN pareja_id SET STATISTICS 0;
ALTER TABLE ONLY public.liquidaciones ALTER COLUMN mes SET STATISTICS 0;
ALTER TABLE ONLY public.liquidaciones ALTER COLUMN de SET STATISTICS 0;
ALTER TABLE ONLY public.liquidaciones ALTER COLUMN a SET STATISTICS 0;
ALTER TABLE ONLY public.liquidaciones ALTER COLUMN importe SET STATISTICS 0;
ALTER TABLE ONLY public.liquidaciones ALTER COLUMN creado_en SET STATISTICS 0;
ALTER TABLE ONLY public.liquidaciones ALTER COLUMN anulada_en SET STATISTICS 0;

ALTER TABLE ONLY public.liquidaciones REPLICA IDENTITY FULL;

ALTER TABLE public.liquidaciones OWNER TO postgres;

COMMENT ON TABLE public.liquidaciones IS 'Months that a couple has settled. Until a settlement is annulled, the month''s payments cannot change.';

COMMENT ON COLUMN public.liquidaciones.mes IS 'YYYY-MM.';

COMMENT ON COLUMN public.liquidaciones.de IS 'The debtor.';

COMMENT ON COLUMN public.liquidaciones.a IS 'The creditor.';

COMMENT ON COLUMN public.liquidaciones.importe IS 'Euros.';

CREATE TABLE public.pagos (
    id uuid NOT NULL,
    actividad_id uuid NOT NULL,
    pagado_por uuid NOT NULL,
    importe numeric(12,2) NOT NULL,
    parte smallint DEFAULT 50 NOT NULL,
    anotado_por uuid,
    creado_en timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT pagos_importe_check CHECK (((importe > (0)::numeric) AND (importe <> 'NaN'::numeric))),
    CONSTRAINT pagos_parte_check CHECK (((parte >= 0) AND (parte <= 100)))
);
ALTER TABLE ONLY public.pagos ALTER COLUMN id SET STATISTICS 0;
ALTER TABLE ONLY public.pagos ALTER COLUMN actividad_id SET STATISTICS 0;
ALTER TABLE ONLY public.pagos ALTER COLUMN pagado_por SET STATISTICS 0;
ALTER TABLE ONLY public.pagos ALTER COLUMN importe SET STATISTICS 0;
ALTER TABLE ONLY public.pagos ALTER COLUMN parte SET STATISTICS 0;
ALTER TABLE ONLY public.pagos ALTER COLUMN anotado_por SET STATISTICS 0;
ALTER TABLE ONLY public.pagos ALTER COLUMN creado_en SET STATISTICS 0;

ALTER TABLE ONLY public.pagos REPLICA IDENTITY FULL;

ALTER TABLE public.pagos OWNER TO postgres;

COMMENT ON TABLE public.pagos IS 'Payments for accepted plans, 20 a plan. Their ids are chosen by the client.';

COMMENT ON COLUMN public.pagos.importe IS 'Euros.';

COMMENT ON COLUMN public.pagos.parte IS 'The payer''s own share in percent; the rest is the partner''s.';

COMMENT ON COLUMN public.pagos.anotado_por IS 'Who changed it last.';

CREATE TABLE public.profiles (
    id uuid NOT NULL,
    nombre text NOT NULL,
    pareja_id uuid,
    CONSTRAINT profiles_nombre_check CHECK (((char_length(planes.recortado(nombre)) >= 1) AND (char_length(nombre) <= 60) AND (nombre = planes.legible(nombre)) AND planes.se_ve(nombre)))
);
ALTER TABLE ONLY public.profiles ALTER COLUMN id SET STATISTICS 0;
ALTER TABLE ONLY public.profiles ALTER COLUMN nombre SET STATISTICS 0;
ALTER TABLE ONLY public.profiles ALTER COLUMN pareja_id SET STATISTICS 0;

ALTER TABLE ONLY public.profiles REPLICA IDENTITY FULL;

ALTER TABLE public.profiles OWNER TO postgres;

COMMENT ON TABLE public.profiles IS 'One row per user, made together with the user.';

COMMENT ON COLUMN public.profiles.nombre IS 'Display name, one line of 1 to 60 characters.';

COMMENT ON COLUMN public.profiles.pareja_id IS 'The couple; null while unpaired.';

CREATE TABLE public.reacciones (
    actividad_id uuid NOT NULL,
    persona_id uuid NOT NULL,
    cual text NOT NULL,
    CONSTRAINT reacciones_cual_check CHECK ((cual = ANY (ARRAY['me_encanta'::text, 'que_ganas'::text, 'que_risa'::text, 'de_acuerdo'::text, 'no_lo_se'::text, 'que_pena'::text])))
);
ALTER TABLE ONLY public.reacciones ALTER COLUMN actividad_id SET STATISTICS 0;
ALTER TABLE ONLY public.reacciones ALTER COLUMN persona_id SET STATISTICS 0;
ALTER TABLE ONLY public.reacciones ALTER COLUMN cual SET STATISTICS 0;

ALTER TABLE ONLY public.reacciones REPLICA IDENTITY FULL;

ALTER TABLE public.reacciones OWNER TO postgres;

COMMENT ON TABLE public.reacciones IS 'One reaction a person to a plan.';

CREATE TABLE public.recuerdos (
    id uuid NOT NULL,
    actividad_id uuid NOT NULL,
    pareja_id uuid NOT NULL,
    autor_id uuid NOT NULL,
    ruta text GENERATED ALWAYS AS ((((pareja_id)::text || '/'::text) || (id)::text)) STORED NOT NULL,
    miniatura text GENERATED ALWAYS AS (((((pareja_id)::text || '/'::text) || (id)::text) || '.320'::text)) STORED NOT NULL,
    ancho integer NOT NULL,
    alto integer NOT NULL,
    bytes integer NOT NULL,
    texto text,
    subido_en timestamp with time zone,
    creado_en timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT recuerdos_alto_check CHECK (((alto >= 1) AND (alto <= 4096))),
    CONSTRAINT recuerdos_ancho_check CHECK (((ancho >= 1) AND (ancho <= 4096))),
    CONSTRAINT recuerdos_bytes_check CHECK (((bytes >= 1) AND (bytes <= 6291456))),
    CONSTRAINT recuerdos_texto_check CHECK ((((char_length(planes.recortado(texto)) >= 1) AND (char_length(planes.recortado(texto)) <= 200)) AND (char_length(texto) <= 800) AND (texto = planes.legible(texto)) AND planes.se_ve(texto)))
);
ALTER TABLE ONLY public.recuerdos ALTER COLUMN id SET STATISTICS 0;
ALTER TABLE ONLY public.recuerdos ALTER COLUMN actividad_id SET STATISTICS 0;
ALTER TABLE ONLY public.recuerdos ALTER COLUMN pareja_id SET STATISTICS 0;
ALTER TABLE ONLY public.recuerdos ALTER COLUMN autor_id SET STATISTICS 0;
ALTER TABLE ONLY public.recuerdos ALTER COLUMN ruta SET STATISTICS 0;
ALTER TABLE ONLY public.recuerdos ALTER COLUMN miniatura SET STATISTICS 0;
ALTER TABLE ONLY public.recuerdos ALTER COLUMN ancho SET STATISTICS 0;
ALTER TABLE ONLY public.recuerdos ALTER COLUMN alto SET STATISTICS 0;
ALTER TABLE ONLY public.recuerdos ALTER COLUMN bytes SET STATISTICS 0;
ALTER TABLE ONLY public.recuerdos ALTER COLUMN texto SET STATISTICS 0;
ALTER TABLE ONLY public.recuerdos ALTER COLUMN subido_en SET STATISTICS 0;
ALTER TABLE ONLY public.recuerdos ALTER COLUMN creado_en SET STATISTICS 0;

ALTER TABLE ONLY public.recuerdos REPLICA IDENTITY FULL;

ALTER TABLE public.recuerdos OWNER TO postgres;

COMMENT ON TABLE public.recuerdos IS 'Photos of a couple''s plans, 30 a plan and 500 MB a couple. Their ids are chosen by the client.';

COMMENT ON COLUMN public.recuerdos.pareja_id IS 'The couple that it belongs to, for ever. No foreign key: whoever took a photo keeps it when the other''s account is deleted.';

COMMENT ON COLUMN public.recuerdos.ruta IS 'The path of its file in the bucket recuerdos, in the couple''s folder.';

COMMENT ON COLUMN public.recuerdos.miniatura IS 'The path of its thumbnail of at most 320 pixels.';

COMMENT ON COLUMN public.recuerdos.bytes IS 'The size of both files; before the upload the announced size.';

COMMENT ON COLUMN public.recuerdos.texto IS 'Its author''s caption, at most 200 characters.';

COMMENT ON COLUMN public.recuerdos.subido_en IS 'When both files were uploaded; null before.';

CREATE TABLE realtime.guarded_tables (
    entity regclass NOT NULL
);

ALTER TABLE realtime.guarded_tables OWNER TO supabase_realtime_admin;

COMMENT ON TABLE realtime.guarded_tables IS 'Tables whose deletes are sent only to those who could see the row; see realtime.guard_deletes.';

CREATE TABLE realtime.messages (
    topic text NOT NULL,
    extension text NOT NULL,
    payload jsonb,
    event text,
    private boolean DEFAULT false,
    updated_at timestamp without time zone DEFAULT timezone('utc'::text, now()) NOT NULL,
    inserted_at timestamp without time zone DEFAULT timezone('utc'::text, now()) NOT NULL,
    id uuid DEFAULT gen_random_uuid() NOT NULL,
    binary_payload bytea,
    CONSTRAINT messages_payload_exclusive CHECK (((payload IS NULL) OR (binary_payload IS NULL)))
)
PARTITION BY RANGE (inserted_at);

ALTER TABLE realtime.messages OWNER TO supabase_realtime_admin;

COMMENT ON TABLE realtime.messages IS 'Broadcasts from the database, kept for 72 hours. Its policies decide who may read (select) and write (insert) a private channel, whose name is realtime.topic().';

CREATE TABLE realtime.subscription (
    id bigint NOT NULL,
    subscription_id uuid NOT NULL,
    entity regclass NOT NULL,
    filters realtime.user_defined_filter[] DEFAULT '{}'::realtime.user_defined_filter[] NOT NULL,
    claims jsonb NOT NULL,
    claims_role regrole GENERATED ALWAYS AS (realtime.to_regrole((claims ->> 'role'::text))) STORED NOT NULL,
    created_at timestamp without time zone DEFAULT timezone('utc'::text, now()) NOT NULL,
    action_filter text DEFAULT '*'::text,
    selected_columns text[],
    CONSTRAINT subscription_action_filter_check CHECK ((action_filter = ANY (ARRAY['*'::text, 'INSERT'::text, 'UPDATE'::text, 'DELETE'::text])))
);

ALTER TABLE realtime.subscription OWNER TO supabase_realtime_admin;

COMMENT ON TABLE realtime.subscription IS 'The changes that connected clients subscribed to.';

ALTER TABLE realtime.subscription ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME realtime.subscription_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

ALTER TABLE recados.cola ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME recados.cola_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE TABLE recados.tareas (
    nombre text NOT NULL,
    funcion regprocedure NOT NULL,
    cada interval NOT NULL,
    ultima timestamp with time zone,
    fallo text,
    CONSTRAINT tareas_cada_check CHECK ((cada >= '00:00:01'::interval))
);

ALTER TABLE recados.tareas OWNER TO postgres;

COMMENT ON TABLE recados.tareas IS 'Functions without arguments that the job service calls in turn.';

COMMENT ON COLUMN recados.tareas.ultima IS 'When it was last called.';

COMMENT ON COLUMN recados.tareas.fallo IS 'The error of the last call; null where it succeeded.';

CREATE TABLE storage.buckets (
    id text NOT NULL,
    name text NOT NULL,
    owner uuid,
    created_at timestamp with time zone DEFAULT now(),
    updated_at timestamp with time zone DEFAULT now(),
    public boolean DEFAULT false,
    avif_autodetection boolean DEFAULT false,
    file_size_limit bigint,
    allowed_mime_types text[],
    owner_id text,
    type storage.buckettype DEFAULT 'STANDARD'::storage.buckettype NOT NULL,
    versioning_status text DEFAULT 'DISABLED'::text NOT NULL,
    CONSTRAINT buckets_versioning_dark_check CHECK ((versioning_status = 'DISABLED'::text)),
    CONSTRAINT buckets_versioning_standard_only_check CHECK (((type = 'STANDARD'::storage.buckettype) OR (versioning_status = 'DISABLED'::text))),
    CONSTRAINT buckets_versioning_status_check CHECK ((versioning_status = ANY (ARRAY['DISABLED'::text, 'ENABLED'::text, 'SUSPENDED'::text])))
);

ALTER TABLE storage.buckets OWNER TO supabase_storage_admin;

COMMENT ON COLUMN storage.buckets.owner IS 'Deprecated: owner_id holds every owner, this one UUIDs only';

CREATE TABLE storage.buckets_analytics (
    name text NOT NULL,
    type storage.buckettype DEFAULT 'ANALYTICS'::storage.buckettype NOT NULL,
    format text DEFAULT 'ICEBERG'::text NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    updated_at timestamp with time zone DEFAULT now() NOT NULL,
    id uuid DEFAULT gen_random_uuid() NOT NULL,
    deleted_at timestamp with time zone
);

ALTER TABLE storage.buckets_analytics OWNER TO supabase_storage_admin;

CREATE TABLE storage.buckets_vectors (
    id text NOT NULL,
    type storage.buckettype DEFAULT 'VECTOR'::storage.buckettype NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    updated_at timestamp with time zone DEFAULT now() NOT NULL
);

ALTER TABLE storage.buckets_vectors OWNER TO supabase_storage_admin;

CREATE TABLE storage.iceberg_namespaces (
    id uuid DEFAULT gen_random_uuid() NOT NULL,
    bucket_name text NOT NULL,
    name text NOT NULL COLLATE pg_catalog."C",
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    updated_at timestamp with time zone DEFAULT now() NOT NULL,
    metadata jsonb DEFAULT '{}'::jsonb NOT NULL,
    catalog_id uuid NOT NULL
);

ALTER TABLE storage.iceberg_namespaces OWNER TO supabase_storage_admin;

CREATE TABLE storage.iceberg_tables (
    id uuid DEFAULT gen_random_uuid() NOT NULL,
    namespace_id uuid NOT NULL,
    bucket_name text NOT NULL,
    name text NOT NULL COLLATE pg_catalog."C",
    location text NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    updated_at timestamp with time zone DEFAULT now() NOT NULL,
    remote_table_id text,
    shard_key text,
    shard_id text,
    catalog_id uuid NOT NULL
);

ALTER TABLE storage.iceberg_tables OWNER TO supabase_storage_admin;

CREATE TABLE storage.migrations (
    id integer NOT NULL,
    name character varying(100) NOT NULL,
    hash character varying(40) NOT NULL,
    executed_at timestamp without time zone DEFAULT CURRENT_TIMESTAMP
);

ALTER TABLE storage.migrations OWNER TO supabase_storage_admin;

CREATE TABLE storage.objects (
    id uuid DEFAULT gen_random_uuid() NOT NULL,
    bucket_id text,
    name text,
    owner uuid,
    created_at timestamp with time zone DEFAULT now(),
    updated_at timestamp with time zone DEFAULT now(),
    last_accessed_at timestamp with time zone DEFAULT now(),
    metadata jsonb,
    path_tokens text[] GENERATED ALWAYS AS (string_to_array(name, '/'::text)) STORED,
    version text,
    owner_id text,
    user_metadata jsonb,
    archived_at timestamp with time zone,
    is_delete_marker boolean DEFAULT false NOT NULL,
    is_versioned boolean DEFAULT false NOT NULL
);

ALTER TABLE storage.objects OWNER TO supabase_storage_admin;

COMMENT ON COLUMN storage.objects.owner IS 'Deprecated: owner_id holds every owner, this one UUIDs only';

CREATE TABLE storage.s3_multipart_uploads (
    id text NOT NULL,
    in_progress_size bigint DEFAULT 0 NOT NULL,
    upload_signature text NOT NULL,
    bucket_id text NOT NULL,
    key text NOT NULL COLLATE pg_catalog."C",
    version text NOT NULL,
    owner_id text,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    user_metadata jsonb,
    metadata jsonb
);

ALTER TABLE storage.s3_multipart_uploads OWNER TO supabase_storage_admin;

CREATE TABLE storage.s3_multipart_uploads_parts (
    id uuid DEFAULT gen_random_uuid() NOT NULL,
    upload_id text NOT NULL,
    size bigint DEFAULT 0 NOT NULL,
    part_number integer NOT NULL,
    bucket_id text NOT NULL,
    key text NOT NULL COLLATE pg_catalog."C",
    etag text NOT NULL,
    owner_id text,
    version text NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL
);

ALTER TABLE storage.s3_multipart_uploads_parts OWNER TO supabase_storage_admin;

CREATE TABLE storage.vector_indexes (
    id text DEFAULT gen_random_uuid() NOT NULL,
    name text NOT NULL COLLATE pg_catalog."C",
    bucket_id text NOT NULL,
    data_type text NOT NULL,
    dimension integer NOT NULL,
    distance_metric text NOT NULL,
    metadata_configuration jsonb,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    updated_at timestamp with time zone DEFAULT now() NOT NULL
);

ALTER TABLE storage.vector_indexes OWNER TO supabase_storage_admin;

CREATE TABLE storage_compat.garbage (
    version text NOT NULL,
    since timestamp with time zone DEFAULT now() NOT NULL
);

ALTER TABLE storage_compat.garbage OWNER TO supabase_storage_admin;

COMMENT ON TABLE storage_compat.garbage IS 'Stored bytes that no row names since; removed by the service, entry and bytes.';

CREATE TABLE storage_compat.sweeps (
    is_one boolean DEFAULT true NOT NULL,
    began timestamp with time zone NOT NULL,
    CONSTRAINT sweeps_one_check CHECK (is_one)
);

ALTER TABLE storage_compat.sweeps OWNER TO supabase_storage_admin;

COMMENT ON TABLE storage_compat.sweeps IS 'When orphans of the store were looked for last.';

CREATE TABLE storage_compat.tus_parts (
    version text NOT NULL,
    upload text NOT NULL,
    number integer NOT NULL,
    size bigint NOT NULL,
    etag text NOT NULL
);

ALTER TABLE storage_compat.tus_parts OWNER TO supabase_storage_admin;

COMMENT ON TABLE storage_compat.tus_parts IS 'The bytes of a resumable upload, one row a PATCH.';

CREATE TABLE storage_compat.tus_uploads (
    version text NOT NULL,
    bucket_id text NOT NULL,
    key text NOT NULL,
    length bigint,
    "offset" bigint DEFAULT 0 NOT NULL,
    upload_metadata text NOT NULL,
    owner_id text,
    is_upsert boolean NOT NULL,
    is_complete boolean DEFAULT false NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    expires_at timestamp with time zone NOT NULL
);

ALTER TABLE storage_compat.tus_uploads OWNER TO supabase_storage_admin;

COMMENT ON TABLE storage_compat.tus_uploads IS 'Resumable uploads until they expire.';

CREATE TABLE supabase_functions.hooks (
    id bigint NOT NULL,
    hook_table_id integer NOT NULL,
    hook_name text NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    request_id bigint
);

ALTER TABLE supabase_functions.hooks OWNER TO supabase_admin;

COMMENT ON TABLE supabase_functions.hooks IS 'Which trigger queued which request of pg_net.';

CREATE SEQUENCE supabase_functions.hooks_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;

ALTER SEQUENCE supabase_functions.hooks_id_seq OWNER TO supabase_admin;

ALTER SEQUENCE supabase_functions.hooks_id_seq OWNED BY supabase_functions.hooks.id;

CREATE TABLE supabase_functions.migrations (
    version text NOT NULL,
    inserted_at timestamp with time zone DEFAULT now() NOT NULL
);

ALTER TABLE supabase_functions.migrations OWNER TO supabase_admin;

COMMENT ON TABLE supabase_functions.migrations IS 'Named by dumps of hosted projects; empty here.';

ALTER TABLE ONLY auth.refresh_tokens ALTER COLUMN id SET DEFAULT nextval('auth.refresh_tokens_id_seq'::regclass);

ALTER TABLE ONLY supabase_functions.hooks ALTER COLUMN id SET DEFAULT nextval('supabase_functions.hooks_id_seq'::regclass);

ALTER TABLE ONLY auth.mfa_amr_claims
    ADD CONSTRAINT amr_id_pk PRIMARY KEY (id);

ALTER TABLE ONLY auth.audit_log_entries
    ADD CONSTRAINT audit_log_entries_pkey PRIMARY KEY (id);

ALTER TABLE ONLY auth.code_tries
    ADD CONSTRAINT code_tries_pkey PRIMARY KEY (subject);

ALTER TABLE ONLY auth.custom_oauth_providers
    ADD CONSTRAINT custom_oauth_providers_identifier_key UNIQUE (identifier);

ALTER TABLE ONLY auth.custom_oauth_providers
    ADD CONSTRAINT custom_oauth_providers_pkey PRIMARY KEY (id);

ALTER TABLE ONLY auth.flow_state
    ADD CONSTRAINT flow_state_pkey PRIMARY KEY (id);

ALTER TABLE ONLY auth.identities
    ADD CONSTRAINT identities_pkey PRIMARY KEY (id);

ALTER TABLE ONLY auth.identities
    ADD CONSTRAINT identities_provider_id_provider_unique UNIQUE (provider_id, provider);

ALTER TABLE ONLY auth.instances
    ADD CONSTRAINT instances_pkey PRIMARY KEY (id);

ALTER TABLE ONLY auth.mfa_amr_claims
    ADD CONSTRAINT mfa_amr_claims_session_id_authentication_method_pkey UNIQUE (session_id, authentication_method);

ALTER TABLE ONLY auth.mfa_challenges
    ADD CONSTRAINT mfa_challenges_pkey PRIMARY KEY (id);

ALTER TABLE ONLY auth.mfa_factors
    ADD CONSTRAINT mfa_factors_last_challenged_at_key UNIQUE (last_challenged_at);

ALTER TABLE ONLY auth.mfa_factors
    ADD CONSTRAINT mfa_factors_pkey PRIMARY KEY (id);

ALTER TABLE ONLY auth.oauth_authorizations
    ADD CONSTRAINT oauth_authorizations_authorization_code_key UNIQUE (authorization_code);

ALTER TABLE ONLY auth.oauth_authorizations
    ADD CONSTRAINT oauth_authorizations_authorization_id_key UNIQUE (authorization_id);

ALTER TABLE ONLY auth.oauth_authorizations
    ADD CONSTRAINT oauth_authorizations_pkey PRIMARY KEY (id);

ALTER TABLE ONLY auth.oauth_client_states
    ADD CONSTRAINT oauth_client_states_pkey PRIMARY KEY (id);

ALTER TABLE ONLY auth.oauth_clients
    ADD CONSTRAINT oauth_clients_pkey PRIMARY KEY (id);

ALTER TABLE ONLY auth.oauth_consents
    ADD CONSTRAINT oauth_consents_pkey PRIMARY KEY (id);

ALTER TABLE ONLY auth.oauth_consents
    ADD CONSTRAINT oauth_consents_user_client_unique UNIQUE (user_id, client_id);

ALTER TABLE ONLY auth.one_time_tokens
    ADD CONSTRAINT one_time_tokens_pkey PRIMARY KEY (id);

ALTER TABLE ONLY auth.rate_limits
    ADD CONSTRAINT rate_limits_pkey PRIMARY KEY (key);

ALTER TABLE ONLY auth.refresh_tokens
    ADD CONSTRAINT refresh_tokens_pkey PRIMARY KEY (id);

ALTER TABLE ONLY auth.refresh_tokens
    ADD CONSTRAINT refresh_tokens_token_unique UNIQUE (token);

ALTER TABLE ONLY auth.saml_providers
    ADD CONSTRAINT saml_providers_entity_id_key UNIQUE (entity_id);

ALTER TABLE ONLY auth.saml_providers
    ADD CONSTRAINT saml_providers_pkey PRIMARY KEY (id);

ALTER TABLE ONLY auth.saml_relay_states
    ADD CONSTRAINT saml_relay_states_pkey PRIMARY KEY (id);

ALTER TABLE ONLY auth.schema_migrations
    ADD CONSTRAINT schema_migrations_pkey PRIMARY KEY (version);

ALTER TABLE ONLY auth.sessions
    ADD CONSTRAINT sessions_pkey PRIMARY KEY (id);

ALTER TABLE ONLY auth.sso_domains
    ADD CONSTRAINT sso_domains_pkey PRIMARY KEY (id);

ALTER TABLE ONLY auth.sso_providers
    ADD CONSTRAINT sso_providers_pkey PRIMARY KEY (id);

ALTER TABLE ONLY auth.users
    ADD CONSTRAINT users_phone_key UNIQUE (phone);

ALTER TABLE ONLY auth.users
    ADD CONSTRAINT users_pkey PRIMARY KEY (id);

ALTER TABLE ONLY auth.webauthn_challenges
    ADD CONSTRAINT webauthn_challenges_pkey PRIMARY KEY (id);

ALTER TABLE ONLY auth.webauthn_credentials
    ADD CONSTRAINT webauthn_credentials_pkey PRIMARY KEY (id);

ALTER TABLE ONLY planes.ajustes
    ADD CONSTRAINT ajustes_ficha_key UNIQUE (ficha);

ALTER TABLE ONLY planes.ajustes
    ADD CONSTRAINT ajustes_pkey PRIMARY KEY (persona_id);

ALTER TABLE ONLY planes.comentarios_borrados
    ADD CONSTRAINT comentarios_borrados_pkey PRIMARY KEY (autor_id, id);

ALTER TABLE ONLY planes.dispositivos
    ADD CONSTRAINT dispositivos_endpoint_key UNIQUE (endpoint);

ALTER TABLE ONLY planes.dispositivos
    ADD CONSTRAINT dispositivos_pkey PRIMARY KEY (id);

ALTER TABLE ONLY planes.papelera
    ADD CONSTRAINT papelera_pkey PRIMARY KEY (actividad_id);

ALTER TABLE ONLY planes.recuerdos_borrados
    ADD CONSTRAINT recuerdos_borrados_pkey PRIMARY KEY (autor_id, id);

ALTER TABLE ONLY public.actividades
    ADD CONSTRAINT actividades_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.apetencias
    ADD CONSTRAINT apetencias_pkey PRIMARY KEY (creador_id, idea_id, persona_id);

ALTER TABLE ONLY public.calendarios
    ADD CONSTRAINT calendarios_huella_key UNIQUE (huella);

ALTER TABLE ONLY public.calendarios
    ADD CONSTRAINT calendarios_pkey PRIMARY KEY (pareja_id);

ALTER TABLE ONLY public.comentarios
    ADD CONSTRAINT comentarios_pkey PRIMARY KEY (autor_id, id);

ALTER TABLE ONLY public.fechas_especiales
    ADD CONSTRAINT fechas_especiales_pkey PRIMARY KEY (pareja_id, id);

ALTER TABLE ONLY public.historial
    ADD CONSTRAINT historial_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.ideas
    ADD CONSTRAINT ideas_pkey PRIMARY KEY (creador_id, id);

ALTER TABLE ONLY public.invitaciones
    ADD CONSTRAINT invitaciones_pkey PRIMARY KEY (codigo);

ALTER TABLE ONLY public.lecturas
    ADD CONSTRAINT lecturas_pkey PRIMARY KEY (actividad_id, persona_id);

ALTER TABLE ONLY public.liquidaciones
    ADD CONSTRAINT liquidaciones_pkey PRIMARY KEY (pareja_id, id);

ALTER TABLE ONLY public.pagos
    ADD CONSTRAINT pagos_pkey PRIMARY KEY (actividad_id, id);

ALTER TABLE ONLY public.parejas
    ADD CONSTRAINT parejas_personas_key UNIQUE (persona_a, persona_b);

ALTER TABLE ONLY public.parejas
    ADD CONSTRAINT parejas_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.profiles
    ADD CONSTRAINT profiles_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.reacciones
    ADD CONSTRAINT reacciones_pkey PRIMARY KEY (actividad_id, persona_id);

ALTER TABLE ONLY public.recuerdos
    ADD CONSTRAINT recuerdos_miniatura_key UNIQUE (miniatura);

ALTER TABLE ONLY public.recuerdos
    ADD CONSTRAINT recuerdos_pkey PRIMARY KEY (autor_id, id);

ALTER TABLE ONLY public.recuerdos
    ADD CONSTRAINT recuerdos_ruta_key UNIQUE (ruta);

ALTER TABLE ONLY realtime.guarded_tables
    ADD CONSTRAINT guarded_tables_pkey PRIMARY KEY (entity);

ALTER TABLE ONLY realtime.messages
    ADD CONSTRAINT messages_pkey PRIMARY KEY (id, inserted_at);

ALTER TABLE ONLY realtime.subscription
    ADD CONSTRAINT pk_subscription PRIMARY KEY (id);

ALTER TABLE ONLY recados.cola
    ADD CONSTRAINT cola_clave_key UNIQUE (clave);

ALTER TABLE ONLY recados.cola
    ADD CONSTRAINT cola_pkey PRIMARY KEY (id);

ALTER TABLE ONLY recados.tareas
    ADD CONSTRAINT tareas_pkey PRIMARY KEY (nombre);

ALTER TABLE ONLY storage.buckets_analytics
    ADD CONSTRAINT buckets_analytics_pkey PRIMARY KEY (id);

ALTER TABLE ONLY storage.buckets
    ADD CONSTRAINT buckets_pkey PRIMARY KEY (id);

ALTER TABLE ONLY storage.buckets_vectors
    ADD CONSTRAINT buckets_vectors_pkey PRIMARY KEY (id);

ALTER TABLE ONLY storage.iceberg_namespaces
    ADD CONSTRAINT iceberg_namespaces_pkey PRIMARY KEY (id);

ALTER TABLE ONLY storage.iceberg_tables
    ADD CONSTRAINT iceberg_tables_pkey PRIMARY KEY (id);

ALTER TABLE ONLY storage.migrations
    ADD CONSTRAINT migrations_name_key UNIQUE (name);

ALTER TABLE ONLY storage.migrations
    ADD CONSTRAINT migrations_pkey PRIMARY KEY (id);

ALTER TABLE ONLY storage.objects
    ADD CONSTRAINT objects_pkey PRIMARY KEY (id);

ALTER TABLE ONLY storage.s3_multipart_uploads_parts
    ADD CONSTRAINT s3_multipart_uploads_parts_pkey PRIMARY KEY (id);

ALTER TABLE ONLY storage.s3_multipart_uploads
    ADD CONSTRAINT s3_multipart_uploads_pkey PRIMARY KEY (id);

ALTER TABLE ONLY storage.vector_indexes
    ADD CONSTRAINT vector_indexes_pkey PRIMARY KEY (id);

ALTER TABLE ONLY storage_compat.garbage
    ADD CONSTRAINT garbage_pkey PRIMARY KEY (version);

ALTER TABLE ONLY storage_compat.sweeps
    ADD CONSTRAINT sweeps_pkey PRIMARY KEY (is_one);

ALTER TABLE ONLY storage_compat.tus_parts
    ADD CONSTRAINT tus_parts_pkey PRIMARY KEY (version);

ALTER TABLE ONLY storage_compat.tus_parts
    ADD CONSTRAINT tus_parts_upload_number_key UNIQUE (upload, number);

ALTER TABLE ONLY storage_compat.tus_uploads
    ADD CONSTRAINT tus_uploads_pkey PRIMARY KEY (version);

ALTER TABLE ONLY supabase_functions.hooks
    ADD CONSTRAINT hooks_pkey PRIMARY KEY (id);

ALTER TABLE ONLY supabase_functions.migrations
    ADD CONSTRAINT migrations_pkey PRIMARY KEY (version);

CREATE INDEX audit_logs_instance_id_idx ON auth.audit_log_entries USING btree (instance_id);

CREATE INDEX code_tries_last_at_idx ON auth.code_tries USING btree (last_at);

CREATE UNIQUE INDEX confirmation_token_idx ON auth.users USING btree (confirmation_token) WHERE ((confirmation_token)::text !~ '^[0-9 ]*$'::text);

CREATE INDEX custom_oauth_providers_created_at_idx ON auth.custom_oauth_providers USING btree (created_at);

CREATE INDEX custom_oauth_providers_enabled_idx ON auth.custom_oauth_providers USING btree (enabled);

CREATE INDEX custom_oauth_providers_identifier_idx ON auth.custom_oauth_providers USING btree (identifier);

CREATE INDEX custom_oauth_providers_provider_type_idx ON auth.custom_oauth_providers USING btree (provider_type);

CREATE UNIQUE INDEX email_change_token_current_idx ON auth.users USING btree (email_change_token_current) WHERE ((email_change_token_current)::text !~ '^[0-9 ]*$'::text);

CREATE UNIQUE INDEX email_change_token_new_idx ON auth.users USING btree (email_change_token_new) WHERE ((email_change_token_new)::text !~ '^[0-9 ]*$'::text);

CREATE INDEX factor_id_created_at_idx ON auth.mfa_factors USING btree (user_id, created_at);

CREATE INDEX flow_state_created_at_idx ON auth.flow_state USING btree (created_at DESC);

CREATE INDEX identities_email_idx ON auth.identities USING btree (email text_pattern_ops);

CREATE INDEX identities_user_id_idx ON auth.identities USING btree (user_id);

CREATE INDEX idx_auth_code ON auth.flow_state USING btree (auth_code);

CREATE INDEX idx_oauth_client_states_created_at ON auth.oauth_client_states USING btree (created_at);

CREATE INDEX idx_user_id_auth_method ON auth.flow_state USING btree (user_id, authentication_method);

CREATE INDEX mfa_challenge_created_at_idx ON auth.mfa_challenges USING btree (created_at DESC);

CREATE UNIQUE INDEX mfa_factors_user_friendly_name_unique ON auth.mfa_factors USING btree (friendly_name, user_id) WHERE (TRIM(BOTH FROM friendly_name) <> ''::text);

CREATE INDEX mfa_factors_user_id_idx ON auth.mfa_factors USING btree (user_id);

CREATE INDEX oauth_auth_pending_exp_idx ON auth.oauth_authorizations USING btree (expires_at) WHERE (status = 'pending'::auth.oauth_authorization_status);

CREATE INDEX oauth_clients_deleted_at_idx ON auth.oauth_clients USING btree (deleted_at);

CREATE INDEX oauth_consents_active_client_idx ON auth.oauth_consents USING btree (client_id) WHERE (revoked_at IS NULL);

CREATE INDEX oauth_consents_active_user_client_idx ON auth.oauth_consents USING btree (user_id, client_id) WHERE (revoked_at IS NULL);

CREATE INDEX oauth_consents_user_order_idx ON auth.oauth_consents USING btree (user_id, granted_at DESC);

CREATE INDEX one_time_tokens_relates_to_hash_idx ON auth.one_time_tokens USING hash (relates_to);

CREATE INDEX one_time_tokens_token_hash_hash_idx ON auth.one_time_tokens USING hash (token_hash);

CREATE UNIQUE INDEX one_time_tokens_user_id_token_type_key ON auth.one_time_tokens USING btree (user_id, token_type);

CREATE INDEX rate_limits_full_at_idx ON auth.rate_limits USING btree (full_at);

CREATE UNIQUE INDEX reauthentication_token_idx ON auth.users USING btree (reauthentication_token) WHERE ((reauthentication_token)::text !~ '^[0-9 ]*$'::text);

CREATE UNIQUE INDEX recovery_token_idx ON auth.users USING btree (recovery_token) WHERE ((recovery_token)::text !~ '^[0-9 ]*$'::text);

CREATE INDEX refresh_tokens_instance_id_idx ON auth.refresh_tokens USING btree (instance_id);

CREATE INDEX refresh_tokens_instance_id_user_id_idx ON auth.refresh_tokens USING btree (instance_id, user_id);

CREATE INDEX refresh_tokens_parent_idx ON auth.refresh_tokens USING btree (parent);

CREATE INDEX refresh_tokens_session_id_revoked_idx ON auth.refresh_tokens USING btree (session_id, revoked);

CREATE INDEX refresh_tokens_updated_at_idx ON auth.refresh_tokens USING btree (updated_at DESC);

CREATE INDEX saml_providers_sso_provider_id_idx ON auth.saml_providers USING btree (sso_provider_id);

CREATE INDEX saml_relay_states_created_at_idx ON auth.saml_relay_states USING btree (created_at DESC);

CREATE INDEX saml_relay_states_for_email_idx ON auth.saml_relay_states USING btree (for_email);

CREATE INDEX saml_relay_states_sso_provider_id_idx ON auth.saml_relay_states USING btree (sso_provider_id);

CREATE INDEX sessions_not_after_idx ON auth.sessions USING btree (not_after DESC);

CREATE INDEX sessions_oauth_client_id_idx ON auth.sessions USING btree (oauth_client_id);

CREATE INDEX sessions_user_id_idx ON auth.sessions USING btree (user_id);

CREATE UNIQUE INDEX sso_domains_domain_idx ON auth.sso_domains USING btree (lower(domain));

CREATE INDEX sso_domains_sso_provider_id_idx ON auth.sso_domains USING btree (sso_provider_id);

CREATE UNIQUE INDEX sso_providers_resource_id_idx ON auth.sso_providers USING btree (lower(resource_id));

CREATE INDEX sso_providers_resource_id_pattern_idx ON auth.sso_providers USING btree (resource_id text_pattern_ops);

CREATE UNIQUE INDEX unique_phone_factor_per_user ON auth.mfa_factors USING btree (user_id, phone);

CREATE INDEX user_id_created_at_idx ON auth.sessions USING btree (user_id, created_at);

CREATE UNIQUE INDEX users_email_partial_key ON auth.users USING btree (email) WHERE (is_sso_user = false);

CREATE INDEX users_instance_id_email_idx ON auth.users USING btree (instance_id, lower((email)::text));

CREATE INDEX users_instance_id_idx ON auth.users USING btree (instance_id);

CREATE INDEX users_is_anonymous_idx ON auth.users USING btree (is_anonymous);

CREATE INDEX webauthn_challenges_expires_at_idx ON auth.webauthn_challenges USING btree (expires_at);

CREATE INDEX webauthn_challenges_user_id_idx ON auth.webauthn_challenges USING btree (user_id);

CREATE UNIQUE INDEX webauthn_credentials_credential_id_key ON auth.webauthn_credentials USING btree (credential_id);

CREATE INDEX webauthn_credentials_user_id_idx ON auth.webauthn_credentials USING btree (user_id);

CREATE INDEX comentarios_borrados_actividad_id_idx ON planes.comentarios_borrados USING btree (actividad_id);

CREATE INDEX comentarios_borrados_autor_id_idx ON planes.comentarios_borrados USING btree (autor_id, borrado_en);

CREATE INDEX dispositivos_persona_id_idx ON planes.dispositivos USING btree (persona_id, visto_en);

CREATE INDEX papelera_creador_id_idx ON planes.papelera USING btree (creador_id, borrado_en);

CREATE INDEX recuerdos_borrados_actividad_id_idx ON planes.recuerdos_borrados USING btree (actividad_id);

CREATE INDEX recuerdos_borrados_pareja_id_idx ON planes.recuerdos_borrados USING btree (pareja_id);

CREATE INDEX actividades_aceptado_por_idx ON public.actividades USING btree (aceptado_por);

CREATE INDEX actividades_creador_id_fecha_idx ON public.actividades USING btree (creador_id, fecha);

CREATE INDEX actividades_fecha_idx ON public.actividades USING btree (fecha) WHERE (estado = 'aceptado'::text);

CREATE INDEX actividades_origen_id_idx ON public.actividades USING btree (origen_id);

CREATE INDEX actividades_pareja_id_fecha_idx ON public.actividades USING btree (pareja_id, fecha);

CREATE INDEX actividades_serie_id_idx ON public.actividades USING btree (serie_id) WHERE (serie_id IS NOT NULL);

CREATE INDEX apetencias_persona_id_idx ON public.apetencias USING btree (persona_id);

CREATE INDEX comentarios_actividad_id_idx ON public.comentarios USING btree (actividad_id, creado_en);

CREATE INDEX comentarios_autor_id_idx ON public.comentarios USING btree (autor_id, creado_en);

CREATE INDEX historial_actividad_id_idx ON public.historial USING btree (actividad_id, id);

CREATE INDEX historial_persona_id_idx ON public.historial USING btree (persona_id);

CREATE INDEX ideas_actividad_id_idx ON public.ideas USING btree (actividad_id);

CREATE INDEX ideas_pareja_id_idx ON public.ideas USING btree (pareja_id, creado_en);

CREATE INDEX invitaciones_creador_id_idx ON public.invitaciones USING btree (creador_id);

CREATE UNIQUE INDEX invitaciones_una_viva_key ON public.invitaciones USING btree (creador_id) WHERE (usada_por IS NULL);

CREATE INDEX invitaciones_usada_por_idx ON public.invitaciones USING btree (usada_por);

CREATE INDEX lecturas_persona_id_idx ON public.lecturas USING btree (persona_id);

CREATE INDEX liquidaciones_a_idx ON public.liquidaciones USING btree (a);

CREATE INDEX liquidaciones_de_idx ON public.liquidaciones USING btree (de);

CREATE INDEX liquidaciones_pareja_id_idx ON public.liquidaciones USING btree (pareja_id, mes);

CREATE UNIQUE INDEX liquidaciones_una_por_mes ON public.liquidaciones USING btree (pareja_id, mes) WHERE (anulada_en IS NULL);

CREATE INDEX pagos_actividad_id_idx ON public.pagos USING btree (actividad_id, creado_en);

CREATE INDEX pagos_anotado_por_idx ON public.pagos USING btree (anotado_por);

CREATE INDEX pagos_pagado_por_idx ON public.pagos USING btree (pagado_por);

CREATE INDEX parejas_persona_b_idx ON public.parejas USING btree (persona_b);

CREATE INDEX profiles_pareja_id_idx ON public.profiles USING btree (pareja_id);

CREATE INDEX reacciones_persona_id_idx ON public.reacciones USING btree (persona_id);

CREATE INDEX recuerdos_actividad_id_idx ON public.recuerdos USING btree (actividad_id, creado_en);

CREATE INDEX recuerdos_autor_id_idx ON public.recuerdos USING btree (autor_id, subido_en);

CREATE INDEX recuerdos_pareja_id_idx ON public.recuerdos USING btree (pareja_id);

CREATE INDEX ix_realtime_subscription_entity ON realtime.subscription USING btree (entity);

CREATE INDEX messages_inserted_at_topic_index ON ONLY realtime.messages USING btree (inserted_at DESC, topic) WHERE ((extension = 'broadcast'::text) AND (private IS TRUE));

CREATE UNIQUE INDEX subscription_subscription_id_entity_filters_action_filter_selec ON realtime.subscription USING btree (subscription_id, entity, filters, action_filter, COALESCE(selected_columns, '{}'::text[]));

CREATE INDEX cola_creado_en_idx ON recados.cola USING btree (creado_en);

CREATE INDEX cola_espera_idx ON recados.cola USING btree (no_antes_de, id) WHERE ((estado = 'espera'::text) AND (tomado_en IS NULL));

CREATE INDEX cola_tomado_idx ON recados.cola USING btree (tomado_en) WHERE ((estado = 'espera'::text) AND (tomado_en IS NOT NULL));

CREATE UNIQUE INDEX bname ON storage.buckets USING btree (name);

CREATE UNIQUE INDEX bucketid_objname ON storage.objects USING btree (bucket_id, name);

CREATE UNIQUE INDEX buckets_analytics_unique_name_idx ON storage.buckets_analytics USING btree (name) WHERE (deleted_at IS NULL);

CREATE UNIQUE INDEX idx_iceberg_namespaces_bucket_id ON storage.iceberg_namespaces USING btree (catalog_id, name);

CREATE UNIQUE INDEX idx_iceberg_tables_location ON storage.iceberg_tables USING btree (location);

CREATE UNIQUE INDEX idx_iceberg_tables_namespace_id ON storage.iceberg_tables USING btree (catalog_id, namespace_id, name);

CREATE INDEX idx_multipart_uploads_list ON storage.s3_multipart_uploads USING btree (bucket_id, key, created_at);

CREATE INDEX idx_objects_bucket_id_name ON storage.objects USING btree (bucket_id, name COLLATE "C");

CREATE INDEX idx_objects_bucket_id_name_lower ON storage.objects USING btree (bucket_id, lower(name) COLLATE "C");

CREATE INDEX name_prefix_search ON storage.objects USING btree (name text_pattern_ops);

CREATE INDEX storage_compat_folded ON storage.objects USING btree (bucket_id, storage_compat.folded(name) COLLATE "C", name COLLATE "C");

CREATE UNIQUE INDEX vector_indexes_name_bucket_id_idx ON storage.vector_indexes USING btree (name, bucket_id);

CREATE INDEX tus_uploads_bucket_id_idx ON storage_compat.tus_uploads USING btree (bucket_id);

CREATE INDEX tus_uploads_expires_at_idx ON storage_compat.tus_uploads USING btree (expires_at);

CREATE INDEX supabase_functions_hooks_h_table_id_h_name_idx ON supabase_functions.hooks USING btree (hook_table_id, hook_name);

CREATE INDEX supabase_functions_hooks_request_id_idx ON supabase_functions.hooks USING btree (request_id);

CREATE TRIGGER crear_perfil AFTER INSERT ON auth.users FOR EACH ROW EXECUTE FUNCTION planes.crear_perfil();

CREATE TRIGGER olvidar_comentarios AFTER DELETE ON auth.users FOR EACH ROW EXECUTE FUNCTION planes.olvidar_comentarios();

CREATE TRIGGER olvidar_pagos AFTER DELETE ON auth.users FOR EACH ROW EXECUTE FUNCTION planes.olvidar_pagos();

CREATE TRIGGER retener_parejas BEFORE DELETE ON auth.users FOR EACH ROW EXECUTE FUNCTION planes.retener_parejas();

CREATE TRIGGER tell_changed_users AFTER UPDATE ON auth.users FOR EACH ROW WHEN (((old.banned_until IS DISTINCT FROM new.banned_until) OR (old.deleted_at IS DISTINCT FROM new.deleted_at))) EXECUTE FUNCTION realtime.tell_changed_users();

CREATE TRIGGER tell_revoked_sessions AFTER DELETE ON auth.sessions REFERENCING OLD TABLE AS deleted FOR EACH STATEMENT EXECUTE FUNCTION realtime.tell_revoked_sessions();

CREATE TRIGGER ajustes_olvidar_correos AFTER DELETE ON planes.ajustes FOR EACH ROW EXECUTE FUNCTION planes.olvidar_correos();

CREATE TRIGGER ajustes_sin_correos AFTER UPDATE OF correo ON planes.ajustes FOR EACH ROW WHEN ((old.correo AND (NOT new.correo))) EXECUTE FUNCTION planes.olvidar_correos();

CREATE TRIGGER dispositivos_olvidar_recados AFTER DELETE ON planes.dispositivos FOR EACH ROW EXECUTE FUNCTION planes.olvidar_recados();

CREATE TRIGGER dispositivos_tomar_zona AFTER INSERT OR UPDATE OF zona ON planes.dispositivos FOR EACH ROW EXECUTE FUNCTION planes.tomar_zona();

CREATE CONSTRAINT TRIGGER papelera_olvidar_recuerdos_check AFTER DELETE ON planes.papelera DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION planes.olvidar_recuerdos();

CREATE TRIGGER recuerdos_borrados_soltar AFTER DELETE ON planes.recuerdos_borrados FOR EACH ROW EXECUTE FUNCTION planes.soltar_borrado();

CREATE TRIGGER actividades_anotar_cambio AFTER UPDATE ON public.actividades FOR EACH ROW WHEN (((old.estado <> new.estado) OR (old.revision <> new.revision))) EXECUTE FUNCTION planes.anotar_historial();

CREATE TRIGGER actividades_anotar_propuesta AFTER INSERT ON public.actividades FOR EACH ROW WHEN ((COALESCE(current_setting('planes.recuperando'::text, true), ''::text) <> '1'::text)) EXECUTE FUNCTION planes.anotar_historial();

CREATE TRIGGER actividades_avisar_borrado AFTER DELETE ON public.actividades FOR EACH ROW WHEN ((old.estado = 'aceptado'::text)) EXECUTE FUNCTION planes.avisar_borrado();

CREATE CONSTRAINT TRIGGER actividades_avisar_cambio_check AFTER UPDATE ON public.actividades DEFERRABLE INITIALLY DEFERRED FOR EACH ROW WHEN (((old.estado <> new.estado) OR (old.revision <> new.revision))) EXECUTE FUNCTION planes.avisar_cambio();

CREATE TRIGGER actividades_avisar_propuestas AFTER INSERT ON public.actividades REFERENCING NEW TABLE AS nuevas FOR EACH STATEMENT EXECUTE FUNCTION planes.avisar_propuestas();

CREATE TRIGGER actividades_dar_a_la_pareja BEFORE INSERT ON public.actividades FOR EACH ROW WHEN ((new.pareja_id = new.creador_id)) EXECUTE FUNCTION planes.dar_a_la_pareja();

CREATE TRIGGER actividades_devolver_recuerdos AFTER INSERT ON public.actividades FOR EACH ROW WHEN ((current_setting('planes.recuperando'::text, true) = '1'::text)) EXECUTE FUNCTION planes.devolver_recuerdos();

CREATE TRIGGER actividades_guardar_borrado BEFORE DELETE ON public.actividades FOR EACH ROW EXECUTE FUNCTION planes.guardar_borrado();

CREATE TRIGGER actividades_realizar_idea AFTER INSERT ON public.actividades FOR EACH ROW WHEN ((new.idea_id IS NOT NULL)) EXECUTE FUNCTION planes.realizar_idea();

CREATE TRIGGER actividades_retirar_aceptacion BEFORE UPDATE OF aceptado_por ON public.actividades FOR EACH ROW WHEN (((old.aceptado_por IS NOT NULL) AND (new.aceptado_por IS NULL) AND (old.estado = 'aceptado'::text) AND (new.estado = 'aceptado'::text))) EXECUTE FUNCTION planes.retirar_aceptacion();

CREATE TRIGGER comentarios_avisar AFTER INSERT ON public.comentarios FOR EACH ROW WHEN ((COALESCE(current_setting('planes.recuperando'::text, true), ''::text) <> '1'::text)) EXECUTE FUNCTION planes.avisar_comentario();

CREATE TRIGGER profiles_avisar_pareja AFTER UPDATE OF pareja_id ON public.profiles FOR EACH ROW WHEN ((old.pareja_id IS DISTINCT FROM new.pareja_id)) EXECUTE FUNCTION planes.avisar_pareja();

CREATE TRIGGER profiles_comprobar_pareja BEFORE INSERT OR UPDATE OF pareja_id ON public.profiles FOR EACH ROW WHEN ((new.pareja_id IS NOT NULL)) EXECUTE FUNCTION planes.comprobar_pareja();

CREATE TRIGGER profiles_contar_personas_delete AFTER DELETE ON public.profiles FOR EACH ROW WHEN ((old.pareja_id IS NOT NULL)) EXECUTE FUNCTION planes.contar_personas();

CREATE TRIGGER profiles_contar_personas_insert AFTER INSERT ON public.profiles FOR EACH ROW WHEN ((new.pareja_id IS NOT NULL)) EXECUTE FUNCTION planes.contar_personas();

CREATE TRIGGER profiles_contar_personas_update AFTER UPDATE OF pareja_id ON public.profiles FOR EACH ROW WHEN ((old.pareja_id IS DISTINCT FROM new.pareja_id)) EXECUTE FUNCTION planes.contar_personas();

CREATE TRIGGER profiles_disolver_al_borrar AFTER DELETE ON public.profiles FOR EACH ROW WHEN ((old.pareja_id IS NOT NULL)) EXECUTE FUNCTION planes.disolver_al_borrar();

CREATE TRIGGER profiles_llevar_ideas AFTER UPDATE OF pareja_id ON public.profiles FOR EACH ROW WHEN (((new.pareja_id IS NOT NULL) AND (old.pareja_id IS NULL))) EXECUTE FUNCTION planes.llevar_ideas();

CREATE TRIGGER recuerdos_soltar AFTER DELETE ON public.recuerdos FOR EACH ROW EXECUTE FUNCTION planes.soltar_recuerdo();

CREATE TRIGGER tr_check_filters BEFORE INSERT OR UPDATE ON realtime.subscription FOR EACH ROW EXECUTE FUNCTION realtime.subscription_check_filters();

CREATE TRIGGER cola_anotar_entrega AFTER UPDATE OF estado ON recados.cola FOR EACH ROW WHEN (((new.canal = 'push'::text) AND (new.destino ? 'dispositivo'::text) AND (new.estado <> 'espera'::text))) EXECUTE FUNCTION planes.anotar_entrega();

CREATE TRIGGER cola_despertar AFTER INSERT ON recados.cola FOR EACH STATEMENT EXECUTE FUNCTION recados.despertar();

CREATE TRIGGER tareas_despertar AFTER INSERT OR UPDATE OF cada ON recados.tareas FOR EACH STATEMENT EXECUTE FUNCTION recados.despertar();

CREATE TRIGGER enforce_bucket_name_length_trigger BEFORE INSERT OR UPDATE OF name ON storage.buckets FOR EACH ROW EXECUTE FUNCTION storage.enforce_bucket_name_length();

CREATE TRIGGER protect_buckets_delete BEFORE DELETE ON storage.buckets FOR EACH STATEMENT EXECUTE FUNCTION storage.protect_delete();

CREATE TRIGGER protect_objects_delete BEFORE DELETE ON storage.objects FOR EACH STATEMENT EXECUTE FUNCTION storage.protect_delete();

CREATE TRIGGER storage_compat_deleted AFTER DELETE ON storage.objects FOR EACH ROW EXECUTE FUNCTION storage_compat.record_garbage();

CREATE TRIGGER storage_compat_deleted AFTER DELETE ON storage.s3_multipart_uploads_parts FOR EACH ROW EXECUTE FUNCTION storage_compat.record_garbage();

CREATE TRIGGER storage_compat_named AFTER INSERT OR UPDATE OF version ON storage.objects FOR EACH ROW WHEN ((new.version IS NOT NULL)) EXECUTE FUNCTION storage_compat.keep_named();

CREATE TRIGGER storage_compat_overwritten AFTER UPDATE OF version ON storage.objects FOR EACH ROW WHEN ((old.version IS DISTINCT FROM new.version)) EXECUTE FUNCTION storage_compat.record_garbage();

CREATE TRIGGER update_objects_updated_at BEFORE UPDATE ON storage.objects FOR EACH ROW EXECUTE FUNCTION storage.update_updated_at_column();

CREATE TRIGGER storage_compat_deleted AFTER DELETE ON storage_compat.tus_parts FOR EACH ROW EXECUTE FUNCTION storage_compat.record_garbage();

ALTER TABLE ONLY auth.identities
    ADD CONSTRAINT identities_user_id_fkey FOREIGN KEY (user_id) REFERENCES auth.users(id) ON DELETE CASCADE;

ALTER TABLE ONLY auth.mfa_amr_claims
    ADD CONSTRAINT mfa_amr_claims_session_id_fkey FOREIGN KEY (session_id) REFERENCES auth.sessions(id) ON DELETE CASCADE;

ALTER TABLE ONLY auth.mfa_challenges
    ADD CONSTRAINT mfa_challenges_auth_factor_id_fkey FOREIGN KEY (factor_id) REFERENCES auth.mfa_factors(id) ON DELETE CASCADE;

ALTER TABLE ONLY auth.mfa_factors
    ADD CONSTRAINT mfa_factors_user_id_fkey FOREIGN KEY (user_id) REFERENCES auth.users(id) ON DELETE CASCADE;

ALTER TABLE ONLY auth.oauth_authorizations
    ADD CONSTRAINT oauth_authorizations_client_id_fkey FOREIGN KEY (client_id) REFERENCES auth.oauth_clients(id) ON DELETE CASCADE;

ALTER TABLE ONLY auth.oauth_authorizations
    ADD CONSTRAINT oauth_authorizations_user_id_fkey FOREIGN KEY (user_id) REFERENCES auth.users(id) ON DELETE CASCADE;

ALTER TABLE ONLY auth.oauth_consents
    ADD CONSTRAINT oauth_consents_client_id_fkey FOREIGN KEY (client_id) REFERENCES auth.oauth_clients(id) ON DELETE CASCADE;

ALTER TABLE ONLY auth.oauth_consents
    ADD CONSTRAINT oauth_consents_user_id_fkey FOREIGN KEY (user_id) REFERENCES auth.users(id) ON DELETE CASCADE;

ALTER TABLE ONLY auth.one_time_tokens
    ADD CONSTRAINT one_time_tokens_user_id_fkey FOREIGN KEY (user_id) REFERENCES auth.users(id) ON DELETE CASCADE;

ALTER TABLE ONLY auth.refresh_tokens
    ADD CONSTRAINT refresh_tokens_session_id_fkey FOREIGN KEY (session_id) REFERENCES auth.sessions(id) ON DELETE CASCADE;

ALTER TABLE ONLY auth.saml_providers
    ADD CONSTRAINT saml_providers_sso_provider_id_fkey FOREIGN KEY (sso_provider_id) REFERENCES auth.sso_providers(id) ON DELETE CASCADE;

ALTER TABLE ONLY auth.saml_relay_states
    ADD CONSTRAINT saml_relay_states_flow_state_id_fkey FOREIGN KEY (flow_state_id) REFERENCES auth.flow_state(id) ON DELETE CASCADE;

ALTER TABLE ONLY auth.saml_relay_states
    ADD CONSTRAINT saml_relay_states_sso_provider_id_fkey FOREIGN KEY (sso_provider_id) REFERENCES auth.sso_providers(id) ON DELETE CASCADE;

ALTER TABLE ONLY auth.sessions
    ADD CONSTRAINT sessions_oauth_client_id_fkey FOREIGN KEY (oauth_client_id) REFERENCES auth.oauth_clients(id) ON DELETE CASCADE;

ALTER TABLE ONLY auth.sessions
    ADD CONSTRAINT sessions_user_id_fkey FOREIGN KEY (user_id) REFERENCES auth.users(id) ON DELETE CASCADE;

ALTER TABLE ONLY auth.sso_domains
    ADD CONSTRAINT sso_domains_sso_provider_id_fkey FOREIGN KEY (sso_provider_id) REFERENCES auth.sso_providers(id) ON DELETE CASCADE;

ALTER TABLE ONLY auth.webauthn_challenges
    ADD CONSTRAINT webauthn_challenges_user_id_fkey FOREIGN KEY (user_id) REFERENCES auth.users(id) ON DELETE CASCADE;

ALTER TABLE ONLY auth.webauthn_credentials
    ADD CONSTRAINT webauthn_credentials_user_id_fkey FOREIGN KEY (user_id) REFERENCES auth.users(id) ON DELETE CASCADE;

ALTER TABLE ONLY planes.ajustes
    ADD CONSTRAINT ajustes_persona_id_fkey FOREIGN KEY (persona_id) REFERENCES auth.users(id) ON DELETE CASCADE;

ALTER TABLE ONLY planes.comentarios_borrados
    ADD CONSTRAINT comentarios_borrados_actividad_id_fkey FOREIGN KEY (actividad_id) REFERENCES public.actividades(id) ON DELETE CASCADE;

ALTER TABLE ONLY planes.comentarios_borrados
    ADD CONSTRAINT comentarios_borrados_autor_id_fkey FOREIGN KEY (autor_id) REFERENCES auth.users(id) ON DELETE CASCADE;

ALTER TABLE ONLY planes.dispositivos
    ADD CONSTRAINT dispositivos_persona_id_fkey FOREIGN KEY (persona_id) REFERENCES auth.users(id) ON DELETE CASCADE;

ALTER TABLE ONLY planes.papelera
    ADD CONSTRAINT papelera_creador_id_fkey FOREIGN KEY (creador_id) REFERENCES auth.users(id) ON DELETE CASCADE;

ALTER TABLE ONLY planes.recuerdos_borrados
    ADD CONSTRAINT recuerdos_borrados_autor_id_fkey FOREIGN KEY (autor_id) REFERENCES auth.users(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.actividades
    ADD CONSTRAINT actividades_aceptado_por_fkey FOREIGN KEY (aceptado_por) REFERENCES auth.users(id) ON DELETE SET NULL;

ALTER TABLE ONLY public.actividades
    ADD CONSTRAINT actividades_creador_id_fkey FOREIGN KEY (creador_id) REFERENCES auth.users(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.actividades
    ADD CONSTRAINT actividades_origen_id_fkey FOREIGN KEY (origen_id) REFERENCES public.actividades(id) ON DELETE SET NULL;

ALTER TABLE ONLY public.apetencias
    ADD CONSTRAINT apetencias_idea_id_fkey FOREIGN KEY (creador_id, idea_id) REFERENCES public.ideas(creador_id, id) ON DELETE CASCADE;

ALTER TABLE ONLY public.apetencias
    ADD CONSTRAINT apetencias_persona_id_fkey FOREIGN KEY (persona_id) REFERENCES auth.users(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.calendarios
    ADD CONSTRAINT calendarios_pareja_id_fkey FOREIGN KEY (pareja_id) REFERENCES public.parejas(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.comentarios
    ADD CONSTRAINT comentarios_actividad_id_fkey FOREIGN KEY (actividad_id) REFERENCES public.actividades(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.comentarios
    ADD CONSTRAINT comentarios_autor_id_fkey FOREIGN KEY (autor_id) REFERENCES auth.users(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.fechas_especiales
    ADD CONSTRAINT fechas_especiales_pareja_id_fkey FOREIGN KEY (pareja_id) REFERENCES public.parejas(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.historial
    ADD CONSTRAINT historial_actividad_id_fkey FOREIGN KEY (actividad_id) REFERENCES public.actividades(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.historial
    ADD CONSTRAINT historial_persona_id_fkey FOREIGN KEY (persona_id) REFERENCES auth.users(id) ON DELETE SET NULL;

ALTER TABLE ONLY public.ideas
    ADD CONSTRAINT ideas_actividad_id_fkey FOREIGN KEY (actividad_id) REFERENCES public.actividades(id) ON DELETE SET NULL;

ALTER TABLE ONLY public.ideas
    ADD CONSTRAINT ideas_creador_id_fkey FOREIGN KEY (creador_id) REFERENCES auth.users(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.invitaciones
    ADD CONSTRAINT invitaciones_creador_id_fkey FOREIGN KEY (creador_id) REFERENCES auth.users(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.invitaciones
    ADD CONSTRAINT invitaciones_usada_por_fkey FOREIGN KEY (usada_por) REFERENCES auth.users(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.lecturas
    ADD CONSTRAINT lecturas_actividad_id_fkey FOREIGN KEY (actividad_id) REFERENCES public.actividades(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.lecturas
    ADD CONSTRAINT lecturas_persona_id_fkey FOREIGN KEY (persona_id) REFERENCES auth.users(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.liquidaciones
    ADD CONSTRAINT liquidaciones_a_fkey FOREIGN KEY (a) REFERENCES auth.users(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.liquidaciones
    ADD CONSTRAINT liquidaciones_de_fkey FOREIGN KEY (de) REFERENCES auth.users(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.liquidaciones
    ADD CONSTRAINT liquidaciones_pareja_id_fkey FOREIGN KEY (pareja_id) REFERENCES public.parejas(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.pagos
    ADD CONSTRAINT pagos_actividad_id_fkey FOREIGN KEY (actividad_id) REFERENCES public.actividades(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.pagos
    ADD CONSTRAINT pagos_anotado_por_fkey FOREIGN KEY (anotado_por) REFERENCES auth.users(id) ON DELETE SET NULL;

ALTER TABLE ONLY public.pagos
    ADD CONSTRAINT pagos_pagado_por_fkey FOREIGN KEY (pagado_por) REFERENCES auth.users(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.parejas
    ADD CONSTRAINT parejas_persona_a_fkey FOREIGN KEY (persona_a) REFERENCES auth.users(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.parejas
    ADD CONSTRAINT parejas_persona_b_fkey FOREIGN KEY (persona_b) REFERENCES auth.users(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.profiles
    ADD CONSTRAINT profiles_id_fkey FOREIGN KEY (id) REFERENCES auth.users(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.profiles
    ADD CONSTRAINT profiles_pareja_id_fkey FOREIGN KEY (pareja_id) REFERENCES public.parejas(id) ON DELETE SET NULL;

ALTER TABLE ONLY public.reacciones
    ADD CONSTRAINT reacciones_actividad_id_fkey FOREIGN KEY (actividad_id) REFERENCES public.actividades(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.reacciones
    ADD CONSTRAINT reacciones_persona_id_fkey FOREIGN KEY (persona_id) REFERENCES auth.users(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.recuerdos
    ADD CONSTRAINT recuerdos_actividad_id_fkey FOREIGN KEY (actividad_id) REFERENCES public.actividades(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.recuerdos
    ADD CONSTRAINT recuerdos_autor_id_fkey FOREIGN KEY (autor_id) REFERENCES auth.users(id) ON DELETE CASCADE;

ALTER TABLE ONLY storage.iceberg_namespaces
    ADD CONSTRAINT iceberg_namespaces_catalog_id_fkey FOREIGN KEY (catalog_id) REFERENCES storage.buckets_analytics(id) ON DELETE CASCADE;

ALTER TABLE ONLY storage.iceberg_tables
    ADD CONSTRAINT iceberg_tables_catalog_id_fkey FOREIGN KEY (catalog_id) REFERENCES storage.buckets_analytics(id) ON DELETE CASCADE;

ALTER TABLE ONLY storage.iceberg_tables
    ADD CONSTRAINT iceberg_tables_namespace_id_fkey FOREIGN KEY (namespace_id) REFERENCES storage.iceberg_namespaces(id) ON DELETE CASCADE;

ALTER TABLE ONLY storage.objects
    ADD CONSTRAINT "objects_bucketId_fkey" FOREIGN KEY (bucket_id) REFERENCES storage.buckets(id);

ALTER TABLE ONLY storage.s3_multipart_uploads
    ADD CONSTRAINT s3_multipart_uploads_bucket_id_fkey FOREIGN KEY (bucket_id) REFERENCES storage.buckets(id);

ALTER TABLE ONLY storage.s3_multipart_uploads_parts
    ADD CONSTRAINT s3_multipart_uploads_parts_bucket_id_fkey FOREIGN KEY (bucket_id) REFERENCES storage.buckets(id);

ALTER TABLE ONLY storage.s3_multipart_uploads_parts
    ADD CONSTRAINT s3_multipart_uploads_parts_upload_id_fkey FOREIGN KEY (upload_id) REFERENCES storage.s3_multipart_uploads(id) ON DELETE CASCADE;

ALTER TABLE ONLY storage.vector_indexes
    ADD CONSTRAINT vector_indexes_bucket_id_fkey FOREIGN KEY (bucket_id) REFERENCES storage.buckets_vectors(id);

ALTER TABLE ONLY storage_compat.tus_parts
    ADD CONSTRAINT tus_parts_upload_fkey FOREIGN KEY (upload) REFERENCES storage_compat.tus_uploads(version) ON DELETE CASCADE;

ALTER TABLE ONLY storage_compat.tus_uploads
    ADD CONSTRAINT tus_uploads_bucket_id_fkey FOREIGN KEY (bucket_id) REFERENCES storage.buckets(id) ON DELETE CASCADE;

ALTER TABLE auth.audit_log_entries ENABLE ROW LEVEL SECURITY;

ALTER TABLE auth.code_tries ENABLE ROW LEVEL SECURITY;

ALTER TABLE auth.flow_state ENABLE ROW LEVEL SECURITY;

ALTER TABLE auth.identities ENABLE ROW LEVEL SECURITY;

ALTER TABLE auth.instances ENABLE ROW LEVEL SECURITY;

ALTER TABLE auth.mfa_amr_claims ENABLE ROW LEVEL SECURITY;

ALTER TABLE auth.mfa_challenges ENABLE ROW LEVEL SECURITY;

ALTER TABLE auth.mfa_factors ENABLE ROW LEVEL SECURITY;

ALTER TABLE auth.one_time_tokens ENABLE ROW LEVEL SECURITY;

ALTER TABLE auth.rate_limits ENABLE ROW LEVEL SECURITY;

ALTER TABLE auth.refresh_tokens ENABLE ROW LEVEL SECURITY;

ALTER TABLE auth.saml_providers ENABLE ROW LEVEL SECURITY;

ALTER TABLE auth.saml_relay_states ENABLE ROW LEVEL SECURITY;

ALTER TABLE auth.schema_migrations ENABLE ROW LEVEL SECURITY;

ALTER TABLE auth.sessions ENABLE ROW LEVEL SECURITY;

ALTER TABLE auth.sso_domains ENABLE ROW LEVEL SECURITY;

ALTER TABLE auth.sso_providers ENABLE ROW LEVEL SECURITY;

ALTER TABLE auth.users ENABLE ROW LEVEL SECURITY;

ALTER TABLE planes.ajustes ENABLE ROW LEVEL SECURITY;

ALTER TABLE planes.dispositivos ENABLE ROW LEVEL SECURITY;

ALTER TABLE planes.recuerdos_borrados ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.actividades ENABLE ROW LEVEL SECURITY;

CREATE POLICY actividades_delete ON public.actividades FOR DELETE TO authenticated USING ((creador_id = ( SELECT auth.uid() AS uid)));

CREATE POLICY actividades_insert ON public.actividades FOR INSERT TO authenticated WITH CHECK (((creador_id = ( SELECT auth.uid() AS uid)) AND (estado = 'pendiente'::text) AND (aceptado_por IS NULL) AND ((pareja_id = ( SELECT auth.uid() AS uid)) OR (pareja_id = planes.mi_pareja_ahora()))));

CREATE POLICY actividades_select ON public.actividades FOR SELECT TO authenticated USING (((creador_id = ( SELECT auth.uid() AS uid)) OR (pareja_id = ( SELECT planes.mi_pareja() AS mi_pareja))));

CREATE POLICY actividades_update ON public.actividades FOR UPDATE TO authenticated USING (((estado = 'pendiente'::text) AND (creador_id <> ( SELECT auth.uid() AS uid)) AND (pareja_id = ( SELECT planes.mi_pareja() AS mi_pareja)))) WITH CHECK ((((estado = 'aceptado'::text) AND (aceptado_por = ( SELECT auth.uid() AS uid))) OR ((estado = 'rechazado'::text) AND (aceptado_por IS NULL))));

ALTER TABLE public.apetencias ENABLE ROW LEVEL SECURITY;

CREATE POLICY apetencias_select ON public.apetencias FOR SELECT TO authenticated USING ((EXISTS ( SELECT
   FROM public.ideas i
  WHERE ((i.id = apetencias.idea_id) AND (i.creador_id = apetencias.creador_id)))));

ALTER TABLE public.calendarios ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.comentarios ENABLE ROW LEVEL SECURITY;

CREATE POLICY comentarios_select ON public.comentarios FOR SELECT TO authenticated USING ((EXISTS ( SELECT
   FROM public.actividades a
  WHERE (a.id = comentarios.actividad_id))));

ALTER TABLE public.fechas_especiales ENABLE ROW LEVEL SECURITY;

CREATE POLICY fechas_especiales_select ON public.fechas_especiales FOR SELECT TO authenticated USING ((pareja_id = ( SELECT planes.mi_pareja() AS mi_pareja)));

ALTER TABLE public.historial ENABLE ROW LEVEL SECURITY;

CREATE POLICY historial_select ON public.historial FOR SELECT TO authenticated USING ((EXISTS ( SELECT
   FROM public.actividades a
  WHERE (a.id = historial.actividad_id))));

ALTER TABLE public.ideas ENABLE ROW LEVEL SECURITY;

CREATE POLICY ideas_select ON public.ideas FOR SELECT TO authenticated USING (((creador_id = ( SELECT auth.uid() AS uid)) OR (pareja_id = ( SELECT planes.mi_pareja() AS mi_pareja))));

ALTER TABLE public.invitaciones ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.lecturas ENABLE ROW LEVEL SECURITY;

CREATE POLICY lecturas_select ON public.lecturas FOR SELECT TO authenticated USING (((persona_id = ( SELECT auth.uid() AS uid)) AND (EXISTS ( SELECT
   FROM public.actividades a
  WHERE (a.id = lecturas.actividad_id)))));

ALTER TABLE public.liquidaciones ENABLE ROW LEVEL SECURITY;

CREATE POLICY liquidaciones_select ON public.liquidaciones FOR SELECT TO authenticated USING ((pareja_id = ( SELECT planes.mi_pareja() AS mi_pareja)));

ALTER TABLE public.pagos ENABLE ROW LEVEL SECURITY;

CREATE POLICY pagos_select ON public.pagos FOR SELECT TO authenticated USING ((EXISTS ( SELECT
   FROM public.actividades a
  WHERE (a.id = pagos.actividad_id))));

ALTER TABLE public.parejas ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.profiles ENABLE ROW LEVEL SECURITY;

CREATE POLICY profiles_select ON public.profiles FOR SELECT TO authenticated USING (((id = ( SELECT auth.uid() AS uid)) OR (pareja_id = ( SELECT planes.mi_pareja() AS mi_pareja))));

CREATE POLICY profiles_update ON public.profiles FOR UPDATE TO authenticated USING ((id = ( SELECT auth.uid() AS uid))) WITH CHECK ((id = ( SELECT auth.uid() AS uid)));

ALTER TABLE public.reacciones ENABLE ROW LEVEL SECURITY;

CREATE POLICY reacciones_select ON public.reacciones FOR SELECT TO authenticated USING ((EXISTS ( SELECT
   FROM public.actividades a
  WHERE (a.id = reacciones.actividad_id))));

ALTER TABLE public.recuerdos ENABLE ROW LEVEL SECURITY;

CREATE POLICY recuerdos_select ON public.recuerdos FOR SELECT TO authenticated USING (((autor_id = ( SELECT auth.uid() AS uid)) OR ((pareja_id = ( SELECT planes.mi_pareja() AS mi_pareja)) AND (subido_en IS NOT NULL))));

ALTER TABLE realtime.guarded_tables ENABLE ROW LEVEL SECURITY;

ALTER TABLE realtime.messages ENABLE ROW LEVEL SECURITY;

ALTER TABLE storage.buckets ENABLE ROW LEVEL SECURITY;

ALTER TABLE storage.buckets_analytics ENABLE ROW LEVEL SECURITY;

ALTER TABLE storage.buckets_vectors ENABLE ROW LEVEL SECURITY;

ALTER TABLE storage.iceberg_namespaces ENABLE ROW LEVEL SECURITY;

ALTER TABLE storage.iceberg_tables ENABLE ROW LEVEL SECURITY;

ALTER TABLE storage.migrations ENABLE ROW LEVEL SECURITY;

ALTER TABLE storage.objects ENABLE ROW LEVEL SECURITY;

CREATE POLICY recuerdos_leer ON storage.objects FOR SELECT TO authenticated USING (((bucket_id = 'recuerdos'::text) AND (EXISTS ( SELECT
   FROM public.recuerdos r
  WHERE (r.ruta = objects.name)
UNION ALL
 SELECT
   FROM public.recuerdos r
  WHERE (r.miniatura = objects.name)))));

CREATE POLICY recuerdos_subir ON storage.objects FOR INSERT TO authenticated WITH CHECK (((bucket_id = 'recuerdos'::text) AND (EXISTS ( SELECT
   FROM public.recuerdos r
  WHERE (((objects.name = r.ruta) OR (objects.name = r.miniatura)) AND (r.autor_id = ( SELECT auth.uid() AS uid)) AND (r.pareja_id = ( SELECT planes.mi_pareja() AS mi_pareja)) AND (r.subido_en IS NULL))))));

ALTER TABLE storage.s3_multipart_uploads ENABLE ROW LEVEL SECURITY;

ALTER TABLE storage.s3_multipart_uploads_parts ENABLE ROW LEVEL SECURITY;

ALTER TABLE storage.vector_indexes ENABLE ROW LEVEL SECURITY;

CREATE PUBLICATION supabase_realtime WITH (publish = 'insert, update, delete, truncate', publish_generated_columns = stored);

ALTER PUBLICATION supabase_realtime OWNER TO postgres;

CREATE PUBLICATION supabase_realtime_messages_publication WITH (publish = 'insert', publish_via_partition_root = true);

ALTER PUBLICATION supabase_realtime_messages_publication OWNER TO supabase_admin;

ALTER PUBLICATION supabase_realtime ADD TABLE ONLY public.actividades;

ALTER PUBLICATION supabase_realtime ADD TABLE ONLY public.apetencias;

ALTER PUBLICATION supabase_realtime ADD TABLE ONLY public.comentarios;

ALTER PUBLICATION supabase_realtime ADD TABLE ONLY public.fechas_especiales;

ALTER PUBLICATION supabase_realtime ADD TABLE ONLY public.ideas;

ALTER PUBLICATION supabase_realtime ADD TABLE ONLY public.liquidaciones;

ALTER PUBLICATION supabase_realtime ADD TABLE ONLY public.pagos;

ALTER PUBLICATION supabase_realtime ADD TABLE ONLY public.profiles;

ALTER PUBLICATION supabase_realtime ADD TABLE ONLY public.reacciones;

ALTER PUBLICATION supabase_realtime ADD TABLE ONLY public.recuerdos;

ALTER PUBLICATION supabase_realtime_messages_publication ADD TABLE ONLY realtime.messages;

GRANT USAGE ON SCHEMA auth TO anon;
GRANT USAGE ON SCHEMA auth TO authenticated;
GRANT USAGE ON SCHEMA auth TO service_role;
GRANT USAGE ON SCHEMA auth TO postgres WITH GRANT OPTION;
GRANT ALL ON SCHEMA auth TO supabase_auth_admin;

REVOKE ALL ON SCHEMA extensions FROM postgres;
GRANT ALL ON SCHEMA extensions TO postgres WITH GRANT OPTION;
GRANT USAGE ON SCHEMA extensions TO anon;
GRANT USAGE ON SCHEMA extensions TO authenticated;
GRANT USAGE ON SCHEMA extensions TO service_role;
GRANT USAGE ON SCHEMA extensions TO supabase_auth_admin;
GRANT USAGE ON SCHEMA extensions TO supabase_realtime_admin;
GRANT USAGE ON SCHEMA extensions TO supabase_storage_admin;

GRANT USAGE ON SCHEMA planes TO authenticated;
GRANT USAGE ON SCHEMA planes TO service_role;
GRANT USAGE ON SCHEMA planes TO anon;

GRANT USAGE ON SCHEMA public TO anon;
GRANT USAGE ON SCHEMA public TO authenticated;
GRANT USAGE ON SCHEMA public TO service_role;
GRANT USAGE ON SCHEMA public TO supabase_auth_admin;
GRANT USAGE ON SCHEMA public TO supabase_realtime_admin;
GRANT ALL ON SCHEMA public TO postgres;
GRANT USAGE ON SCHEMA public TO supabase_storage_admin;

GRANT USAGE ON SCHEMA realtime TO anon;
GRANT USAGE ON SCHEMA realtime TO authenticated;
GRANT USAGE ON SCHEMA realtime TO service_role;
GRANT USAGE ON SCHEMA realtime TO postgres WITH GRANT OPTION;
GRANT ALL ON SCHEMA realtime TO supabase_realtime_admin;

GRANT USAGE ON SCHEMA storage TO anon;
GRANT USAGE ON SCHEMA storage TO authenticated;
GRANT USAGE ON SCHEMA storage TO service_role;
GRANT USAGE ON SCHEMA storage TO postgres WITH GRANT OPTION;
GRANT ALL ON SCHEMA storage TO supabase_storage_admin;

GRANT USAGE ON SCHEMA storage_compat TO anon;
GRANT USAGE ON SCHEMA storage_compat TO authenticated;
GRANT USAGE ON SCHEMA storage_compat TO service_role;
GRANT ALL ON SCHEMA storage_compat TO supabase_storage_admin;

GRANT ALL ON SCHEMA supabase_functions TO postgres;
GRANT USAGE ON SCHEMA supabase_functions TO anon;
GRANT USAGE ON SCHEMA supabase_functions TO authenticated;
GRANT USAGE ON SCHEMA supabase_functions TO service_role;
GRANT USAGE ON SCHEMA supabase_functions TO supabase_functions_admin;

GRANT ALL ON FUNCTION auth.email() TO anon;
GRANT ALL ON FUNCTION auth.email() TO authenticated;
GRANT ALL ON FUNCTION auth.email() TO service_role;

GRANT ALL ON FUNCTION auth.jwt() TO anon;
GRANT ALL ON FUNCTION auth.jwt() TO authenticated;
GRANT ALL ON FUNCTION auth.jwt() TO service_role;

GRANT ALL ON FUNCTION auth.role() TO anon;
GRANT ALL ON FUNCTION auth.role() TO authenticated;
GRANT ALL ON FUNCTION auth.role() TO service_role;

GRANT ALL ON FUNCTION auth.uid() TO anon;
GRANT ALL ON FUNCTION auth.uid() TO authenticated;
GRANT ALL ON FUNCTION auth.uid() TO service_role;

REVOKE ALL ON FUNCTION planes.a_quien_avisar() FROM PUBLIC;

REVOKE ALL ON FUNCTION planes.anotar_codigo_erroneo(usuario uuid) FROM PUBLIC;

REVOKE ALL ON FUNCTION planes.anotar_codigo_erroneo_en(direccion text) FROM PUBLIC;

REVOKE ALL ON FUNCTION planes.anotar_entrega() FROM PUBLIC;

REVOKE ALL ON FUNCTION planes.anotar_historial() FROM PUBLIC;

REVOKE ALL ON FUNCTION planes.avisar(persona uuid, evento text, titulo text, cuerpo text, plan uuid, oculto text) FROM PUBLIC;

REVOKE ALL ON FUNCTION planes.avisar_borrado() FROM PUBLIC;

REVOKE ALL ON FUNCTION planes.avisar_cambio() FROM PUBLIC;

REVOKE ALL ON FUNCTION planes.avisar_comentario() FROM PUBLIC;

REVOKE ALL ON FUNCTION planes.avisar_pareja() FROM PUBLIC;

REVOKE ALL ON FUNCTION planes.avisar_propuestas() FROM PUBLIC;

REVOKE ALL ON FUNCTION planes.barrer_recuerdos() FROM PUBLIC;

REVOKE ALL ON FUNCTION planes.bytes_subidos(nombres text[]) FROM PUBLIC;

REVOKE ALL ON FUNCTION planes.campos_del_plan() FROM PUBLIC;

REVOKE ALL ON FUNCTION planes.codigo_erroneo_conjunto(usuario uuid) FROM PUBLIC;

REVOKE ALL ON FUNCTION planes.codigo_erroneo_en_conjunto(direccion text) FROM PUBLIC;

REVOKE ALL ON FUNCTION planes.codigo_erroneo_en_marca(direccion text) FROM PUBLIC;

REVOKE ALL ON FUNCTION planes.codigo_erroneo_en_registros(direccion text) FROM PUBLIC;

REVOKE ALL ON FUNCTION planes.codigo_erroneo_marca(usuario uuid) FROM PUBLIC;

REVOKE ALL ON FUNCTION planes.codigo_erroneo_registros(usuario uuid) FROM PUBLIC;

REVOKE ALL ON FUNCTION planes.codigo_limpio(texto text) FROM PUBLIC;

REVOKE ALL ON FUNCTION planes.codigo_nuevo() FROM PUBLIC;

REVOKE ALL ON FUNCTION planes.codigos_erroneos(usuario uuid) FROM PUBLIC;

REVOKE ALL ON FUNCTION planes.codigos_erroneos_en(direccion text) FROM PUBLIC;

REVOKE ALL ON FUNCTION planes.comprobar_pareja() FROM PUBLIC;

REVOKE ALL ON FUNCTION planes.contar_personas() FROM PUBLIC;

REVOKE ALL ON FUNCTION planes.correo_de(persona uuid, ahora timestamp with time zone) FROM PUBLIC;

REVOKE ALL ON FUNCTION planes.crear_perfil() FROM PUBLIC;

GRANT ALL ON TABLE public.parejas TO service_role;

REVOKE ALL ON FUNCTION planes.cuentas_del_mes(pareja public.parejas, mes text, OUT gastado bigint, OUT saldo bigint) FROM PUBLIC;

REVOKE ALL ON FUNCTION planes.dar_a_la_pareja() FROM PUBLIC;

REVOKE ALL ON FUNCTION planes.deuda(importe numeric, parte smallint) FROM PUBLIC;

REVOKE ALL ON FUNCTION planes.devolver_recuerdo(guardado planes.recuerdos_borrados) FROM PUBLIC;

REVOKE ALL ON FUNCTION planes.devolver_recuerdos() FROM PUBLIC;

REVOKE ALL ON FUNCTION planes.direccion() FROM PUBLIC;

REVOKE ALL ON FUNCTION planes.disolver(pareja uuid) FROM PUBLIC;

REVOKE ALL ON FUNCTION planes.disolver_al_borrar() FROM PUBLIC;

REVOKE ALL ON FUNCTION planes.en_comun(uno uuid, otro uuid) FROM PUBLIC;

REVOKE ALL ON FUNCTION planes.espacio_de(pareja uuid) FROM PUBLIC;

REVOKE ALL ON FUNCTION planes.euros(importe numeric) FROM PUBLIC;

REVOKE ALL ON FUNCTION planes.fecha_corta(dia date) FROM PUBLIC;

REVOKE ALL ON FUNCTION planes.fechas_de_serie(primera date, regla text, hasta date) FROM PUBLIC;

REVOKE ALL ON FUNCTION planes.fin_del_silencio(desde time without time zone, hasta time without time zone, zona text, ahora timestamp with time zone) FROM PUBLIC;

REVOKE ALL ON FUNCTION planes.guardar_borrado() FROM PUBLIC;

REVOKE ALL ON FUNCTION planes.legible(texto text, con_renglones boolean) FROM PUBLIC;
GRANT ALL ON FUNCTION planes.legible(texto text, con_renglones boolean) TO authenticated;
GRANT ALL ON FUNCTION planes.legible(texto text, con_renglones boolean) TO service_role;

REVOKE ALL ON FUNCTION planes.recortado(texto text) FROM PUBLIC;
GRANT ALL ON FUNCTION planes.recortado(texto text) TO authenticated;
GRANT ALL ON FUNCTION planes.recortado(texto text) TO service_role;

REVOKE ALL ON FUNCTION planes.se_ve(texto text) FROM PUBLIC;
GRANT ALL ON FUNCTION planes.se_ve(texto text) TO authenticated;
GRANT ALL ON FUNCTION planes.se_ve(texto text) TO service_role;

REVOKE ALL ON FUNCTION planes.guardar_para_luego(aparato planes.dispositivos, carga jsonb, listo timestamp with time zone) FROM PUBLIC;

GRANT ALL ON TABLE public.actividades TO service_role;
GRANT SELECT,DELETE ON TABLE public.actividades TO authenticated;

GRANT INSERT(titulo) ON TABLE public.actividades TO authenticated;

GRANT INSERT(descripcion) ON TABLE public.actividades TO authenticated;

GRANT INSERT(fecha) ON TABLE public.actividades TO authenticated;

GRANT INSERT(presupuesto) ON TABLE public.actividades TO authenticated;

GRANT INSERT(estado),UPDATE(estado) ON TABLE public.actividades TO authenticated;

GRANT INSERT(creador_id) ON TABLE public.actividades TO authenticated;

GRANT INSERT(pareja_id) ON TABLE public.actividades TO authenticated;

GRANT INSERT(aceptado_por),UPDATE(aceptado_por) ON TABLE public.actividades TO authenticated;

GRANT INSERT(hora) ON TABLE public.actividades TO authenticated;

GRANT INSERT(hora_fin) ON TABLE public.actividades TO authenticated;

GRANT INSERT(fecha_fin) ON TABLE public.actividades TO authenticated;

GRANT INSERT(lugar) ON TABLE public.actividades TO authenticated;

GRANT INSERT(idea_id) ON TABLE public.actividades TO authenticated;

REVOKE ALL ON FUNCTION planes.hora_fin_movida(fila public.actividades, hora time without time zone) FROM PUBLIC;

REVOKE ALL ON FUNCTION planes.ics_evento(a public.actividades) FROM PUBLIC;

REVOKE ALL ON FUNCTION planes.ics_linea(linea text) FROM PUBLIC;

REVOKE ALL ON FUNCTION planes.ics_momento(dia date, hora time without time zone) FROM PUBLIC;

REVOKE ALL ON FUNCTION planes.ics_texto(texto text) FROM PUBLIC;

GRANT ALL ON TABLE public.ideas TO service_role;
GRANT SELECT ON TABLE public.ideas TO authenticated;

REVOKE ALL ON FUNCTION planes.idea_comun(idea uuid) FROM PUBLIC;

GRANT ALL ON TABLE public.invitaciones TO service_role;

REVOKE ALL ON FUNCTION planes.invitacion_valida(codigo text) FROM PUBLIC;

REVOKE ALL ON FUNCTION planes.leer(plan uuid, persona uuid) FROM PUBLIC;

REVOKE ALL ON FUNCTION planes.llevar_ideas() FROM PUBLIC;

REVOKE ALL ON FUNCTION planes.mi_dispositivo(id uuid) FROM PUBLIC;

REVOKE ALL ON FUNCTION planes.mi_nombre() FROM PUBLIC;

REVOKE ALL ON FUNCTION planes.mi_pareja() FROM PUBLIC;
GRANT ALL ON FUNCTION planes.mi_pareja() TO authenticated;
GRANT ALL ON FUNCTION planes.mi_pareja() TO service_role;

REVOKE ALL ON FUNCTION planes.mi_pareja_ahora() FROM PUBLIC;
GRANT ALL ON FUNCTION planes.mi_pareja_ahora() TO authenticated;
GRANT ALL ON FUNCTION planes.mi_pareja_ahora() TO service_role;

REVOKE ALL ON FUNCTION planes.nombre_inicial(datos jsonb, correo text) FROM PUBLIC;

REVOKE ALL ON FUNCTION planes.olvidar_comentarios() FROM PUBLIC;

REVOKE ALL ON FUNCTION planes.olvidar_correos() FROM PUBLIC;

REVOKE ALL ON FUNCTION planes.olvidar_pagos() FROM PUBLIC;

REVOKE ALL ON FUNCTION planes.olvidar_recados() FROM PUBLIC;

REVOKE ALL ON FUNCTION planes.olvidar_recuerdos() FROM PUBLIC;

REVOKE ALL ON FUNCTION planes.pareja_de_cuentas() FROM PUBLIC;

REVOKE ALL ON FUNCTION planes.pareja_retenida() FROM PUBLIC;

REVOKE ALL ON FUNCTION planes.plan_comun(plan uuid) FROM PUBLIC;

REVOKE ALL ON FUNCTION planes.plan_con_gastos(pareja public.parejas, plan uuid) FROM PUBLIC;

REVOKE ALL ON FUNCTION planes.plan_en_breve(a public.actividades) FROM PUBLIC;

REVOKE ALL ON FUNCTION planes.plan_pendiente(plan uuid) FROM PUBLIC;

REVOKE ALL ON FUNCTION planes.quitar_ficheros(nombres text[]) FROM PUBLIC;

REVOKE ALL ON FUNCTION planes.realizar_idea() FROM PUBLIC;

REVOKE ALL ON FUNCTION planes.recado_para(dispositivo planes.dispositivos, carga jsonb, tema text, clave text, no_antes_de timestamp with time zone, caduca_en timestamp with time zone) FROM PUBLIC;

REVOKE ALL ON FUNCTION planes.recordar() FROM PUBLIC;

REVOKE ALL ON FUNCTION planes.recordar_por_correo() FROM PUBLIC;

REVOKE ALL ON FUNCTION planes.recordatorios_de(ahora timestamp with time zone) FROM PUBLIC;

REVOKE ALL ON FUNCTION planes.retener(personas uuid[]) FROM PUBLIC;

REVOKE ALL ON FUNCTION planes.retener_parejas() FROM PUBLIC;

REVOKE ALL ON FUNCTION planes.retirar_aceptacion() FROM PUBLIC;

REVOKE ALL ON FUNCTION planes.serie_en_breve(titulo text, cuantas bigint, primera date) FROM PUBLIC;

REVOKE ALL ON FUNCTION planes.sin_contar_cada_una(serie uuid) FROM PUBLIC;

REVOKE ALL ON FUNCTION planes.soltar_borrado() FROM PUBLIC;

REVOKE ALL ON FUNCTION planes.soltar_recuerdo() FROM PUBLIC;

REVOKE ALL ON FUNCTION planes.tomar_zona() FROM PUBLIC;

REVOKE ALL ON FUNCTION planes.turno_de_serie(serie uuid) FROM PUBLIC;

REVOKE ALL ON FUNCTION planes.yo() FROM PUBLIC;

REVOKE ALL ON FUNCTION planes.yo_retenido(con uuid) FROM PUBLIC;

REVOKE ALL ON FUNCTION planes.zona_conocida(zona text) FROM PUBLIC;

REVOKE ALL ON FUNCTION public.aceptar_invitacion(codigo text) FROM PUBLIC;
GRANT ALL ON FUNCTION public.aceptar_invitacion(codigo text) TO service_role;
GRANT ALL ON FUNCTION public.aceptar_invitacion(codigo text) TO authenticated;

REVOKE ALL ON FUNCTION public.ajustar_dispositivo(id uuid, cambios jsonb) FROM PUBLIC;
GRANT ALL ON FUNCTION public.ajustar_dispositivo(id uuid, cambios jsonb) TO service_role;
GRANT ALL ON FUNCTION public.ajustar_dispositivo(id uuid, cambios jsonb) TO authenticated;

REVOKE ALL ON FUNCTION public.ajustar_recordatorios(cambios jsonb) FROM PUBLIC;
GRANT ALL ON FUNCTION public.ajustar_recordatorios(cambios jsonb) TO service_role;
GRANT ALL ON FUNCTION public.ajustar_recordatorios(cambios jsonb) TO authenticated;

REVOKE ALL ON FUNCTION public.anotar_pago(id uuid, plan uuid, importe numeric, pagado_por uuid, parte smallint) FROM PUBLIC;
GRANT ALL ON FUNCTION public.anotar_pago(id uuid, plan uuid, importe numeric, pagado_por uuid, parte smallint) TO service_role;
GRANT ALL ON FUNCTION public.anotar_pago(id uuid, plan uuid, importe numeric, pagado_por uuid, parte smallint) TO authenticated;

REVOKE ALL ON FUNCTION public.anular_saldo(id uuid) FROM PUBLIC;
GRANT ALL ON FUNCTION public.anular_saldo(id uuid) TO service_role;
GRANT ALL ON FUNCTION public.anular_saldo(id uuid) TO authenticated;

REVOKE ALL ON FUNCTION public.baja_correo(ficha text) FROM PUBLIC;
GRANT ALL ON FUNCTION public.baja_correo(ficha text) TO service_role;
GRANT ALL ON FUNCTION public.baja_correo(ficha text) TO anon;
GRANT ALL ON FUNCTION public.baja_correo(ficha text) TO authenticated;

REVOKE ALL ON FUNCTION public.borrar_comentario(id uuid) FROM PUBLIC;
GRANT ALL ON FUNCTION public.borrar_comentario(id uuid) TO service_role;
GRANT ALL ON FUNCTION public.borrar_comentario(id uuid) TO authenticated;

REVOKE ALL ON FUNCTION public.borrar_fecha_especial(id uuid) FROM PUBLIC;
GRANT ALL ON FUNCTION public.borrar_fecha_especial(id uuid) TO service_role;
GRANT ALL ON FUNCTION public.borrar_fecha_especial(id uuid) TO authenticated;

REVOKE ALL ON FUNCTION public.borrar_idea(id uuid) FROM PUBLIC;
GRANT ALL ON FUNCTION public.borrar_idea(id uuid) TO service_role;
GRANT ALL ON FUNCTION public.borrar_idea(id uuid) TO authenticated;

REVOKE ALL ON FUNCTION public.borrar_pago(id uuid) FROM PUBLIC;
GRANT ALL ON FUNCTION public.borrar_pago(id uuid) TO service_role;
GRANT ALL ON FUNCTION public.borrar_pago(id uuid) TO authenticated;

REVOKE ALL ON FUNCTION public.borrar_recuerdo(id uuid) FROM PUBLIC;
GRANT ALL ON FUNCTION public.borrar_recuerdo(id uuid) TO service_role;
GRANT ALL ON FUNCTION public.borrar_recuerdo(id uuid) TO authenticated;

REVOKE ALL ON FUNCTION public.borrar_serie(plan uuid, alcance text) FROM PUBLIC;
GRANT ALL ON FUNCTION public.borrar_serie(plan uuid, alcance text) TO service_role;
GRANT ALL ON FUNCTION public.borrar_serie(plan uuid, alcance text) TO authenticated;

REVOKE ALL ON FUNCTION public.calendario(secreto text) FROM PUBLIC;
GRANT ALL ON FUNCTION public.calendario(secreto text) TO service_role;
GRANT ALL ON FUNCTION public.calendario(secreto text) TO anon;
GRANT ALL ON FUNCTION public.calendario(secreto text) TO authenticated;

REVOKE ALL ON FUNCTION public.comentar(plan uuid, id uuid, texto text, motivo boolean) FROM PUBLIC;
GRANT ALL ON FUNCTION public.comentar(plan uuid, id uuid, texto text, motivo boolean) TO service_role;
GRANT ALL ON FUNCTION public.comentar(plan uuid, id uuid, texto text, motivo boolean) TO authenticated;

REVOKE ALL ON FUNCTION public.crear_calendario() FROM PUBLIC;
GRANT ALL ON FUNCTION public.crear_calendario() TO service_role;
GRANT ALL ON FUNCTION public.crear_calendario() TO authenticated;

REVOKE ALL ON FUNCTION public.crear_invitacion() FROM PUBLIC;
GRANT ALL ON FUNCTION public.crear_invitacion() TO service_role;
GRANT ALL ON FUNCTION public.crear_invitacion() TO authenticated;

REVOKE ALL ON FUNCTION public.crear_serie(id uuid, plan jsonb, regla text, hasta date) FROM PUBLIC;
GRANT ALL ON FUNCTION public.crear_serie(id uuid, plan jsonb, regla text, hasta date) TO service_role;
GRANT ALL ON FUNCTION public.crear_serie(id uuid, plan jsonb, regla text, hasta date) TO authenticated;

REVOKE ALL ON FUNCTION public.cuentas(mes text) FROM PUBLIC;
GRANT ALL ON FUNCTION public.cuentas(mes text) TO service_role;
GRANT ALL ON FUNCTION public.cuentas(mes text) TO authenticated;

REVOKE ALL ON FUNCTION public.describir_recuerdo(id uuid, texto text) FROM PUBLIC;
GRANT ALL ON FUNCTION public.describir_recuerdo(id uuid, texto text) TO service_role;
GRANT ALL ON FUNCTION public.describir_recuerdo(id uuid, texto text) TO authenticated;

REVOKE ALL ON FUNCTION public.desvincular_pareja() FROM PUBLIC;
GRANT ALL ON FUNCTION public.desvincular_pareja() TO service_role;
GRANT ALL ON FUNCTION public.desvincular_pareja() TO authenticated;

REVOKE ALL ON FUNCTION public.editar_plan(plan uuid, revision integer, cambios jsonb) FROM PUBLIC;
GRANT ALL ON FUNCTION public.editar_plan(plan uuid, revision integer, cambios jsonb) TO service_role;
GRANT ALL ON FUNCTION public.editar_plan(plan uuid, revision integer, cambios jsonb) TO authenticated;

REVOKE ALL ON FUNCTION public.editar_serie(plan uuid, revision integer, cambios jsonb, alcance text) FROM PUBLIC;
GRANT ALL ON FUNCTION public.editar_serie(plan uuid, revision integer, cambios jsonb, alcance text) TO service_role;
GRANT ALL ON FUNCTION public.editar_serie(plan uuid, revision integer, cambios jsonb, alcance text) TO authenticated;

REVOKE ALL ON FUNCTION public.eliminar_cuenta() FROM PUBLIC;
GRANT ALL ON FUNCTION public.eliminar_cuenta() TO service_role;
GRANT ALL ON FUNCTION public.eliminar_cuenta() TO authenticated;

REVOKE ALL ON FUNCTION public.exportar_datos() FROM PUBLIC;
GRANT ALL ON FUNCTION public.exportar_datos() TO service_role;
GRANT ALL ON FUNCTION public.exportar_datos() TO authenticated;

REVOKE ALL ON FUNCTION public.guardar_fecha_especial(id uuid, titulo text, fecha date, cada_ano boolean) FROM PUBLIC;
GRANT ALL ON FUNCTION public.guardar_fecha_especial(id uuid, titulo text, fecha date, cada_ano boolean) TO service_role;
GRANT ALL ON FUNCTION public.guardar_fecha_especial(id uuid, titulo text, fecha date, cada_ano boolean) TO authenticated;

REVOKE ALL ON FUNCTION public.guardar_idea(id uuid, titulo text, nota text, presupuesto numeric) FROM PUBLIC;
GRANT ALL ON FUNCTION public.guardar_idea(id uuid, titulo text, nota text, presupuesto numeric) TO service_role;
GRANT ALL ON FUNCTION public.guardar_idea(id uuid, titulo text, nota text, presupuesto numeric) TO authenticated;

REVOKE ALL ON FUNCTION public.marcar_leido(plan uuid) FROM PUBLIC;
GRANT ALL ON FUNCTION public.marcar_leido(plan uuid) TO service_role;
GRANT ALL ON FUNCTION public.marcar_leido(plan uuid) TO authenticated;

REVOKE ALL ON FUNCTION public.me_apetece(idea uuid, si boolean) FROM PUBLIC;
GRANT ALL ON FUNCTION public.me_apetece(idea uuid, si boolean) TO service_role;
GRANT ALL ON FUNCTION public.me_apetece(idea uuid, si boolean) TO authenticated;

REVOKE ALL ON FUNCTION public.mis_borrados() FROM PUBLIC;
GRANT ALL ON FUNCTION public.mis_borrados() TO service_role;
GRANT ALL ON FUNCTION public.mis_borrados() TO authenticated;

REVOKE ALL ON FUNCTION public.mis_dispositivos() FROM PUBLIC;
GRANT ALL ON FUNCTION public.mis_dispositivos() TO service_role;
GRANT ALL ON FUNCTION public.mis_dispositivos() TO authenticated;

REVOKE ALL ON FUNCTION public.mis_recordatorios() FROM PUBLIC;
GRANT ALL ON FUNCTION public.mis_recordatorios() TO service_role;
GRANT ALL ON FUNCTION public.mis_recordatorios() TO authenticated;

REVOKE ALL ON FUNCTION public.preparar_recuerdo(id uuid, plan uuid, ancho integer, alto integer, bytes integer, texto text) FROM PUBLIC;
GRANT ALL ON FUNCTION public.preparar_recuerdo(id uuid, plan uuid, ancho integer, alto integer, bytes integer, texto text) TO service_role;
GRANT ALL ON FUNCTION public.preparar_recuerdo(id uuid, plan uuid, ancho integer, alto integer, bytes integer, texto text) TO authenticated;

REVOKE ALL ON FUNCTION public.probar_dispositivo(id uuid) FROM PUBLIC;
GRANT ALL ON FUNCTION public.probar_dispositivo(id uuid) TO service_role;
GRANT ALL ON FUNCTION public.probar_dispositivo(id uuid) TO authenticated;

REVOKE ALL ON FUNCTION public.proponer_otra_fecha(plan uuid, fecha date, hora time without time zone, mensaje text) FROM PUBLIC;
GRANT ALL ON FUNCTION public.proponer_otra_fecha(plan uuid, fecha date, hora time without time zone, mensaje text) TO service_role;
GRANT ALL ON FUNCTION public.proponer_otra_fecha(plan uuid, fecha date, hora time without time zone, mensaje text) TO authenticated;

REVOKE ALL ON FUNCTION public.quitar_dispositivo(id uuid) FROM PUBLIC;
GRANT ALL ON FUNCTION public.quitar_dispositivo(id uuid) TO service_role;
GRANT ALL ON FUNCTION public.quitar_dispositivo(id uuid) TO authenticated;

REVOKE ALL ON FUNCTION public.reaccionar(plan uuid, cual text) FROM PUBLIC;
GRANT ALL ON FUNCTION public.reaccionar(plan uuid, cual text) TO service_role;
GRANT ALL ON FUNCTION public.reaccionar(plan uuid, cual text) TO authenticated;

REVOKE ALL ON FUNCTION public.recuperar_comentario(id uuid) FROM PUBLIC;
GRANT ALL ON FUNCTION public.recuperar_comentario(id uuid) TO service_role;
GRANT ALL ON FUNCTION public.recuperar_comentario(id uuid) TO authenticated;

REVOKE ALL ON FUNCTION public.recuperar_plan(plan uuid) FROM PUBLIC;
GRANT ALL ON FUNCTION public.recuperar_plan(plan uuid) TO service_role;
GRANT ALL ON FUNCTION public.recuperar_plan(plan uuid) TO authenticated;

REVOKE ALL ON FUNCTION public.recuperar_planes(ids uuid[]) FROM PUBLIC;
GRANT ALL ON FUNCTION public.recuperar_planes(ids uuid[]) TO service_role;
GRANT ALL ON FUNCTION public.recuperar_planes(ids uuid[]) TO authenticated;

REVOKE ALL ON FUNCTION public.recuperar_recuerdo(id uuid) FROM PUBLIC;
GRANT ALL ON FUNCTION public.recuperar_recuerdo(id uuid) TO service_role;
GRANT ALL ON FUNCTION public.recuperar_recuerdo(id uuid) TO authenticated;

REVOKE ALL ON FUNCTION public.registrar_dispositivo(endpoint text, p256dh text, auth text, nombre text, zona text) FROM PUBLIC;
GRANT ALL ON FUNCTION public.registrar_dispositivo(endpoint text, p256dh text, auth text, nombre text, zona text) TO service_role;
GRANT ALL ON FUNCTION public.registrar_dispositivo(endpoint text, p256dh text, auth text, nombre text, zona text) TO authenticated;

REVOKE ALL ON FUNCTION public.responder_serie(serie uuid, respuesta text, vistas jsonb) FROM PUBLIC;
GRANT ALL ON FUNCTION public.responder_serie(serie uuid, respuesta text, vistas jsonb) TO service_role;
GRANT ALL ON FUNCTION public.responder_serie(serie uuid, respuesta text, vistas jsonb) TO authenticated;

REVOKE ALL ON FUNCTION public.resumen_conversacion() FROM PUBLIC;
GRANT ALL ON FUNCTION public.resumen_conversacion() TO service_role;
GRANT ALL ON FUNCTION public.resumen_conversacion() TO authenticated;

REVOKE ALL ON FUNCTION public.revocar_calendario() FROM PUBLIC;
GRANT ALL ON FUNCTION public.revocar_calendario() TO service_role;
GRANT ALL ON FUNCTION public.revocar_calendario() TO authenticated;

REVOKE ALL ON FUNCTION public.saldar(id uuid, mes text, importe bigint) FROM PUBLIC;
GRANT ALL ON FUNCTION public.saldar(id uuid, mes text, importe bigint) TO service_role;
GRANT ALL ON FUNCTION public.saldar(id uuid, mes text, importe bigint) TO authenticated;

REVOKE ALL ON FUNCTION public.terminar_recuerdo(id uuid) FROM PUBLIC;
GRANT ALL ON FUNCTION public.terminar_recuerdo(id uuid) TO service_role;
GRANT ALL ON FUNCTION public.terminar_recuerdo(id uuid) TO authenticated;

REVOKE ALL ON FUNCTION public.vaciar_papelera() FROM PUBLIC;
GRANT ALL ON FUNCTION public.vaciar_papelera() TO service_role;
GRANT ALL ON FUNCTION public.vaciar_papelera() TO authenticated;

REVOKE ALL ON FUNCTION public.ver_invitacion(codigo text) FROM PUBLIC;
GRANT ALL ON FUNCTION public.ver_invitacion(codigo text) TO service_role;
GRANT ALL ON FUNCTION public.ver_invitacion(codigo text) TO authenticated;

REVOKE ALL ON FUNCTION public.version_del_plan() FROM PUBLIC;
GRANT ALL ON FUNCTION public.version_del_plan() TO service_role;
GRANT ALL ON FUNCTION public.version_del_plan() TO authenticated;

REVOKE ALL ON FUNCTION realtime.await_commits(xids bigint[]) FROM PUBLIC;
GRANT ALL ON FUNCTION realtime.await_commits(xids bigint[]) TO supabase_realtime_admin;
GRANT ALL ON FUNCTION realtime.await_commits(xids bigint[]) TO postgres;

REVOKE ALL ON FUNCTION realtime.become(topic text, settings jsonb) FROM PUBLIC;
GRANT ALL ON FUNCTION realtime.become(topic text, settings jsonb) TO postgres;

GRANT ALL ON FUNCTION realtime.broadcast_changes(topic_name text, event_name text, operation text, table_name text, table_schema text, new record, old record, level text) TO postgres;

GRANT ALL ON FUNCTION realtime."cast"(val text, type_ regtype) TO postgres;

GRANT ALL ON FUNCTION realtime.check_equality_op(op realtime.equality_op, type_ regtype, val_1 text, val_2 text) TO postgres;

GRANT ALL ON FUNCTION realtime.check_equality_op(op realtime.equality_op, type_ regtype, val_1 text, val_2 text, negate boolean) TO postgres;

GRANT ALL ON FUNCTION realtime.check_filter(entity regclass, readable text[], filter realtime.user_defined_filter) TO postgres;

REVOKE ALL ON FUNCTION realtime.commits_visible(xids bigint[]) FROM PUBLIC;
GRANT ALL ON FUNCTION realtime.commits_visible(xids bigint[]) TO supabase_realtime_admin;
GRANT ALL ON FUNCTION realtime.commits_visible(xids bigint[]) TO postgres;

REVOKE ALL ON FUNCTION realtime.guard_deletes(entity regclass) FROM PUBLIC;
GRANT ALL ON FUNCTION realtime.guard_deletes(entity regclass) TO postgres;

GRANT ALL ON FUNCTION realtime.is_visible_through_filters(columns realtime.wal_column[], filters realtime.user_defined_filter[]) TO postgres;

REVOKE ALL ON FUNCTION realtime.is_writable(topic text, extension text, settings jsonb) FROM PUBLIC;
GRANT ALL ON FUNCTION realtime.is_writable(topic text, extension text, settings jsonb) TO postgres;

REVOKE ALL ON FUNCTION realtime.kept_query(entity regclass) FROM PUBLIC;
GRANT ALL ON FUNCTION realtime.kept_query(entity regclass) TO postgres;
GRANT ALL ON FUNCTION realtime.kept_query(entity regclass) TO supabase_realtime_admin;

REVOKE ALL ON FUNCTION realtime.key_query(entity regclass, keys jsonb) FROM PUBLIC;
GRANT ALL ON FUNCTION realtime.key_query(entity regclass, keys jsonb) TO supabase_realtime_admin;
GRANT ALL ON FUNCTION realtime.key_query(entity regclass, keys jsonb) TO postgres;

REVOKE ALL ON FUNCTION realtime.maintain_messages(keep interval, days_ahead integer) FROM PUBLIC;
GRANT ALL ON FUNCTION realtime.maintain_messages(keep interval, days_ahead integer) TO postgres;

REVOKE ALL ON FUNCTION realtime.old_row_query(entity regclass, old_rows jsonb, role text) FROM PUBLIC;
GRANT ALL ON FUNCTION realtime.old_row_query(entity regclass, old_rows jsonb, role text) TO supabase_realtime_admin;
GRANT ALL ON FUNCTION realtime.old_row_query(entity regclass, old_rows jsonb, role text) TO postgres;

REVOKE ALL ON FUNCTION realtime.policies_call_auth_alone(entity oid) FROM PUBLIC;
GRANT ALL ON FUNCTION realtime.policies_call_auth_alone(entity oid) TO supabase_realtime_admin;
GRANT ALL ON FUNCTION realtime.policies_call_auth_alone(entity oid) TO postgres;

GRANT ALL ON FUNCTION realtime.readable_columns(entity regclass, roles text[]) TO postgres;

REVOKE ALL ON FUNCTION realtime.readable_extensions(topic text, extensions text[], settings jsonb) FROM PUBLIC;
GRANT ALL ON FUNCTION realtime.readable_extensions(topic text, extensions text[], settings jsonb) TO postgres;

REVOKE ALL ON FUNCTION realtime.revoked_sessions(sessions uuid[]) FROM PUBLIC;
GRANT ALL ON FUNCTION realtime.revoked_sessions(sessions uuid[]) TO supabase_realtime_admin;
GRANT ALL ON FUNCTION realtime.revoked_sessions(sessions uuid[]) TO postgres;

GRANT ALL ON FUNCTION realtime.select_condition(entity regclass, role text) TO postgres;

GRANT ALL ON FUNCTION realtime.send(payload jsonb, event text, topic text, private boolean) TO postgres;

GRANT ALL ON FUNCTION realtime.send_binary(payload bytea, event text, topic text, private boolean) TO postgres;

REVOKE ALL ON FUNCTION realtime.subscribe(subscription uuid, entries jsonb, claims jsonb) FROM PUBLIC;
GRANT ALL ON FUNCTION realtime.subscribe(subscription uuid, entries jsonb, claims jsonb) TO postgres;

GRANT ALL ON FUNCTION realtime.subscription_check_filters() TO postgres;

GRANT ALL ON FUNCTION realtime.tell_changed_users() TO postgres;

GRANT ALL ON FUNCTION realtime.tell_revoked_sessions() TO postgres;

GRANT ALL ON FUNCTION realtime.to_regrole(role_name text) TO postgres;

GRANT ALL ON FUNCTION realtime.topic() TO postgres;

REVOKE ALL ON FUNCTION realtime.visibility_query(entity regclass, rows jsonb, role text, are_deleted boolean) FROM PUBLIC;
GRANT ALL ON FUNCTION realtime.visibility_query(entity regclass, rows jsonb, role text, are_deleted boolean) TO supabase_realtime_admin;
GRANT ALL ON FUNCTION realtime.visibility_query(entity regclass, rows jsonb, role text, are_deleted boolean) TO postgres;

REVOKE ALL ON FUNCTION realtime.visible_one_by_one(entity regclass, rows jsonb, role text, claims text, are_deleted boolean) FROM PUBLIC;
GRANT ALL ON FUNCTION realtime.visible_one_by_one(entity regclass, rows jsonb, role text, claims text, are_deleted boolean) TO supabase_realtime_admin;
GRANT ALL ON FUNCTION realtime.visible_one_by_one(entity regclass, rows jsonb, role text, claims text, are_deleted boolean) TO postgres;

REVOKE ALL ON FUNCTION realtime.visible_to(entity regclass, rows jsonb, role text, claims text[], are_deleted boolean, kept text, subjects text[]) FROM PUBLIC;
GRANT ALL ON FUNCTION realtime.visible_to(entity regclass, rows jsonb, role text, claims text[], are_deleted boolean, kept text, subjects text[]) TO supabase_realtime_admin;
GRANT ALL ON FUNCTION realtime.visible_to(entity regclass, rows jsonb, role text, claims text[], are_deleted boolean, kept text, subjects text[]) TO postgres;

REVOKE ALL ON FUNCTION recados.aplazado(id bigint, segundos double precision, fallo text) FROM PUBLIC;

REVOKE ALL ON FUNCTION recados.correr_tareas() FROM PUBLIC;

REVOKE ALL ON FUNCTION recados.despertar() FROM PUBLIC;

REVOKE ALL ON FUNCTION recados.entregado(id bigint) FROM PUBLIC;

REVOKE ALL ON FUNCTION recados.fallido(id bigint, fallo text) FROM PUBLIC;

REVOKE ALL ON FUNCTION recados.limpiar() FROM PUBLIC;

REVOKE ALL ON FUNCTION recados.siguiente() FROM PUBLIC;

REVOKE ALL ON FUNCTION recados.tomar(cuantos integer) FROM PUBLIC;

GRANT ALL ON FUNCTION storage_compat.folded(text) TO anon;
GRANT ALL ON FUNCTION storage_compat.folded(text) TO authenticated;
GRANT ALL ON FUNCTION storage_compat.folded(text) TO service_role;

GRANT ALL ON FUNCTION supabase_functions.http_request() TO postgres;

GRANT SELECT ON TABLE auth.audit_log_entries TO postgres WITH GRANT OPTION;

GRANT SELECT ON TABLE auth.flow_state TO postgres WITH GRANT OPTION;

GRANT SELECT ON TABLE auth.identities TO postgres WITH GRANT OPTION;

GRANT SELECT ON TABLE auth.instances TO postgres WITH GRANT OPTION;

GRANT SELECT ON TABLE auth.mfa_amr_claims TO postgres WITH GRANT OPTION;

GRANT SELECT ON TABLE auth.mfa_challenges TO postgres WITH GRANT OPTION;

GRANT SELECT ON TABLE auth.mfa_factors TO postgres WITH GRANT OPTION;

GRANT SELECT ON TABLE auth.one_time_tokens TO postgres WITH GRANT OPTION;

GRANT SELECT ON TABLE auth.refresh_tokens TO postgres WITH GRANT OPTION;

GRANT SELECT ON TABLE auth.saml_providers TO postgres WITH GRANT OPTION;

GRANT SELECT ON TABLE auth.saml_relay_states TO postgres WITH GRANT OPTION;

GRANT SELECT ON TABLE auth.schema_migrations TO postgres WITH GRANT OPTION;

GRANT SELECT ON TABLE auth.sessions TO postgres WITH GRANT OPTION;

GRANT SELECT ON TABLE auth.sso_domains TO postgres WITH GRANT OPTION;

GRANT SELECT ON TABLE auth.sso_providers TO postgres WITH GRANT OPTION;

GRANT SELECT ON TABLE auth.users TO postgres WITH GRANT OPTION;

GRANT ALL ON TABLE public.apetencias TO service_role;
GRANT SELECT ON TABLE public.apetencias TO authenticated;

GRANT ALL ON TABLE public.calendarios TO service_role;

GRANT ALL ON TABLE public.comentarios TO service_role;
GRANT SELECT ON TABLE public.comentarios TO authenticated;

GRANT ALL ON TABLE public.fechas_especiales TO service_role;
GRANT SELECT ON TABLE public.fechas_especiales TO authenticated;

GRANT ALL ON TABLE public.historial TO service_role;
GRANT SELECT ON TABLE public.historial TO authenticated;

GRANT ALL ON SEQUENCE public.historial_id_seq TO service_role;
GRANT ALL ON SEQUENCE public.historial_id_seq TO anon;
GRANT ALL ON SEQUENCE public.historial_id_seq TO authenticated;

GRANT ALL ON TABLE public.lecturas TO service_role;
GRANT SELECT ON TABLE public.lecturas TO authenticated;

GRANT ALL ON TABLE public.liquidaciones TO service_role;
GRANT SELECT ON TABLE public.liquidaciones TO authenticated;

GRANT ALL ON TABLE public.pagos TO service_role;
GRANT SELECT ON TABLE public.pagos TO authenticated;

GRANT ALL ON TABLE public.profiles TO service_role;
GRANT SELECT ON TABLE public.profiles TO authenticated;

GRANT UPDATE(nombre) ON TABLE public.profiles TO authenticated;

GRANT ALL ON TABLE public.reacciones TO service_role;
GRANT SELECT ON TABLE public.reacciones TO authenticated;

GRANT ALL ON TABLE public.recuerdos TO service_role;
GRANT SELECT ON TABLE public.recuerdos TO authenticated;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE realtime.guarded_tables TO postgres;

GRANT SELECT,INSERT,UPDATE ON TABLE realtime.messages TO anon;
GRANT SELECT,INSERT,UPDATE ON TABLE realtime.messages TO authenticated;
GRANT SELECT,INSERT,UPDATE ON TABLE realtime.messages TO service_role;

GRANT SELECT ON TABLE realtime.subscription TO anon;
GRANT SELECT ON TABLE realtime.subscription TO authenticated;
GRANT SELECT ON TABLE realtime.subscription TO service_role;

GRANT ALL ON TABLE storage.buckets TO anon;
GRANT ALL ON TABLE storage.buckets TO authenticated;
GRANT ALL ON TABLE storage.buckets TO service_role;
GRANT ALL ON TABLE storage.buckets TO postgres WITH GRANT OPTION;

GRANT ALL ON TABLE storage.buckets_analytics TO anon;
GRANT ALL ON TABLE storage.buckets_analytics TO authenticated;
GRANT ALL ON TABLE storage.buckets_analytics TO service_role;

GRANT SELECT ON TABLE storage.buckets_vectors TO anon;
GRANT SELECT ON TABLE storage.buckets_vectors TO authenticated;
GRANT SELECT ON TABLE storage.buckets_vectors TO service_role;

GRANT ALL ON TABLE storage.iceberg_namespaces TO service_role;
GRANT SELECT ON TABLE storage.iceberg_namespaces TO anon;
GRANT SELECT ON TABLE storage.iceberg_namespaces TO authenticated;

GRANT ALL ON TABLE storage.iceberg_tables TO service_role;
GRANT SELECT ON TABLE storage.iceberg_tables TO anon;
GRANT SELECT ON TABLE storage.iceberg_tables TO authenticated;

GRANT ALL ON TABLE storage.objects TO anon;
GRANT ALL ON TABLE storage.objects TO authenticated;
GRANT ALL ON TABLE storage.objects TO service_role;
GRANT ALL ON TABLE storage.objects TO postgres WITH GRANT OPTION;

GRANT ALL ON TABLE storage.s3_multipart_uploads TO service_role;
GRANT SELECT ON TABLE storage.s3_multipart_uploads TO anon;
GRANT SELECT ON TABLE storage.s3_multipart_uploads TO authenticated;

GRANT ALL ON TABLE storage.s3_multipart_uploads_parts TO service_role;
GRANT SELECT ON TABLE storage.s3_multipart_uploads_parts TO anon;
GRANT SELECT ON TABLE storage.s3_multipart_uploads_parts TO authenticated;

GRANT SELECT ON TABLE storage.vector_indexes TO anon;
GRANT SELECT ON TABLE storage.vector_indexes TO authenticated;
GRANT SELECT ON TABLE storage.vector_indexes TO service_role;

GRANT SELECT,INSERT,REFERENCES,DELETE,TRUNCATE,MAINTAIN,UPDATE ON TABLE supabase_functions.hooks TO postgres;
GRANT SELECT,INSERT,REFERENCES,DELETE,TRUNCATE,MAINTAIN,UPDATE ON TABLE supabase_functions.hooks TO service_role;
GRANT SELECT,INSERT ON TABLE supabase_functions.hooks TO supabase_functions_admin;

GRANT ALL ON SEQUENCE supabase_functions.hooks_id_seq TO postgres;
GRANT ALL ON SEQUENCE supabase_functions.hooks_id_seq TO service_role;
GRANT USAGE ON SEQUENCE supabase_functions.hooks_id_seq TO supabase_functions_admin;

GRANT SELECT,INSERT,REFERENCES,DELETE,TRUNCATE,MAINTAIN,UPDATE ON TABLE supabase_functions.migrations TO postgres;
GRANT SELECT,INSERT,REFERENCES,DELETE,TRUNCATE,MAINTAIN,UPDATE ON TABLE supabase_functions.migrations TO service_role;

ALTER DEFAULT PRIVILEGES FOR ROLE postgres IN SCHEMA public GRANT ALL ON SEQUENCES TO service_role;
ALTER DEFAULT PRIVILEGES FOR ROLE postgres IN SCHEMA public GRANT ALL ON SEQUENCES TO anon;
ALTER DEFAULT PRIVILEGES FOR ROLE postgres IN SCHEMA public GRANT ALL ON SEQUENCES TO authenticated;

ALTER DEFAULT PRIVILEGES FOR ROLE supabase_admin IN SCHEMA public GRANT ALL ON SEQUENCES TO service_role;
ALTER DEFAULT PRIVILEGES FOR ROLE supabase_admin IN SCHEMA public GRANT ALL ON SEQUENCES TO anon;
ALTER DEFAULT PRIVILEGES FOR ROLE supabase_admin IN SCHEMA public GRANT ALL ON SEQUENCES TO authenticated;
ALTER DEFAULT PRIVILEGES FOR ROLE supabase_admin IN SCHEMA public GRANT ALL ON SEQUENCES TO postgres;

ALTER DEFAULT PRIVILEGES FOR ROLE postgres IN SCHEMA public GRANT ALL ON FUNCTIONS TO service_role;
ALTER DEFAULT PRIVILEGES FOR ROLE postgres IN SCHEMA public GRANT ALL ON FUNCTIONS TO anon;
ALTER DEFAULT PRIVILEGES FOR ROLE postgres IN SCHEMA public GRANT ALL ON FUNCTIONS TO authenticated;

ALTER DEFAULT PRIVILEGES FOR ROLE postgres IN SCHEMA public GRANT ALL ON TABLES TO service_role;
ALTER DEFAULT PRIVILEGES FOR ROLE postgres IN SCHEMA public GRANT ALL ON TABLES TO anon;
ALTER DEFAULT PRIVILEGES FOR ROLE postgres IN SCHEMA public GRANT ALL ON TABLES TO authenticated;

ALTER DEFAULT PRIVILEGES FOR ROLE supabase_admin IN SCHEMA public GRANT ALL ON TABLES TO service_role;
ALTER DEFAULT PRIVILEGES FOR ROLE supabase_admin IN SCHEMA public GRANT ALL ON TABLES TO anon;
ALTER DEFAULT PRIVILEGES FOR ROLE supabase_admin IN SCHEMA public GRANT ALL ON TABLES TO authenticated;
ALTER DEFAULT PRIVILEGES FOR ROLE supabase_admin IN SCHEMA public GRANT ALL ON TABLES TO postgres;

CREATE EVENT TRIGGER pgrst_ddl_watch ON ddl_command_end
   EXECUTE FUNCTION extensions.pgrst_ddl_watch();

ALTER EVENT TRIGGER pgrst_ddl_watch OWNER TO supabase_admin;

CREATE EVENT TRIGGER pgrst_drop_watch ON sql_drop
   EXECUTE FUNCTION extensions.pgrst_drop_watch();

ALTER EVENT TRIGGER pgrst_drop_watch OWNER TO supabase_admin;
