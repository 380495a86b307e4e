-- pg_jsonschema in SQL: the validation words of JSON Schema 2020-12 (and draft 7's names of them).
-- `format` and `content…` are annotations here; `$ref` goes to places of the same document.

create function @extschema@._jsonschema_errors(
  root jsonb, schema jsonb, instance jsonb, path text, depth integer
) returns setof text
language plpgsql immutable parallel safe
as $$
declare
  kind text := jsonb_typeof(instance);
  part jsonb;
  key text;
  item jsonb;
  number bigint;
  passed bigint;
  amount numeric;
  known text[];
begin
  if depth > 64 then
    return next format('%s: the schema is nested deeper than 64', path);
    return;
  end if;
  if schema = 'true' or jsonb_typeof(schema) <> 'object' then
    if schema = 'false' then
      return next format('%s: nothing is allowed here', path);
    end if;
    return;
  end if;
  if schema ? '$ref' then
    key := schema ->> '$ref';
    if key !~ '^#' then
      return next format('%s: %s is not in this schema', path, key);
    else
      part := root #> (
        select coalesce(array_agg(replace(replace(step, '~1', '/'), '~0', '~') order by n), '{}')
        from unnest(string_to_array(nullif(ltrim(substr(key, 2), '/'), ''), '/'))
          with ordinality as t (step, n)
      );
      return query select * from @extschema@._jsonschema_errors(
        root, coalesce(part, 'false'), instance, path, depth + 1
      );
    end if;
  end if;

  if schema ? 'type' and not exists (
    select from jsonb_array_elements_text(
      case jsonb_typeof(schema -> 'type') when 'array' then schema -> 'type'
        else jsonb_build_array(schema -> 'type') end
    ) as t (name)
    where name = kind
      or name = 'integer' and kind = 'number'
        and (instance::text)::numeric = trunc((instance::text)::numeric)
  ) then
    return next format('%s: %s is not of type %s', path, left(instance::text, 80), schema -> 'type');
  end if;
  if schema ? 'enum' and not exists (
    select from jsonb_array_elements(schema -> 'enum') as e (value) where value = instance
  ) then
    return next format('%s: %s is not one of %s', path, left(instance::text, 80), schema -> 'enum');
  end if;
  if schema ? 'const' and schema -> 'const' <> instance then
    return next format('%s: %s was expected', path, schema -> 'const');
  end if;

  if kind = 'number' then
    amount := (instance::text)::numeric;
    if amount < (schema ->> 'minimum')::numeric then
      return next format('%s: %s is less than the minimum of %s', path, amount, schema -> 'minimum');
    end if;
    if amount > (schema ->> 'maximum')::numeric then
      return next format(
        '%s: %s is greater than the maximum of %s', path, amount, schema -> 'maximum'
      );
    end if;
    if amount <= (schema ->> 'exclusiveMinimum')::numeric
      or amount >= (schema ->> 'exclusiveMaximum')::numeric
    then
      return next format('%s: %s is outside of the exclusive bounds', path, amount);
    end if;
    if (schema ->> 'multipleOf')::numeric <> 0
      and amount % (schema ->> 'multipleOf')::numeric <> 0
    then
      return next format('%s: %s is not a multiple of %s', path, amount, schema -> 'multipleOf');
    end if;
  elsif kind = 'string' then
    number := length(instance #>> '{}');
    if number < (schema ->> 'minLength')::numeric or number > (schema ->> 'maxLength')::numeric then
      return next format('%s: a string of %s characters is too short or too long', path, number);
    end if;
    if (instance #>> '{}') !~ (schema ->> 'pattern') then
      return next format('%s: the string does not match %s', path, schema -> 'pattern');
    end if;
  elsif kind = 'array' then
    number := jsonb_array_length(instance);
    if number < (schema ->> 'minItems')::numeric or number > (schema ->> 'maxItems')::numeric then
      return next format('%s: an array of %s items is too short or too long', path, number);
    end if;
    if schema -> 'uniqueItems' = 'true' and number <> (
      select count(distinct value) from jsonb_array_elements(instance)
    ) then
      return next format('%s: the items are not unique', path);
    end if;
    part := case jsonb_typeof(schema -> 'items') when 'array' then schema -> 'items'
      else schema -> 'prefixItems' end;
    passed := coalesce(jsonb_array_length(part), 0);
    for item, number in
      select value, n - 1 from jsonb_array_elements(instance) with ordinality as t (value, n)
    loop
      return query select * from @extschema@._jsonschema_errors(
        root,
        coalesce(
          case
            when number < passed then part -> number::integer
            when jsonb_typeof(schema -> 'items') = 'array' then schema -> 'additionalItems'
            else schema -> 'items'
          end, 'true'
        ), item, path || '/' || number, depth + 1
      );
    end loop;
    if schema ? 'contains' then
      select count(*) into passed from jsonb_array_elements(instance) as t (value)
      where not exists (
        select from @extschema@._jsonschema_errors(root, schema -> 'contains', value, path, depth + 1)
      );
      if passed < coalesce((schema ->> 'minContains')::numeric, 1)
        or passed > (schema ->> 'maxContains')::numeric
      then
        return next format('%s: %s items match what it has to contain', path, passed);
      end if;
    end if;
  elsif kind = 'object' then
    select count(*) into number from jsonb_object_keys(instance);
    if number < (schema ->> 'minProperties')::numeric
      or number > (schema ->> 'maxProperties')::numeric
    then
      return next format('%s: an object of %s properties has too few or too many', path, number);
    end if;
    for key in
      select value from jsonb_array_elements_text(coalesce(schema -> 'required', '[]')) as t (value)
      union
      select wanted
      from jsonb_each(coalesce(schema -> 'dependentRequired', '{}')) as d (name, list),
        jsonb_array_elements_text(d.list) as w (wanted)
      where instance ? d.name
    loop
      if not instance ? key then
        return next format('%s: %s is a required property', path, to_json(key));
      end if;
    end loop;
    for key, item in select * from jsonb_each(instance) loop
      known := '{}';
      if schema -> 'properties' ? key then
        known := known || 'properties'::text;
        return query select * from @extschema@._jsonschema_errors(
          root, schema -> 'properties' -> key, item, path || '/' || key, depth + 1
        );
      end if;
      for part in
        select value from jsonb_each(coalesce(schema -> 'patternProperties', '{}')) as p (name, value)
        where key ~ name
      loop
        known := known || 'patternProperties'::text;
        return query select * from @extschema@._jsonschema_errors(
          root, part, item, path || '/' || key, depth + 1
        );
      end loop;
      if known = '{}' and schema -> 'additionalProperties' = 'false' then
        return next format('%s: additional properties are not allowed (%s)', path, to_json(key));
      elsif known = '{}' and schema ? 'additionalProperties' then
        return query select * from @extschema@._jsonschema_errors(
          root, schema -> 'additionalProperties', item, path || '/' || key, depth + 1
        );
      end if;
      if schema ? 'propertyNames' then
        return query select * from @extschema@._jsonschema_errors(
          root, schema -> 'propertyNames', to_jsonb(key), path || '/' || key, depth + 1
        );
      end if;
    end loop;
  end if;

  for part in select value from jsonb_array_elements(coalesce(schema -> 'allOf', '[]')) loop
    return query select * from @extschema@._jsonschema_errors(root, part, instance, path, depth + 1);
  end loop;
  foreach key in array array['anyOf', 'oneOf'] loop
    continue when not schema ? key;
    select count(*) into passed from jsonb_array_elements(schema -> key) as t (value)
    where not exists (
      select from @extschema@._jsonschema_errors(root, value, instance, path, depth + 1)
    );
    if passed = 0 or passed > 1 and key = 'oneOf' then
      return next format('%s: the value is valid under %s of the schemas of %s', path, passed, key);
    end if;
  end loop;
  if schema ? 'not' and not exists (
    select from @extschema@._jsonschema_errors(root, schema -> 'not', instance, path, depth + 1)
  ) then
    return next format('%s: the value is valid under a schema that is not allowed', path);
  end if;
  if schema ? 'if' then
    part := case when exists (
      select from @extschema@._jsonschema_errors(root, schema -> 'if', instance, path, depth + 1)
    ) then schema -> 'else' else schema -> 'then' end;
    return query select * from @extschema@._jsonschema_errors(
      root, coalesce(part, 'true'), instance, path, depth + 1
    );
  end if;
end
$$;

create function @extschema@.jsonb_matches_schema(schema json, instance jsonb) returns boolean
language sql immutable strict parallel safe
as $$
  select not exists (
    select from @extschema@._jsonschema_errors(schema::jsonb, schema::jsonb, instance, '', 0)
  )
$$;

create function @extschema@.json_matches_schema(schema json, instance json) returns boolean
language sql immutable strict parallel safe
as $$ select @extschema@.jsonb_matches_schema(schema, instance::jsonb) $$;

create function @extschema@.jsonschema_validation_errors(schema json, instance json)
returns text[]
language sql immutable strict parallel safe
as $$
  select coalesce(array_agg(error), '{}')
  from @extschema@._jsonschema_errors(schema::jsonb, schema::jsonb, instance::jsonb, '', 0)
    as e (error)
$$;

create function @extschema@.jsonschema_is_valid(schema json) returns boolean
language sql immutable strict parallel safe
as $$
  select json_typeof(schema) in ('object', 'boolean') and coalesce(
    not exists (
      select from jsonb_path_query(schema::jsonb, 'strict $.**.type') as t (name)
      where jsonb_typeof(name) = 'string' and name #>> '{}' not in (
        'array', 'boolean', 'integer', 'null', 'number', 'object', 'string'
      )
    ), true
  )
$$;
