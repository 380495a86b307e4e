-- index_advisor by name only, so that migrations that create it go on: it advises nothing.
create function @extschema@.index_advisor(query text)
returns table (
  startup_cost_before jsonb, startup_cost_after jsonb, total_cost_before jsonb,
  total_cost_after jsonb, index_statements text[], errors text[]
)
language sql stable
as $$
  select null::jsonb, null::jsonb, null::jsonb, null::jsonb, '{}'::text[],
    array['index_advisor is not served: this server has no hypopg']
$$;
