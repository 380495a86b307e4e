"""What pgAdmin and DBeaver ask when they connect and open their trees, by `postgres`.

Our words for what they ask; `postgres` is no superuser, and must be refused nothing of it.
"""

from __future__ import annotations

from collections.abc import AsyncIterator

import asyncpg
import pytest

from tests.conftest import Server
from tests.harness_sql import Connection

OBJECTS = """
create type mood as enum ('good', 'bad');
create domain mail as text check (value ~ '@');
create table people (
  id uuid primary key default gen_random_uuid(), name text not null, mail mail, feels mood,
  twice int generated always as (1 + 1) stored, number int generated always as identity
) with (fillfactor = 90);
create table parts (id int, at date) partition by range (at);
create table parts_2026 partition of parts for values from ('2026-01-01') to ('2027-01-01');
create table notes (id bigserial primary key, person uuid references people (id) on delete cascade);
create index notes_person on notes (person) where person is not null;
create view names as select name from people;
create materialized view counted as select count(*) as n from people;
create function touch() returns trigger language plpgsql as 'begin return new; end';
create procedure clean() language sql as 'select 1';
create trigger touched before update on people for each row execute function touch();
create rule quiet as on delete to notes where old.id < 0 do instead nothing;
alter table people enable row level security;
create policy own on people to authenticated using (id = auth.uid());
create statistics people_stat (dependencies) on name, mail from people;
comment on column people.name is 'as it is said';
"""

CONNECTING = {
    "version": "select version(), current_setting('server_version_num')",
    "session": "select current_database(), current_schema(), session_user, current_schemas(true)",
    "own role": "select oid, rolname, rolsuper, rolcreaterole, rolcreatedb, rolreplication,"
    " pg_has_role(oid, 'member') from pg_roles where rolname = current_user",
    "recovery": "select pg_is_in_recovery(), pg_postmaster_start_time(), pg_conf_load_time()",
    "encryption": "select ssl, version, cipher from pg_stat_ssl where pid = pg_backend_pid()",
    "gssapi": "select gss_authenticated, encrypted from pg_stat_gssapi"
    " where pid = pg_backend_pid()",
    "output": "select set_config('bytea_output', 'hex', false) from pg_settings"
    " where name = 'bytea_output'",
    "databases": "select d.oid, datname, pg_get_userbyid(datdba), pg_encoding_to_char(encoding),"
    " datcollate, datacl, has_database_privilege(d.oid, 'create'), spcname, datconnlimit,"
    " shobj_description(d.oid, 'pg_database') from pg_database d"
    " join pg_tablespace t on t.oid = dattablespace where datallowconn",
    "database size": "select pg_size_pretty(pg_database_size(current_database()))",
    "settings": "select name, setting, unit, category, context, source, boot_val, sourcefile"
    " from pg_settings",
    "settings of roles": "select d.datname, r.rolname, setconfig from pg_db_role_setting s"
    " left join pg_database d on d.oid = setdatabase left join pg_roles r on r.oid = setrole",
    "roles": "select r.oid, r.*, shobj_description(r.oid, 'pg_authid'), array(select m.rolname"
    " from pg_auth_members a join pg_roles m on m.oid = a.roleid where a.member = r.oid)"
    " from pg_roles r",
    "tablespaces": "select oid, spcname, pg_get_userbyid(spcowner), spcacl, spcoptions,"
    " pg_tablespace_location(oid) from pg_tablespace",
    "sessions": "select pid, datname, usename, application_name, client_addr, backend_start, state,"
    " wait_event_type, wait_event, pg_blocking_pids(pid), query, backend_type"
    " from pg_stat_activity",
    "locks": "select pid, locktype, relation::regclass, mode, granted from pg_locks",
    "prepared": "select gid, prepared, owner, database from pg_prepared_xacts",
    "load": "select sum(xact_commit), sum(xact_rollback), sum(tup_inserted), sum(blks_read),"
    " sum(blks_hit), sum(deadlocks) from pg_stat_database",
    "replication": "select pid, usename, client_addr, state, sent_lsn from pg_stat_replication",
    "slots": "select slot_name, plugin, slot_type, database, active from pg_replication_slots",
}
TREE = {
    "schemas": "select n.oid, nspname, pg_get_userbyid(nspowner), nspacl,"
    " has_schema_privilege(n.oid, 'create'), has_schema_privilege(n.oid, 'usage'),"
    " obj_description(n.oid, 'pg_namespace') from pg_namespace n",
    "relations": "select c.oid, c.*, pg_get_userbyid(relowner), pg_get_expr(relpartbound, c.oid),"
    " pg_get_partkeydef(c.oid), obj_description(c.oid, 'pg_class'), amname,"
    " (select count(*) from pg_trigger where tgrelid = c.oid and not tgisinternal)"
    " from pg_class c left join pg_am a on a.oid = relam",
    "sizes": "select oid, pg_relation_size(oid), pg_total_relation_size(oid), pg_table_size(oid)"
    " from pg_class where relkind in ('r', 'm') and relnamespace = 'public'::regnamespace",
    "numbers": "select t.*, i.* from pg_stat_all_tables t"
    " left join pg_statio_all_tables i using (relid)",
    "columns": "select attrelid, attname, attnum, format_type(atttypid, atttypmod), attnotnull,"
    " attidentity, attgenerated, attacl, attstattarget, pg_get_expr(adbin, adrelid, true),"
    " col_description(attrelid, attnum), collname from pg_attribute"
    " left join pg_attrdef on adrelid = attrelid and adnum = attnum"
    " left join pg_collation c on c.oid = attcollation where attnum > 0",
    "constraints": "select c.oid, c.*, pg_get_constraintdef(c.oid, true), confrelid::regclass"
    " from pg_constraint c",
    "indexes": "select i.*, pg_get_indexdef(indexrelid), pg_get_indexdef(indexrelid, 1, true),"
    " pg_get_expr(indpred, indrelid) from pg_index i",
    "triggers": "select t.oid, tgname, pg_get_triggerdef(t.oid, true), tgenabled from pg_trigger t",
    "rules": "select oid, rulename, pg_get_ruledef(oid, true) from pg_rewrite",
    "policies": "select polname, polcmd, polroles::regrole[], pg_get_expr(polqual, polrelid),"
    " pg_get_expr(polwithcheck, polrelid) from pg_policy",
    "views": "select oid, pg_get_viewdef(oid, true) from pg_class where relkind in ('v', 'm')",
    "functions": "select p.oid, p.*, pg_get_function_arguments(p.oid), pg_get_function_result(p.oid),"
    " pg_get_function_identity_arguments(p.oid), lanname from pg_proc p"
    " join pg_language l on l.oid = prolang",
    "bodies": "select pg_get_functiondef(oid) from pg_proc where prokind <> 'a'"
    " and pronamespace = any (array['public', 'auth', 'storage']::regnamespace[])",
    "aggregates": "select aggfnoid, aggtransfn, agginitval from pg_aggregate",
    "types": "select t.oid, t.*, format_type(t.oid, null), obj_description(t.oid, 'pg_type'),"
    " pg_get_expr(typdefaultbin, 0) from pg_type t",
    "enums": "select enumtypid, enumlabel, enumsortorder from pg_enum order by 1, 3",
    "ranges": "select rngtypid::regtype, rngsubtype::regtype from pg_range",
    "sequences": "select s.*, pg_get_serial_sequence('public.notes', 'id') from pg_sequences s",
    "sequence": "select last_value, is_called from public.notes_id_seq",
    "extensions": "select e.oid, extname, extversion, extrelocatable, extconfig, nspname, comment"
    " from pg_extension e join pg_namespace n on n.oid = extnamespace"
    " join pg_available_extensions on name = extname",
    "versions": "select name, version, superuser, trusted from pg_available_extension_versions",
    "event triggers": "select evtname, evtevent, evtenabled, evtfoid::regproc from pg_event_trigger",
    "wrappers": "select fdwname, fdwoptions, fdwhandler::regproc from pg_foreign_data_wrapper",
    "servers": "select srvname, srvoptions, srvtype from pg_foreign_server",
    "user mappings": "select umid, srvname, usename, umoptions from pg_user_mappings",
    "publications": "select p.*, t.schemaname, t.tablename from pg_publication p"
    " left join pg_publication_tables t using (pubname)",
    "subscriptions": "select oid, subname, subenabled, subpublications from pg_subscription",
    "languages": "select lanname, lanpltrusted, lanacl from pg_language",
    "casts": "select castsource::regtype, casttarget::regtype, castfunc::regproc from pg_cast",
    "collations": "select collname, collprovider, collcollate from pg_collation",
    "operators": "select oprname, oprleft::regtype, oprright::regtype, oprcode from pg_operator",
    "search": "select c.cfgname, d.dictname, p.prsname from pg_ts_config c"
    " cross join pg_ts_dict d cross join pg_ts_parser p limit 5",
    "statistics": "select stxname, pg_get_statisticsobjdef(oid) from pg_statistic_ext",
    "default rights": "select pg_get_userbyid(defaclrole), defaclobjtype, defaclacl"
    " from pg_default_acl",
    "inheritance": "select inhrelid::regclass, inhparent::regclass from pg_inherits",
    "dependencies": "select classid::regclass, objid, refclassid::regclass, refobjid, deptype"
    " from pg_depend limit 1000",
    "labels": "select objtype, objname, provider, label from pg_seclabels",
    "information schema": "select table_schema, table_name, privilege_type"
    " from information_schema.role_table_grants",
    "routines": "select routine_schema, routine_name, data_type from information_schema.routines",
}


@pytest.fixture
async def owner(server: Server, services_database: str) -> AsyncIterator[Connection]:
    """A connection as `postgres` with objects of every kind, rolled back after the test."""
    connection = await asyncpg.connect(server.url(services_database, "postgres"))
    transaction = connection.transaction()
    await transaction.start()
    await connection.execute(OBJECTS)
    yield connection
    await transaction.rollback()
    await connection.close()


async def test_nothing_that_a_tool_asks_is_refused(owner: Connection) -> None:
    refused: dict[str, str] = {}
    for name, query in {**CONNECTING, **TREE}.items():
        try:
            async with owner.transaction():
                await owner.fetch(query)
        except asyncpg.PostgresError as error:
            refused[name] = str(error)
    assert refused == {}


async def test_a_tools_tree_has_what_the_project_made(owner: Connection) -> None:
    relations = {row["relname"] for row in await owner.fetch(TREE["relations"])}
    assert {"people", "parts_2026", "names", "counted", "notes_id_seq"} <= relations
    bodies = [row[0] for row in await owner.fetch(TREE["bodies"])]
    assert any("FUNCTION public.touch()" in body for body in bodies)
    assert any("FUNCTION auth.uid()" in body for body in bodies)
