-- name: tables
-- Relations of every schema with what can be done to them; columns only for the schemas in $1.
with recursive resolved (type, base, base_schema, parent) as (
  select oid, oid, typnamespace, typbasetype from pg_type
  union all
  select resolved.type, base.oid, base.typnamespace, base.typbasetype
  from resolved join pg_type base on base.oid = resolved.parent
),
bases as (select type, base, base_schema from resolved where parent = 0),
column_facts as (
  select attribute.attrelid as relation,
    json_agg(json_build_array(
      attribute.attname,
      remark.description,
      not (attribute.attnotnull or type.typtype = 'd' and type.typnotnull),
      case
        when type.typtype = 'd' and bases.base_schema = 'pg_catalog'::regnamespace
          then format_type(bases.base, null)
        when type.typtype <> 'd' and type.typnamespace = 'pg_catalog'::regnamespace
          then format_type(attribute.atttypid, null)
        else format_type(attribute.atttypid, attribute.atttypmod)
      end,
      format_type(attribute.atttypid, attribute.atttypmod),
      information_schema._pg_char_max_length(
        information_schema._pg_truetypid(attribute.*, type.*),
        information_schema._pg_truetypmod(attribute.*, type.*)),
      case
        when type.typbasetype <> 0 and default_of.adbin is null
          then pg_get_expr(type.typdefaultbin, 0)
        when attribute.attidentity = 'd'
          then format('nextval(%L)', sequence_of.objid::regclass)
        when attribute.attgenerated = 's' then null
        else pg_get_expr(default_of.adbin, default_of.adrelid)
      end,
      (select json_agg(label.enumlabel order by label.enumsortorder)
       from pg_enum label where label.enumtypid = bases.base)
    ) order by attribute.attnum) as columns
  from pg_attribute attribute
  join pg_class relation on relation.oid = attribute.attrelid
  join pg_type type on type.oid = attribute.atttypid
  join bases on bases.type = type.oid
  left join pg_description remark
    on remark.objoid = attribute.attrelid and remark.objsubid = attribute.attnum
    and remark.classoid = 'pg_class'::regclass
  left join pg_attrdef default_of
    on default_of.adrelid = attribute.attrelid and default_of.adnum = attribute.attnum
  left join pg_depend sequence_of
    on sequence_of.refobjid = attribute.attrelid
    and sequence_of.refobjsubid = attribute.attnum and sequence_of.deptype = 'i'
    and sequence_of.refclassid = 'pg_class'::regclass
    and sequence_of.classid = 'pg_class'::regclass
  where attribute.attnum > 0 and not attribute.attisdropped
    and relation.relkind in ('r', 'p', 'v', 'm', 'f')
    and relation.relnamespace = any (
      select oid from pg_namespace where nspname = any ($1::text[]))
  group by attribute.attrelid
)
select schema.nspname::text as schema, relation.relname::text as name, remark.description,
  relation.relkind in ('v', 'm') as is_view,
  relation.relkind in ('r', 'p') or writes.flags & 8 = 8 as insertable,
  relation.relkind in ('r', 'p') or writes.flags & 4 = 4 as updatable,
  relation.relkind in ('r', 'p') or writes.flags & 16 = 16 as deletable,
  coalesce(keys.columns, '{}') as primary_key,
  column_facts.columns
from pg_class relation
join pg_namespace schema on schema.oid = relation.relnamespace
cross join lateral (
  -- Bits of the statement kinds a view or foreign table takes, triggers included.
  select case when relation.relkind in ('v', 'f')
    then pg_relation_is_updatable(relation.oid, true) else 0 end as flags
) writes
left join lateral (
  select array_agg(attribute.attname::text order by attribute.attname) as columns
  from pg_constraint key
  join pg_attribute attribute
    on attribute.attrelid = key.conrelid and attribute.attnum = any (key.conkey)
  where key.conrelid = relation.oid and key.contype = 'p' and relation.relkind in ('r', 'p')
) keys on true
left join column_facts on column_facts.relation = relation.oid
left join pg_description remark
  on remark.objoid = relation.oid and remark.objsubid = 0
  and remark.classoid = 'pg_class'::regclass
where relation.relkind in ('r', 'p', 'v', 'm', 'f')
  and not relation.relispartition
  and schema.nspname not in ('pg_catalog', 'information_schema')
  and not pg_is_other_temp_schema(schema.oid)
order by 1, 2;

-- name: foreign_keys
-- Foreign keys with their column pairs; one-to-one where a key or unique constraint of the
-- referencing table has the same columns.
select own_schema.nspname::text as schema, own.relname::text as name,
  other_schema.nspname::text as target_schema, other.relname::text as target_name,
  fk.conrelid = fk.confrelid as is_self, fk.conname::text as constraint_name,
  (select json_agg(json_build_array(here.attname, there.attname) order by pair.place)
   from unnest(fk.conkey, fk.confkey) with ordinality as pair (here, there, place)
   join pg_attribute here on here.attrelid = fk.conrelid and here.attnum = pair.here
   join pg_attribute there on there.attrelid = fk.confrelid and there.attnum = pair.there
  ) as columns,
  exists (
    select from pg_constraint single
    where single.conrelid = fk.conrelid and single.contype in ('p', 'u')
      and single.conkey @> fk.conkey and single.conkey <@ fk.conkey
  ) as one_to_one
from pg_constraint fk
join pg_class own on own.oid = fk.conrelid
join pg_namespace own_schema on own_schema.oid = own.relnamespace
join pg_class other on other.oid = fk.confrelid
join pg_namespace other_schema on other_schema.oid = other.relnamespace
where fk.contype = 'f' and fk.conparentid = 0
order by fk.conrelid, fk.conname;

-- name: views
-- The parsed definition of each view of the schemas in $1, for following its columns back.
select view.oid::int8 as oid, schema.nspname::text as schema, view.relname::text as name,
  rule.ev_action::text as definition,
  (select coalesce(json_object_agg(attnum, attname), '{}') from pg_attribute
   where attrelid = view.oid and attnum > 0 and not attisdropped) as columns
from pg_class view
join pg_namespace schema on schema.oid = view.relnamespace
join pg_rewrite rule on rule.ev_class = view.oid and rule.rulename = '_RETURN'
where view.relkind in ('v', 'm') and schema.nspname = any ($1::text[])
order by view.oid;

-- name: key_columns
-- The columns of each primary key (p), foreign key (f) and referenced key (r), by number and by
-- name. What several foreign keys of one name refer to (those of partitions among them) is one.
select distinct side.relation::int8 as relation, schema.nspname::text as schema,
  relation.relname::text as name, key.conname::text as constraint_name, side.kind,
  side.numbers::int[] as numbers, names.names
from pg_constraint key
cross join lateral (
  values (key.conrelid, key.contype::text, key.conkey), (key.confrelid, 'r', key.confkey)
) as side (relation, kind, numbers)
join pg_class relation on relation.oid = side.relation
join pg_namespace schema on schema.oid = relation.relnamespace
cross join lateral (
  select array_agg(attribute.attname::text order by number.place) as names
  from unnest(side.numbers) with ordinality as number (number, place)
  join pg_attribute attribute
    on attribute.attrelid = side.relation and attribute.attnum = number.number
) names
where key.contype in ('p', 'f')
order by relation, constraint_name, kind, numbers;

-- name: routines
-- Functions of the schemas in $1 that can be called by name; $2 lists patterns of the settings
-- that act on the whole transaction.
with recursive resolved (type, base, parent) as (
  select oid, oid, typbasetype from pg_type
  union all
  select resolved.type, base.oid, base.typbasetype
  from resolved join pg_type base on base.oid = resolved.parent
),
bases as (select type, base from resolved where parent = 0)
select routine.oid::int8 as oid, schema.nspname::text as schema,
  routine.proname::text as name, remark.description,
  coalesce(inputs.parameters, '[]'::json) as parameters,
  return_schema.nspname::text as return_schema,
  coalesce(return_relation.relname, return_type.typname)::text as return_name,
  routine.proretset as returns_set,
  return_type.typtype = 'c' or coalesce(routine.proargmodes::text[] && '{t,b,o}', false)
    as returns_composite,
  bases.type <> bases.base as returns_alias,
  routine.provolatile::text as volatility,
  routine.provariadic <> 0 as is_variadic,
  (select split_part(setting, '=', 2) from unnest(routine.proconfig) as setting
   where setting like 'default\_transaction\_isolation=%') as isolation,
  coalesce((
    select json_agg(json_build_array(
      split_part(setting, '=', 1), substr(setting, strpos(setting, '=') + 1)))
    from unnest(routine.proconfig) as setting
    where setting ~ any ($2::text[])), '[]'::json) as settings
from pg_proc routine
join pg_namespace schema on schema.oid = routine.pronamespace
join bases on bases.type = routine.prorettype
join pg_type return_type on return_type.oid = bases.base
join pg_namespace return_schema on return_schema.oid = return_type.typnamespace
left join pg_class return_relation on return_relation.oid = return_type.typrelid
left join pg_description remark
  on remark.objoid = routine.oid and remark.classoid = 'pg_proc'::regclass
left join lateral (
  select
    json_agg(json_build_array(
      coalesce(input.name, ''),
      format_type(input.type, null),
      case input.type
        when 'bit'::regtype then 'bit varying'
        when 'bit[]'::regtype then 'bit varying[]'
        when 'character'::regtype then 'character varying'
        when 'character[]'::regtype then 'character varying[]'
        else format_type(input.type, null)
      end,
      input.place <= routine.pronargs - routine.pronargdefaults,
      coalesce(input.mode = 'v', false)
    ) order by input.place) as parameters
  from unnest(routine.proargnames, routine.proargtypes, routine.proargmodes)
    with ordinality as input (name, type, mode, place)
  where input.type is not null
) inputs on true
where routine.prokind = 'f'
  and return_type.oid <> 'trigger'::regtype
  and schema.nspname = any ($1::text[])
  and (routine.pronargs = 0 or routine.proargnames is not null
    or (routine.pronargs = 1 and routine.proargtypes[0] in ('bytea'::regtype, 'json'::regtype,
      'jsonb'::regtype, 'text'::regtype, 'xml'::regtype)))
order by routine.oid;

-- name: accessible_routines
-- The functions of schema $1 that the present role may run, and their parameters' types as
-- they are written under the present search path. The log is searched for the names in it.
WITH base_types AS (SELECT oid, format_type(oid, null) AS name FROM pg_type)
SELECT p.oid::int8 AS oid, pn.nspname AS proc_schema,
  coalesce((SELECT json_agg(base_types.name ORDER BY place)
   FROM unnest(p.proargtypes) WITH ORDINALITY AS input (type, place)
   JOIN base_types ON base_types.oid = input.type), '[]') AS types
FROM pg_proc p
JOIN pg_namespace pn ON pn.oid = p.pronamespace
WHERE p.prokind = 'f' AND p.pronamespace = $1::regnamespace
  AND has_function_privilege(p.oid, 'execute');

-- name: computed_relationships
-- Functions from one relation's row to another's.
select schema.nspname::text as schema, routine.proname::text as name,
  origin_schema.nspname::text as origin_schema, origin.relname::text as origin_name,
  target_schema.nspname::text as target_schema, target.relname::text as target_name,
  not routine.proretset or routine.prorows = 1 as single,
  origin.oid = target.oid as is_self
from pg_proc routine
join pg_namespace schema on schema.oid = routine.pronamespace
join pg_class origin on origin.reltype = routine.proargtypes[0]
join pg_namespace origin_schema on origin_schema.oid = origin.relnamespace
join pg_class target on target.reltype = routine.prorettype
join pg_namespace target_schema on target_schema.oid = target.relnamespace
where routine.pronargs = 1 and routine.prokind = 'f'
  and origin.relkind in ('r', 'p', 'v', 'm', 'f') and target.relkind in ('r', 'p', 'v', 'm', 'f')
order by routine.oid;

-- name: representations
-- Implicit casts by function between a domain and json or text.
select format_type(cast_.castsource, null) as source, format_type(cast_.casttarget, null) as target,
  cast_.castfunc::regproc::text as function
from pg_cast cast_
join pg_type source on source.oid = cast_.castsource
join pg_type target on target.oid = cast_.casttarget
where cast_.castcontext = 'i' and cast_.castmethod = 'f'
  and has_function_privilege(cast_.castfunc, 'execute')
  and (source.typtype = 'd' and cast_.casttarget in ('json'::regtype, 'text'::regtype)
    or target.typtype = 'd' and cast_.castsource in ('json'::regtype, 'text'::regtype));

-- name: media_handlers
-- Aggregates and functions of the schemas in $1 that return a domain named like a media type.
with media as (
  select oid, typnamespace, typname::text as domain_name, lower(typname) as media_type,
    case typname when '*/*' then 'application/octet-stream' else typname::text end as sent_as
  from pg_type
  where typbasetype <> 0
    and (typname = '*/*' or typname ~* '^[a-z0-9.-]+/[a-z0-9.+-]+$')
)
select schema.nspname::text as function_schema, routine.proname::text as function_name,
  target_schema.nspname::text as target_schema, target.typname::text as target_name,
  media.media_type, media.sent_as
from media
join pg_proc routine on routine.prorettype = media.oid and routine.prokind = 'a'
join pg_namespace schema on schema.oid = routine.pronamespace
join pg_type target on target.oid = routine.proargtypes[0]
join pg_namespace target_schema on target_schema.oid = target.typnamespace
left join pg_class relation on relation.oid = target.typrelid
where routine.pronargs = 1 and schema.nspname = any ($1::text[])
  and (relation.relkind in ('r', 'p', 'v', 'm', 'f') or target.typname = 'anyelement')
union all
select media_schema.nspname::text, media.domain_name, schema.nspname::text, routine.proname::text,
  media.media_type, media.sent_as
from media
join pg_namespace media_schema on media_schema.oid = media.typnamespace
join pg_proc routine on routine.prorettype = media.oid and routine.prokind = 'f'
join pg_namespace schema on schema.oid = routine.pronamespace
where not routine.proretset and schema.nspname = any ($1::text[]);

-- name: accessible_tables
-- The relations of schema $1 on which the present role has any privilege. The log is searched
-- for the names in it.
SELECT
  n.nspname AS table_schema, c.relname::text AS table_name
FROM pg_class c
JOIN pg_namespace n ON n.oid = c.relnamespace
WHERE c.relkind IN ('r', 'p', 'v', 'm', 'f') AND NOT c.relispartition
  AND n.oid = $1::regnamespace
  AND (pg_has_role(c.relowner, 'usage')
    OR has_table_privilege(c.oid,
      'select, insert, update, delete, truncate, references, trigger')
    OR has_any_column_privilege(c.oid, 'select, insert, update, references'))
ORDER BY table_schema, table_name;

-- name: schema_comment
-- The comment of schema $1.
SELECT pg_catalog.obj_description($1::regnamespace, 'pg_namespace') AS comment;

-- name: database_settings
-- In-database configuration of the present user: per database beats per role; $1 lists names.
select distinct on (setting.name) substr(setting.name, 7) as name, setting.value
from (
  select chosen.setdatabase as database, split_part(item, '=', 1) as name,
    substr(item, strpos(item, '=') + 1) as value
  from pg_db_role_setting chosen, unnest(chosen.setconfig) as item
  where chosen.setrole = (select oid from pg_roles where rolname = current_user)
    and chosen.setdatabase in (
      0, (select oid from pg_database where datname = current_database()))
) setting
where setting.name = any ($1::text[])
order by setting.name, setting.database desc;

-- name: role_settings
-- Settings of the roles the present user is a direct member of, that it may set itself.
select role.rolname::text as role, split_part(item, '=', 1) as name,
  substr(item, strpos(item, '=') + 1) as value
from pg_auth_members membership
join pg_roles role on role.oid = membership.roleid
cross join lateral unnest(role.rolconfig) as item
join pg_settings known on known.name = split_part(item, '=', 1)
where membership.member = (select oid from pg_roles where rolname = current_user)
  and (known.context = 'user' or case when current_setting('server_version_num')::int >= 150000
    then has_parameter_privilege(current_user, known.name, 'set') else false end)
order by 1, 2;
