-- A calendar program asks without a session: it names the domain of the answer's media type, which
-- lives in the planner's own schema. Nothing else there may be used by it: its functions are
-- granted to nobody.

grant usage on schema planes to anon;
