-- pg_graphql by name only: its functions are there, so that what grants on them or replaces them
-- can be applied, and every query is answered by one GraphQL error that says so.

create schema graphql;

create function graphql.resolve(
  query text, variables jsonb default '{}'::jsonb, "operationName" text default null,
  extensions jsonb default null
) returns jsonb
language sql stable set search_path = ''
as $$
  select jsonb_build_object('data', null, 'errors', jsonb_build_array(
    jsonb_build_object('message', 'GraphQL is not served: this database has no pg_graphql')
  ))
$$;

create function graphql_public.graphql(
  "operationName" text default null, query text default null, variables jsonb default null,
  extensions jsonb default null
) returns jsonb
language sql stable set search_path = ''
as $$
  select graphql.resolve(query, coalesce(variables, '{}'), "operationName", extensions)
$$;

create function graphql.get_schema_version() returns integer
language sql stable set search_path = ''
as $$ select 1 $$;

grant usage on schema graphql, graphql_public to postgres, anon, authenticated, service_role;
grant execute on all functions in schema graphql, graphql_public
  to postgres, anon, authenticated, service_role;
