-- PGroonga's indexes can be made and are Bloom filters of blocks, which answer equality alone; its
-- operators look at each row, without regard to case. Nothing is tokenized, normalized or ranked:
-- a score is 1, and a query is words that must be there, `OR`, `-` before a word that must not.

-- It runs as superuser: a function of whoever creates it, in the schema that they name, is not found.
set local search_path to pg_catalog, pg_temp;

create access method pgroonga type index handler brinhandler;

create function @extschema@._pgroonga_has(value text, keyword text) returns boolean
language sql immutable parallel safe strict as $$
select position(lower(keyword) in lower(value)) > 0
$$;

create function @extschema@._pgroonga_fits(value text, query text) returns boolean
language sql immutable parallel safe strict as $$
select exists (
  select from regexp_split_to_table(query, '\s+OR\s+') as choice
  where not exists (
    select from regexp_split_to_table(replace(choice, '"', ''), '\s+') as word
    where word not in ('', '-')
      and (left(word, 1) = '-') = @extschema@._pgroonga_has(value, ltrim(word, '-'))
  )
)
$$;

create function @extschema@._pgroonga_begins(value text, prefix text) returns boolean
language sql immutable parallel safe strict as $$
select starts_with(lower(value), lower(prefix))
$$;

create function @extschema@._pgroonga_has_any(value text, keywords text[]) returns boolean
language sql immutable parallel safe strict as $$
select exists (select from unnest(keywords) as word where @extschema@._pgroonga_has(value, word))
$$;

create function @extschema@._pgroonga_has(list text[], keyword text) returns boolean
language sql immutable parallel safe strict as $$
select exists (select from unnest(list) as value where @extschema@._pgroonga_has(value, keyword))
$$;

create function @extschema@._pgroonga_fits(list text[], query text) returns boolean
language sql immutable parallel safe strict as $$
select @extschema@._pgroonga_fits(array_to_string(list, ' '), query)
$$;

create function @extschema@._pgroonga_has(document jsonb, keyword text) returns boolean
language sql immutable parallel safe strict as $$
select @extschema@._pgroonga_has(document::text, keyword)
$$;

create function @extschema@._pgroonga_fits(document jsonb, query text) returns boolean
language sql immutable parallel safe strict as $$
select @extschema@._pgroonga_fits(document::text, query)
$$;

create operator @extschema@.&@ (leftarg = text, rightarg = text, function = @extschema@._pgroonga_has);
create operator @extschema@.&@ (leftarg = text[], rightarg = text, function = @extschema@._pgroonga_has);
create operator @extschema@.&@ (leftarg = jsonb, rightarg = text, function = @extschema@._pgroonga_has);
create operator @extschema@.&@~ (leftarg = text, rightarg = text, function = @extschema@._pgroonga_fits);
create operator @extschema@.&@~ (leftarg = text[], rightarg = text, function = @extschema@._pgroonga_fits);
create operator @extschema@.&@~ (leftarg = jsonb, rightarg = text, function = @extschema@._pgroonga_fits);
create operator @extschema@.&^ (leftarg = text, rightarg = text, function = @extschema@._pgroonga_begins);
create operator @extschema@.&@| (leftarg = text, rightarg = text[], function = @extschema@._pgroonga_has_any);

create function @extschema@.pgroonga_score(tableoid oid, ctid tid) returns double precision
language sql immutable parallel safe as 'select 1::double precision';

create function @extschema@.pgroonga_score("row" record) returns double precision
language plpgsql immutable parallel safe as 'begin return 1; end';

create function @extschema@.pgroonga_query_extract_keywords(query text) returns text[]
language sql immutable parallel safe strict as $$
select coalesce(array_agg(word), '{}')
from regexp_split_to_table(replace(query, '"', ''), '\s+') as word
where word not in ('', 'OR') and left(word, 1) <> '-'
$$;

create function @extschema@.pgroonga_escape(value text) returns text
language sql immutable parallel safe strict as $$
select regexp_replace(value, '([\\"()+<>*:~-])', '\\\1', 'g')
$$;

do $$
declare
  one record;
begin
  for one in
    select * from (values
      ('pgroonga_text_full_text_search_ops_v2', true, 'text', 'hashtext(text)'),
      ('pgroonga_text_full_text_search_ops', false, 'text', 'hashtext(text)'),
      ('pgroonga_text_term_search_ops_v2', false, 'text', 'hashtext(text)'),
      ('pgroonga_text_regexp_ops_v2', false, 'text', 'hashtext(text)'),
      ('pgroonga_varchar_full_text_search_ops_v2', false, 'text', 'hashtext(text)'),
      ('pgroonga_varchar_term_search_ops_v2', false, 'text', 'hashtext(text)'),
      ('pgroonga_text_array_full_text_search_ops_v2', true, 'anyarray', 'hash_array(anyarray)'),
      ('pgroonga_text_array_term_search_ops_v2', false, 'anyarray', 'hash_array(anyarray)'),
      ('pgroonga_jsonb_ops_v2', true, 'jsonb', 'jsonb_hash(jsonb)'),
      ('pgroonga_jsonb_full_text_search_ops_v2', false, 'jsonb', 'jsonb_hash(jsonb)'),
      ('pgroonga_uuid_ops', true, 'uuid', 'uuid_hash(uuid)'),
      ('pgroonga_int4_ops', true, 'int4', 'hashint4(int4)'),
      ('pgroonga_int8_ops', true, 'int8', 'hashint8(int8)')
    ) as named (name, is_default, type, hash)
  loop
    execute format(
      'create operator class @extschema@.%I %s for type %s using pgroonga as'
      ' operator 1 = (%3$s, %3$s), function 1 brin_bloom_opcinfo(internal),'
      ' function 2 brin_bloom_add_value(internal, internal, internal, internal),'
      ' function 3 brin_bloom_consistent(internal, internal, internal, integer),'
      ' function 4 brin_bloom_union(internal, internal, internal),'
      ' function 5 brin_bloom_options(internal), function 11 (%3$s, %3$s) %4$s',
      one.name, case when one.is_default then 'default' else '' end, one.type, one.hash
    );
  end loop;
end
$$;
