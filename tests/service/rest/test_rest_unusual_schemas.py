"""Schemas that few have: relations without columns, partitions, constraints of one name."""

import pytest
import pytest_asyncio

from tests.harness_rest import make_database, serving

ODDITIES = """
create table api.bare ();
create view api.void as select;
create table api.starred (id int, "*" text);
insert into api.bare default values;
-- Constraints of one name: those of partitions, and of several tables that refer to one.
create view api.people as select id, name, boss_id from api.emp;
create table api.shift (id int, emp_id int references api.emp, day date, primary key (id, day))
  partition by range (day);
create table api.shift_2020 partition of api.shift for values from ('2020-01-01') to ('2021-01-01');
create table api.shift_2021 partition of api.shift for values from ('2021-01-01') to ('2022-01-01');
insert into api.shift values (1, 1, '2020-05-05'), (2, 1, '2021-05-05');
create table api.phone (id int primary key, emp int constraint of_emp references api.emp);
create table api.car (id int primary key, emp int constraint of_emp references api.emp);
alter table api.emp add unique (boss_id, id);
create table api.pair (id int primary key, boss int, emp int,
  constraint of_emp foreign key (boss, emp) references api.emp (boss_id, id));
insert into api.phone values (7, 2);
create table other.locker (number int, emp int);
insert into other.locker values (12, 2);
create function api.lockers(api.emp) returns setof other.locker stable language sql as
  $$ select * from other.locker where emp = $1.id $$;
create function other.phones(api.emp) returns setof api.phone stable language sql as
  $$ select * from api.phone where emp = $1.id $$;
grant select on other.locker to rest_member;
create function api.ranked(api.emp) returns table (place int) stable language sql as 'values (1)';
create function api.unnamed(int) returns int immutable language sql as 'select $1';
insert into api.pair values (5, 1, 2);
grant select on all tables in schema api to rest_member;
grant insert on api.bare, api.starred to rest_member;
create table other.emp_skill_log (emp_id int references api.emp, skill_id int references api.skill,
  primary key (emp_id, skill_id));
insert into other.emp_skill_log values (2, 2);
grant select on other.emp_skill_log to rest_member;
"""


@pytest.fixture(scope="module")
def odd_database(server):
    name = make_database(server)
    server.run(ODDITIES, database=name)
    yield name
    server.drop(name)


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def odd(server, odd_database):
    async with serving(server, odd_database) as api:
        yield api


async def test_relations_without_columns_do_no_harm(odd):
    assert (await odd("GET", "/void")).json() == [{}]
    assert (await odd("GET", "/bare")).json() == [{}]
    assert (await odd("POST", "/bare", body={})).status_code == 201
    assert (await odd("GET", "/emp?select=id&id=eq.1")).json() == [{"id": 1}]


async def test_an_asterisk_may_be_the_name_of_a_column_that_is_written(odd):
    made = await odd("POST", "/starred", body={"id": 1, "*": "x"}, Prefer="return=representation")
    assert (made.status_code, made.json()) == (201, [{"id": 1, "*": "x"}])


async def test_a_junction_may_be_in_another_exposed_schema(odd):
    found = await odd("GET", "/emp?select=id,skill!emp_skill_log(label)&id=eq.2")
    assert found.json() == [{"id": 2, "skill": [{"label": "tea"}]}]


async def test_a_view_is_joined_once_with_a_partitioned_table(odd):
    found = await odd("GET", "/people?select=id,shift(id)&id=eq.1&shift.order=id")
    assert found.json() == [{"id": 1, "shift": [{"id": 1}, {"id": 2}]}]


@pytest.mark.parametrize(
    ("embed", "rows"),
    [("phone", [{"id": 7}]), ("car", []), ("pair", [{"id": 5}])],
)
async def test_a_view_is_joined_once_by_each_of_several_keys_of_one_name(odd, embed, rows):
    found = await odd("GET", f"/people?select={embed}(id)&id=eq.2")
    assert found.json() == [{embed: rows}]


async def test_a_computed_relationship_is_that_of_the_requests_schema_whatever_it_returns(odd):
    found = await odd("GET", "/emp?select=lockers(number)&id=eq.2")
    assert found.json() == [{"lockers": [{"number": 12}]}]
    assert (await odd("GET", "/emp?select=phones(id)")).json()["code"] == "PGRST200"


async def test_a_parameter_without_a_name_has_an_empty_one_beside_named_results(odd):
    paths = (await odd("GET", "/")).json()["paths"]
    assert "/rpc/unnamed" not in paths
    assert [one["name"] for one in paths["/rpc/ranked"]["get"]["parameters"]] == [""]
